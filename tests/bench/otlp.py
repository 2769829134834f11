# SPDX-License-Identifier: MIT
"""OTLP: what a value costs to write and to read, and its bytes on the wire."""
import gzip
import http.client
import os
import shutil
import socket
import struct
import subprocess

from collectors import Ours
from tools import Skip, instructions, together, valgrind

FEW, MANY = 5, 25  # Rounds of the two runs whose difference counts.
BEGIN = 1700000000123456789  # Of all samples in the batch of bench_otlp.
REQUESTS = 200
CONF = """
Journal {journal}
JournalSync batch
LoadPlugin otlp
<Plugin otlp>
  <Listen "127.0.0.1" "{port}">
  </Listen>
</Plugin>
"""


def count(tools, load, *options):
    """Instructions per value: start and the making of the batch cancel."""
    def job(rounds):
        out = os.path.join(tools.folder, f"callgrind.otlp.{load}.{'.'.join(options)}.{rounds}")
        run = tools.figures("bench_otlp", "-n", rounds, *options, load, before=valgrind(out))
        return instructions(out), run["values"]
    (least, values), (most, _) = together([lambda: job(FEW), lambda: job(MANY)])
    return (most - least) / ((MANY - FEW) * values)


def zstd_size(path):
    """Bytes after zstd -3; None without the program."""
    if shutil.which("zstd") is None:
        return None
    return len(subprocess.run(["zstd", "-3", "-q", "-c", path], check=True,
                              stdout=subprocess.PIPE).stdout)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def receive(tools, request, values, journal, pack):
    """Values per second of the daemon's CPU: posted by one client, to no writer."""
    if not os.path.exists(os.path.join(tools.build, ".libs", "otlp.so")):
        raise Skip("the plugin otlp is not built")
    then, port = struct.pack("<Q", BEGIN), free_port()
    bodies = [pack(request.replace(then, struct.pack("<Q", BEGIN + (i + 1) * 10**10)))
              for i in range(REQUESTS)]
    daemon = Ours(tools, f"otlp-{journal}", CONF.format(port=port, journal=journal))
    headers = {"Content-Type": "application/x-protobuf"}
    if pack != bytes:
        headers["Content-Encoding"] = "gzip"
    line = http.client.HTTPConnection("127.0.0.1", port)
    before = daemon.process.cpu()
    for body in bodies:
        line.request("POST", "/v1/metrics", body, headers)
        reply = line.getresponse()
        if reply.status != 200 or reply.read():
            raise RuntimeError(f"status {reply.status}")
    cpu = daemon.process.cpu() - before
    daemon.stop()
    return REQUESTS * values / cpu / 1e6


def otlp_in(tools, report, say):
    """The way of a value from the wire into the journal, before the answer."""
    path = os.path.join(tools.folder, "otlp.in")
    values = tools.figures("bench_otlp", "-o", path, "vms")["values"]
    with open(path, "rb") as file:
        request = file.read()
    for name, journal, pack, goal in (
            ("otlp-in", "off", bytes, None), ("otlp-in-durable", "on", bytes, 1),
            ("otlp-in-durable-gzip", "on", lambda body: gzip.compress(body, 3), None)):
        say(f"{name}: {REQUESTS} requests")
        report.line(name, receive(tools, request, values, journal, pack),
                    "M values/s/core", least=goal)


def otlp(tools, report, say):
    for load in ("vms", "host"):
        say(f"otlp: {load}, callgrind")
        write = count(tools, load)
        both = count(tools, load, "-r")
        report.line(f"otlp-{load}-write", write, "instructions/value", most=300)
        report.line(f"otlp-{load}-write-labels", count(tools, load, "-l"), "instructions/value",
                    most=300)
        report.line(f"otlp-{load}-write-first", count(tools, load, "-f"), "instructions/value")
        report.line(f"otlp-{load}-read", both - write, "instructions/value")
        path = os.path.join(tools.folder, f"otlp.{load}")
        values = tools.figures("bench_otlp", "-o", path, load)["values"]
        with open(path, "rb") as file:
            request = file.read()
        report.line(f"otlp-{load}", len(request) / values, "bytes/value")
        report.line(f"otlp-{load}-gzip", len(gzip.compress(request, 3)) / values, "bytes/value")
        packed = zstd_size(path)
        if packed is not None:
            report.line(f"otlp-{load}-zstd", packed / values, "bytes/value", most=8)
    say("otlp: host by conventions, callgrind")
    report.line("otlp-host-write-conventions", count(tools, "host", "-c"), "instructions/value")
    otlp_in(tools, report, say)
