# SPDX-License-Identifier: MIT
"""TLS: what a connection costs the server of HTTP, beside the least server of GnuTLS."""
import os
import socket
import subprocess
import time

from collectors import Ours
from process import Process
from tools import Skip, need

CONNECTIONS, IDLE = 1000, 2000
CONF = """
Journal off
LoadPlugin otlp
<Plugin otlp>
  <Listen "127.0.0.1" "{port}">
    {tls}
  </Listen>
  MaxClients 20000
</Plugin>
"""
TLS = 'TLSCertificate "{0}.pem"\n    TLSKey "{0}.key"'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(name):
    """Signed by itself, with the key that most have: P-256."""
    need("openssl")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=here",
                    "-keyout", name + ".key", "-out", name + ".pem"],
                   check=True, stderr=subprocess.DEVNULL)


def ask(tools, process, way, port, connections):
    """The server's CPU time of a connection in us, and what the client prints."""
    tools.figures("bench_tls", way, port, 20)
    before = process.cpu()
    said = tools.figures("bench_tls", way, port, connections)
    return (process.cpu() - before) / connections * 1e6, said


def memory(tools, daemon, port):
    """KiB that a connection takes which has sent a request and now waits."""
    before = daemon.process.memory("Private_Dirty")
    with subprocess.Popen([tools.program("bench_tls"), "stay", str(port), str(IDLE)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        client.stdout.readline()
        time.sleep(1)
        now = daemon.process.memory("Private_Dirty")
        client.stdin.close()
    return (now - before) * 1024 / IDLE


def start_bare(tools, certificate):
    port = free_port()
    bare = Process([tools.program("bench_tls"), "serve", str(port), certificate + ".pem",
                    certificate + ".key"], os.path.join(tools.folder, "bare.output"))
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return bare, port
        time.sleep(0.05)
    raise Skip("the bare server does not start")


def tls(tools, report, say):
    if not os.path.exists(os.path.join(tools.build, ".libs", "otlp.so")):
        raise Skip("the plugin otlp is not built")
    certificate = os.path.join(tools.folder, "tls")
    make_certificate(certificate)
    port = free_port()
    ours = Ours(tools, "tls", CONF.format(port=port, tls=TLS.format(certificate)))
    bare, bare_port = start_bare(tools, certificate)
    for way, goal in (("ask", 1.1), ("resume", 1.1)):
        say(f"tls: {CONNECTIONS} connections, {way}")
        least, _ = ask(tools, bare, way, bare_port, CONNECTIONS)
        cost, said = ask(tools, ours.process, way, port, CONNECTIONS)
        name = "full" if way == "ask" else "resumed"
        report.line(f"tls-{name}-bare", least, "us/connection")
        report.line(f"tls-{name}", cost, "us/connection")
        report.line(f"tls-{name}-ratio", cost / least, "of the bare one", most=goal)
        report.line(f"tls-{name}-client", said["cpu_us"], "us/connection")
    report.line("tls-idle", memory(tools, ours, port), "KiB/connection", most=35)
    bare.stop()
    ours.stop()
