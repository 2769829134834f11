# SPDX-License-Identifier: MIT
"""Our daemon and collectd, run from the same configuration."""
import os
import socket
import time

from process import Process, text
from tools import SOURCE, Skip

COLLECTD = os.environ.get("COLLECTD", "/usr/sbin/collectd")
COLLECTD_PLUGINS = os.environ.get("COLLECTD_PLUGINS", "/usr/lib/collectd")
COLLECTD_TYPES = "/usr/share/collectd/types.db"


class Collector:
    """A running daemon with a unix socket.  'config' is what both share."""
    name = plugins = types = extra = log_options = ""

    def __init__(self, tools, tag, config, interval=10, before=()):
        self.folder = tools.fresh(f"{tag}-{self.name}")
        self.socket = os.path.join(self.folder, "sock")
        path = os.path.join(self.folder, "conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'''Hostname "bench"
FQDNLookup false
BaseDir "{self.folder}"
PIDFile "{self.folder}/pid"
PluginDir "{self.plugins or self.plugin_folder(tools)}"
TypesDB "{self.types}"
Interval {interval}
LoadPlugin logfile
<Plugin logfile>
  File "{self.folder}/log"
  {self.log_options}
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{self.socket}"
  DeleteSocket true
</Plugin>
{self.extra if not any(word in config for word in ("DataDir", "Server", "write_")) else ""}{config.replace("@", self.folder)}''')
        self.process = Process([*before, self.binary(tools), "-f", "-C", path],
                               os.path.join(self.folder, "output"))
        self.await_start()

    def plugin_folder(self, tools):
        return os.path.join(tools.build, ".libs")

    def await_start(self):
        for _ in range(600):
            if self.process.popen.poll() is not None:
                break
            try:
                self.ask("LISTVAL")
                return
            except OSError:
                time.sleep(0.05)
        self.process.stop()
        raise Skip(f"{self.name} does not start: " + text(self.process.output)[-300:].strip())

    def ask(self, request):
        """Sends one request; returns the lines of its answer."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(30)
            line.connect(self.socket)
            stream = line.makefile("rw")
            stream.write(request + "\n")
            stream.flush()
            status = stream.readline().split()
            more = max(0, int(status[0])) if status else 0
            return [stream.readline().rstrip("\n") for _ in range(more)]

    def values(self):
        names = [answer.split(" ", 1)[1] for answer in self.ask("LISTVAL")]
        return sum(len(self.ask(f'GETVAL "{name}"')) for name in names)

    def stop(self):
        self.process.stop()


class Ours(Collector):
    name = "collectord"
    log_options = "NoticeRate 0"
    types = os.path.join(SOURCE, "src", "model", "types.db")

    def binary(self, tools):
        path = tools.program("collectord")
        if not os.path.exists(path):
            raise Skip("there is no collectord in the build tree")
        return path


class Peer(Collector):
    name = "collectd"
    plugins, types = COLLECTD_PLUGINS, COLLECTD_TYPES
    # Without a writer collectd logs a line per value; this is its null writer.
    extra = 'PostCacheChain "Null"\n<Chain "Null">\n  Target "stop"\n</Chain>\n'

    def binary(self, tools):
        if not os.path.exists(COLLECTD):
            raise Skip(f"there is no {COLLECTD} (Debian: collectd-core)")
        return COLLECTD


def both(start):
    """Starts our daemon and, where it is installed, the peer."""
    running = [start(Ours)]
    if os.path.exists(COLLECTD):
        try:
            running.append(start(Peer))
        except Skip:
            running[0].stop()
            raise
    return running
