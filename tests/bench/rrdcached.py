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
from process import Process, text
from tools import instructions, need, valgrind

HOSTS, METRICS = 500, 20
WINDOW = 100  # Lines of one write to the socket.
# Rounds of the two runs whose difference counts; of ours, and of collectd.
ROUNDS = {Ours: (5, 45), Peer: (1, 4)}
CONFIG = """LoadPlugin rrdcached
<Plugin rrdcached>
  DaemonAddress "unix:{socket}"
  DataDir "{base}"
  RRARows 10
  RRATimespan 3600
</Plugin>
"""


def used(process):
    """CPU seconds, those of threads that have ended included; to 10 ms."""
    words = text(f"/proc/{process.pid}/stat").rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


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

    def figure(self, name):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.socket)
            line.sendall(b"STATS\nQUIT\n")
            return int(re.search(name + r": (\d+)", line.makefile().read())[1])

    def wait(self, name, least, patience=2):
        """Until there are so many, or no more have come for a while.  Returns how
        many there are, and since when."""
        since, last = time.monotonic(), -1
        while last < least and time.monotonic() < since + patience:
            time.sleep(0.01)
            now = self.figure(name)
            if now != last:
                since, last = time.monotonic(), now
        return last, since

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
        """Returns updates/s until rrdcached has all, CPU seconds of both for an
        update, and the part that was lost."""
        cpu = used(self.daemon.process), used(self.cache.process)
        before, begun = self.cache.figure("UpdatesReceived"), time.monotonic()
        run = self.tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", self.begin,
                                 "-w", WINDOW, *options, self.daemon.socket)
        self.begin += rounds * 10
        got, end = self.cache.wait("UpdatesReceived", before + run["values"])
        got -= before
        self.cache.wait("TreeNodesNumber", HOSTS * METRICS)
        self.daemon.process.settle(20)
        return (got / (end - begun), (used(self.daemon.process) - cpu[0]) / got,
                (used(self.cache.process) - cpu[1]) / got, max(0, 1 - got / run["values"]))

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
    few, many = ROUNDS[kind]
    for rounds in (few, many):
        out = os.path.join(tools.folder, f"callgrind.rrdcached.{kind.name}.{rounds}")
        pair = Pair(tools, kind, f"rrdcached-{rounds}", before=valgrind(out))
        pair.feed(rounds, "-w", 1000)
        pair.stop()
        found.append(instructions(out))
    return (found[1] - found[0]) / ((many - few) * HOSTS * METRICS)


def measure(tools, kind, say):
    """All figures of one collector; the same work for both, but that collectd
    has fewer rounds."""
    ours = kind is Ours
    say(f"rrdcached: {kind.name}, {HOSTS * METRICS:,} files")
    pair = Pair(tools, kind, "rrdcached")
    figures = {"created": pair.created}
    say(f"rrdcached: {kind.name}, updates")
    figures["drained"] = max(pair.feed(50 if ours else 10, "-w", 1000) for _ in range(2))
    if ours:
        figures["sustained"] = pair.feed(120, "-w", 1000, "-r", 600_000)
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
    line("% lost at that rate", lambda f: f["drained"][3], 100)
    report.line("rrdcached", ours["sustained"][3] * 100, "% lost at 600,000/s", most=0)
    line("CPU us/update", lambda f: f["drained"][1], 1e6, most=1.0)
    line("and of rrdcached", lambda f: f["drained"][2], 1e6, most=0.6)
    line("instructions/update", lambda f: f["instructions"], most=1400)
    line("system calls/update", lambda f: f["calls"], most=0.05)
    line("MiB in a stall", lambda f: f["stall"], most=16)
    line("CPU us/new file", lambda f: f["created"][1], 1e6)
    line("and of rrdcached", lambda f: f["created"][2], 1e6)
