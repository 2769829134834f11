# SPDX-License-Identifier: MIT
"""Updates through rrdcached, beside collectd's plugin of that name: PUTVAL in,
BATCH out, a rrdcached for each that writes no file meanwhile."""
import os
import re
import signal
import socket
import subprocess
import time

from collectors import COLLECTD, Ours, Peer
from process import Process
from tools import instructions, need, valgrind

HOSTS, METRICS = 500, 20
WINDOW = 100  # Lines of one write to the socket.
FEW, MANY = 2, 8  # Rounds of the two runs whose difference counts.
CONFIG = """LoadPlugin rrdcached
<Plugin rrdcached>
  DaemonAddress "unix:{socket}"
  DataDir "{base}"
  RRARows 10
  RRATimespan 3600
</Plugin>
"""


class Cache:
    """A rrdcached."""

    def __init__(self, tools, tag):
        need("rrdcached")
        self.folder = tools.fresh(f"{tag}-rrdcached")
        self.socket = os.path.join(self.folder, "sock")
        self.base = os.path.join(self.folder, "rrd")
        os.makedirs(self.base)
        self.process = Process(
            ["rrdcached", "-g", "-l", "unix:" + self.socket, "-b", self.base, "-B", "-R",
             "-p", os.path.join(self.folder, "pid"), "-w", "7200", "-f", "7200"],
            os.path.join(self.folder, "output"))
        while not os.path.exists(self.socket):
            time.sleep(0.02)

    def received(self):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.socket)
            line.sendall(b"STATS\nQUIT\n")
            return int(re.search(r"UpdatesReceived: (\d+)", line.makefile().read())[1])

    def await_updates(self, least, limit=120):
        end = time.monotonic() + limit
        while self.received() < least and time.monotonic() < end:
            time.sleep(0.01)
        return self.received()

    def stop(self):
        self.process.popen.kill()
        self.process.popen.wait()


class Pair:
    """A collector and its rrdcached, with all files made."""

    def __init__(self, tools, kind, tag, before=()):
        self.tools = tools
        self.cache = Cache(tools, f"{tag}-{kind.name}")
        self.daemon = kind(tools, tag, CONFIG.format(socket=self.cache.socket,
                                                     base=self.cache.base), before=before)
        self.begin = int(time.time()) - 50_000
        self.created = self.feed(1)

    def feed(self, rounds, *options):
        """Returns updates/s until rrdcached has all, and CPU seconds of both."""
        cpu = self.daemon.process.cpu(), self.cache.process.cpu()
        before, since = self.cache.received(), time.monotonic()
        run = self.tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", self.begin,
                                 "-w", WINDOW, *options, self.daemon.socket)
        self.begin += rounds * 10
        got = self.cache.await_updates(before + run["values"]) - before
        elapsed = time.monotonic() - since
        self.daemon.process.settle()
        return (got / elapsed, (self.daemon.process.cpu() - cpu[0]) / run["values"],
                (self.cache.process.cpu() - cpu[1]) / run["values"])

    def stall(self, seconds, rate):
        """MiB by which it grows while rrdcached does nothing."""
        memory = self.daemon.process.memory("Rss")
        self.cache.process.popen.send_signal(signal.SIGSTOP)
        self.tools.figures("bench_putval", "-h", HOSTS,
                           "-n", max(1, seconds * rate // (HOSTS * METRICS)),
                           "-t", self.begin, "-r", rate, "-w", WINDOW, self.daemon.socket)
        grown = self.daemon.process.memory("Rss") - memory
        self.cache.process.popen.send_signal(signal.SIGCONT)
        return grown

    def calls(self, rounds):
        """System calls of the collector per update."""
        need("strace")
        log = os.path.join(self.tools.folder, f"strace.{self.daemon.name}")
        tracer = subprocess.Popen(["strace", "-f", "-c", "-o", log, "-p",
                                   str(self.daemon.process.pid)], stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        self.feed(rounds, "-w", 1000)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        with open(log, encoding="utf-8") as file:
            total = re.search(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+).*total$", file.read(), re.M)
        return int(total[1]) / (rounds * HOSTS * METRICS)

    def stop(self):
        self.daemon.stop()
        self.cache.stop()


def count(tools, kind):
    """Instructions of the collector per update."""
    found = []
    for rounds in (FEW, MANY):
        out = os.path.join(tools.folder, f"callgrind.rrdcached.{kind.name}.{rounds}")
        pair = Pair(tools, kind, f"rrdcached-{rounds}", before=valgrind(out))
        pair.feed(rounds)
        pair.stop()
        found.append(instructions(out))
    return (found[1] - found[0]) / ((MANY - FEW) * HOSTS * METRICS)


def measure(tools, kind, say):
    """All figures of one collector; the same work for both, but that collectd
    has fewer rounds."""
    ours = kind is Ours
    say(f"rrdcached: {kind.name}, {HOSTS * METRICS:,} files")
    pair = Pair(tools, kind, "rrdcached")
    figures = {"created": pair.created}
    say(f"rrdcached: {kind.name}, updates")
    figures["drained"] = max(pair.feed(100 if ours else 10, "-w", 1000) for _ in range(3))
    say(f"rrdcached: {kind.name}, system calls")
    figures["calls"] = pair.calls(20 if ours else 4)
    say(f"rrdcached: {kind.name}, a stall")
    figures["stall"] = pair.stall(50 if tools.long else 20, 50_000)
    pair.stop()
    say(f"rrdcached: {kind.name}, callgrind")
    figures["instructions"] = count(tools, kind)
    return figures


def rrdcached(tools, report, say):
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    ours, peer = ([measure(tools, kind, say) for kind in kinds] + [None])[:2]

    def line(unit, figure, scale=1, **goal):
        report.line("rrdcached", figure(ours) * scale, unit,
                    figure(peer) * scale if peer else None, **goal)

    line("updates/s", lambda f: f["drained"][0], least=800_000)
    line("CPU us/update", lambda f: f["drained"][1], 1e6, most=1.0)
    line("and of rrdcached", lambda f: f["drained"][2], 1e6, most=0.6)
    line("instructions/update", lambda f: f["instructions"], most=1400)
    line("system calls/update", lambda f: f["calls"], most=0.05)
    line("MiB in a stall", lambda f: f["stall"], most=16)
    line("CPU us/new file", lambda f: f["created"][1], 1e6)
    line("and of rrdcached", lambda f: f["created"][2], 1e6)
