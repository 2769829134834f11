# SPDX-License-Identifier: MIT
"""What the scenarios of the plugin web have in common: the daemon, asked by HTTP and by collectorctl."""
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse

from kept import temporary_folder
from patience import wait_for
from ports import free_port
from schema import faults

BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIO = os.path.basename(sys.argv[0])
CONF = """
Hostname "here"
BaseDir "{dir}"
PIDFile "{dir}/pid"
Interval {interval}
LoadPlugin unixsock
<Plugin unixsock>
	SocketFile "{dir}/sock"
</Plugin>
LoadPlugin load
LoadPlugin rrdtool
<Plugin rrdtool>
	DataDir "{dir}/rrd"
	CacheTimeout 3600
</Plugin>
{web}
"""
WEB = """
LoadPlugin web
<Plugin web>
	<Listen "127.0.0.1" "{port}">
	</Listen>
</Plugin>
"""
reported = []  # Names of what is not as it is to be.


def report(name, reasons):
    """One line for what was checked."""
    if reasons:
        reported.append(name)
    name = f"{SCENARIO}/{name}"
    print(f"not ok {name}: {'; '.join(map(str, reasons[:3]))[:500]}" if reasons else f"ok {name}", flush=True)


def equal(name, got, wanted):
    report(name, [] if got == wanted else [f"got {got!r}, wanted {wanted!r}"])


def check_shape(name, shape, answer):
    """It is as doc/openapi.json and doc/collectorctl.schema.json describe it."""
    with open(SOURCE + "/doc/collectorctl.schema.json", encoding="utf-8") as file:
        root = json.load(file)
    with open(SOURCE + "/doc/openapi.json", encoding="utf-8") as file:
        root["$defs"].update(json.load(file)["components"]["schemas"])
    report(name, list(faults(root["$defs"][shape], root, answer)))


class Web:
    """The daemon, asked by HTTP and by collectorctl."""

    def __init__(self, folder, web=WEB, interval=10):
        self.folder, self.port, self.pid = folder, free_port(), None
        with open(folder + "/conf", "w", encoding="utf-8") as file:
            file.write(CONF.format(dir=folder, interval=interval, web=web.format(dir=folder, port=self.port)))

    def start(self, **environment):
        with open(self.folder + "/log", "ab") as log:
            return subprocess.Popen([BUILD + "/collectord", "-f", "-C", self.folder + "/conf", "--plugin-dir",
                                     BUILD + "/.libs"], stdout=log, stderr=log, env={**os.environ, **environment})

    def request(self, path, method="GET", headers=None, body=None):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    def raw(self, text):
        """All that is answered to that."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as line:
            line.sendall(text.encode())
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))

    def ask(self, path, **query):
        status, _, body = self.request("/api/1/" + path + "?" + urllib.parse.urlencode(query))
        answer = json.loads(body)
        return answer if status == 200 else {"status": status, **answer}

    def words(self, *words):
        return [BUILD + "/collectorctl", "-t", "60", "-s", self.folder + "/sock", *words]

    def tool(self, *words):
        return subprocess.run(self.words(*words), capture_output=True, text=True, timeout=180, check=False).stdout

    def complaint(self, *words):
        return subprocess.run(self.words(*words), capture_output=True, text=True, timeout=180, check=False).stderr

    def answers(self):
        try:
            return self.request("/api/1/status")[0] == 200
        except OSError:
            return False

    def say(self, line):
        """A command to the unix socket; its answer."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(self.folder + "/sock")
            sock.sendall(line.encode() + b"\n")
            return sock.makefile().readline()

    def status(self):
        return json.loads(self.tool("--json", "status"))


@contextlib.contextmanager
def running(web=WEB, interval=10, **environment):
    """The daemon, which is to answer, and to end in good order."""
    with temporary_folder() as folder:
        server = Web(folder, web, interval)
        with server.start(**environment) as daemon:
            server.pid = daemon.pid
            try:
                report("it answers", [] if wait_for(server.answers) else [open(folder + "/log", encoding="utf-8").read()])
                yield server
            finally:
                daemon.terminate()
                daemon.wait(60)
        equal("it ends in good order", daemon.returncode, 0)


def put(web, name, first, values):
    """Values every ten seconds from 'first' on."""
    web.tool("put", name, "interval=10", *(f"{first + 10 * i}:{value}" for i, value in enumerate(values)))
