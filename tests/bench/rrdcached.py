# SPDX-License-Identifier: MIT
"""Updates through rrdcached: collectd's binary protocol over UDP in, BATCH out,
beside collectd's plugin of that name, and beside a client that has its BATCHes
ready made and nothing before them.  A rrdcached for each, which writes no file
meanwhile."""
import os
import re
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from collectors import COLLECTD, Ours, Peer
from process import Process, text
from tools import Skip, instructions, median, need, valgrind

HOSTS, METRICS = 500, 20
FILES = HOSTS * METRICS
ROUNDS = {Ours: 40, Peer: 10}  # Updates of each file in one run that is timed,
FRESH = 3                      # each with another rrdcached: what it holds slows it down.
SUSTAINED = 60                 # Rounds.
# Rounds of the two runs whose difference counts, and a rate that they bear.
COUNTED = {Ours: (2, 12), Peer: (1, 3)}
COUNTED_RATE = {Ours: 20_000, Peer: 2_000}
NOISE = 1.02  # The goal is collectd's figure, and two runs of it differ by this.
CONFIG = """LoadPlugin network
<Plugin network>
  Listen "127.0.0.1" "{port}"
</Plugin>
LoadPlugin rrdcached
<Plugin rrdcached>
  CollectStatistics false
  DaemonAddress "unix:{socket}"
  DataDir "{base}"
  {options}
</Plugin>
"""
# collectd keeps nothing for a restart, so it is compared with ours that does not;
# without a journal what waits has all of WriteQueueBytes.
JOURNAL = {False: "Journal off\n", True: "Journal on\n"}
SMALL_FILES = "RRARows 10\n  RRATimespan 3600"


def used(process):
    """CPU seconds, those of threads that have ended included; to 10 ms."""
    words = text(f"/proc/{process.pid}/stat").rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Cache:
    """A rrdcached, by default one that writes nothing."""

    def __init__(self, tools, tag, rules=("-w", "3600", "-z", "3600", "-f", "7200")):
        need("rrdcached")
        self.folder = tools.fresh(f"{tag}-rrdcached")
        self.socket = os.path.join(self.folder, "sock")
        self.base = os.path.join(self.folder, "rrd")
        os.makedirs(self.base)
        self.process = Process(
            ["rrdcached", "-g", "-l", "unix:" + self.socket, "-b", self.base, "-B", "-R",
             "-p", os.path.join(self.folder, "pid"), *rules],
            os.path.join(self.folder, "output"))
        while not os.path.exists(self.socket):
            time.sleep(0.02)

    def ask(self, command):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.socket)
            line.sendall(f"{command}\nQUIT\n".encode())
            return line.makefile().read()

    def figure(self, name):
        return int(re.search(name + r": (\d+)", self.ask("STATS"))[1])

    def wait(self, name, least, patience=3):
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

    def __init__(self, tools, kind, tag, before=(), options=SMALL_FILES, journal=False,
                 **cache):
        self.tools = tools
        self.cache = Cache(tools, f"{tag}-{kind.name}", **cache)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        config = CONFIG.format(socket=self.cache.socket, port=self.port,
                               base=self.cache.base, options=options)
        if kind is Ours:
            config = JOURNAL[journal] + config
        self.daemon = kind(tools, tag, config, before=before)
        for _ in range(200):
            if self.sockets():
                break
            time.sleep(0.05)
        else:
            raise Skip(f"{kind.name} does not listen")
        self.begin = int(time.time()) - 50_000

    def sockets(self):
        """The lines of its socket in proc(5)."""
        return [line for line in text("/proc/net/udp").splitlines()[1:]
                if line.split()[1].endswith(f":{self.port:04X}")]

    def send(self, rounds, rate=0, hosts=HOSTS, interval=10):
        run = self.tools.figures("bench_udp", "-h", hosts, "-n", rounds, "-t", self.begin,
                                 "-i", interval, "-r", rate, self.port)
        self.begin += rounds * interval
        return run["values"]

    def make_files(self, hosts=HOSTS):
        """Returns CPU seconds per file, of the collector and of rrdcached."""
        cpu = used(self.daemon.process), used(self.cache.process)
        self.send(1, hosts=hosts)
        files, _ = self.cache.wait("TreeNodesNumber", hosts * METRICS, patience=20)
        self.cache.wait("UpdatesReceived", hosts * METRICS)
        self.daemon.process.settle(20)
        if files < hosts * METRICS:
            raise Skip(f"{files} of {hosts * METRICS} files were made")
        return ((used(self.daemon.process) - cpu[0]) / files,
                (used(self.cache.process) - cpu[1]) / files)

    def feed(self, rounds, rate=0):
        """Returns updates/s until rrdcached has all, CPU seconds of both for an
        update, the part that was lost, and what was behind at the end of the
        sending, as seconds of it."""
        cpu = used(self.daemon.process), used(self.cache.process)
        before, begun = self.cache.figure("UpdatesReceived"), time.monotonic()
        sent = self.send(rounds, rate)
        ended = time.monotonic()
        got, end = self.cache.wait("UpdatesReceived", before + sent)
        got -= before
        self.daemon.process.settle(20)
        return (got / (end - begun), (used(self.daemon.process) - cpu[0]) / got,
                (used(self.cache.process) - cpu[1]) / got, max(0, 1 - got / sent),
                max(0, end - ended))

    def stall(self, seconds, rate):
        """MiB by which it grows while rrdcached does nothing."""
        memory = self.daemon.process.memory("Rss")
        self.cache.process.popen.send_signal(signal.SIGSTOP)
        self.send(max(1, seconds * rate // FILES), rate)
        grown = self.daemon.process.memory("Rss") - memory
        self.cache.process.popen.send_signal(signal.SIGCONT)
        return grown

    def calls(self, rounds, rate):
        """System calls of the collector per update."""
        need("strace")
        log = os.path.join(self.tools.folder, f"strace.{self.daemon.name}")
        tracer = subprocess.Popen(["strace", "-f", "-c", "-o", log, "-p",
                                   str(self.daemon.process.pid)], stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        lost = self.feed(rounds, rate)[3]
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        with open(log, encoding="utf-8") as file:
            total = re.search(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+).*total$", file.read(), re.M)
        return int(total[1]) / (rounds * FILES * (1 - lost))

    def stop(self):
        self.daemon.stop()
        self.cache.stop()


def count(tools, kind, journal=False):
    """Instructions of the collector per update."""
    found = []
    for rounds in COUNTED[kind]:
        out = os.path.join(tools.folder, f"callgrind.rrdcached.{kind.name}.{rounds}")
        pair = Pair(tools, kind, f"rrdcached-{rounds}", before=valgrind(out), journal=journal)
        pair.make_files()
        lost = pair.feed(rounds, COUNTED_RATE[kind])[3]
        pair.stop()
        if lost > 0:
            raise Skip(f"{kind.name} under callgrind loses {lost:.1%}")
        found.append(instructions(out))
    few, many = COUNTED[kind]
    return (found[1] - found[0]) / ((many - few) * FILES)


def drained(tools, kind, journal=False):
    """The medians of what feed() says of some runs, and what a file costs."""
    runs, made = [], []
    for _ in range(FRESH):
        pair = Pair(tools, kind, "rrdcached", journal=journal)
        made.append(pair.make_files())
        runs.append(pair.feed(ROUNDS[kind]))
        pair.stop()
    return [median(figures) for figures in zip(*runs)], [median(each) for each in zip(*made)]


def limit(tools):
    """The same figures of the client that has nothing to do."""
    runs = []
    for _ in range(FRESH):
        pair = Pair(tools, Ours, "rrdcached-limit")
        pair.make_files()
        pair.daemon.stop()
        cpu = used(pair.cache.process)
        run = tools.figures("bench_rrdcached", "-h", HOSTS, "-n", ROUNDS[Ours],
                            "-t", pair.begin, "-b", pair.cache.base, pair.cache.socket)
        runs.append((run["values"] / run["seconds"], run["cpu"] / run["values"],
                     (used(pair.cache.process) - cpu) / run["values"]))
        pair.cache.stop()
    return [median(figures) for figures in zip(*runs)]


def measure(tools, kind, say, journal=False):
    """All figures of one collector; the same work for both, but that collectd
    has fewer rounds."""
    ours = kind is Ours
    say(f"rrdcached: {kind.name}{' with its journal' if journal else ''}, {FILES:,} files")
    figures = {}
    figures["drained"], figures["created"] = drained(tools, kind, journal)
    pair = Pair(tools, kind, "rrdcached", journal=journal)
    pair.make_files()
    if ours:
        say("rrdcached: 600,000/s")
        figures["sustained"] = pair.feed(SUSTAINED, 600_000)
    say(f"rrdcached: {kind.name}, system calls")
    figures["calls"] = pair.calls(20 if ours else 4, 400_000 if ours else 5_000)
    say(f"rrdcached: {kind.name}, a stall")
    figures["stall"] = pair.stall(50 if tools.long else 20, 50_000)
    pair.stop()
    say(f"rrdcached: {kind.name}, callgrind")
    figures["instructions"] = count(tools, kind, journal)
    return figures


def disk(tools, kinds, say):
    """Bytes that a collector and its rrdcached write to disk per update, all of
    them at once in real time.  The short form is ten times faster, the kernel's
    writing back of pages (30 s) included."""
    hosts, interval, wait = (158, 10, "300") if tools.long else (16, 1, "30")
    rounds, values = 60, hosts * METRICS
    pairs = [Pair(tools, kind, "rrdcached-disk", options="", rules=("-w", wait, "-z", wait))
             for kind in kinds]
    for pair in pairs:
        pair.begin = int(time.time())
        pair.make_files(hosts)
    os.sync()

    def written(pair):
        return pair.daemon.process.written() + pair.cache.process.written()

    before = [written(pair) for pair in pairs]
    say(f"rrdcached: {rounds * interval} s of updates of {values:,} files")
    with ThreadPoolExecutor(len(pairs)) as pool:
        tasks = [pool.submit(pair.send, rounds, values / interval, hosts, interval)
                 for pair in pairs]
        while not tools.long and not all(task.done() for task in tasks):
            time.sleep(3)
            os.sync()
        for task in tasks:
            task.result()
    for pair in pairs:
        pair.cache.wait("UpdatesReceived", (rounds + 1) * values)
        pair.cache.ask("FLUSHALL")
        pair.cache.process.settle(100)
    os.sync()
    found = [(written(pair) - was) / (rounds * values) for pair, was in zip(pairs, before)]
    for pair in pairs:
        pair.stop()
    return found + [None]


def rrdcached(tools, report, say):
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    ours, peer = ([measure(tools, kind, say) for kind in kinds] + [None])[:2]
    def show(name, ours, peer=None):
        def line(unit, figure, scale=1, **goal):
            report.line(name, figure(ours) * scale, unit,
                        figure(peer) * scale if peer else None, **goal)

        line("updates/s", lambda f: f["drained"][0], least=800_000)
        line("% lost at that rate", lambda f: f["drained"][3], 100)
        line("CPU us/update", lambda f: f["drained"][1], 1e6, most=1.0)
        line("and of rrdcached", lambda f: f["drained"][2], 1e6, most=0.6)
        report.line(name, ours["sustained"][3] * 100, "% lost at 600,000/s", most=0)
        report.line(name, ours["sustained"][4] * 1e3, "ms behind at the end", most=100)
        line("instructions/update", lambda f: f["instructions"], most=1400)
        line("system calls/update", lambda f: f["calls"], most=0.05)
        line("MiB in a stall", lambda f: f["stall"],
             **({"most": 16} if "journal" in name else {}))

    show("rrdcached", ours, peer)
    bytes_ours, bytes_theirs = disk(tools, kinds, say)[:2]
    report.line("rrdcached", bytes_ours, "disk bytes/update", bytes_theirs,
                most=bytes_theirs * NOISE if bytes_theirs else None)
    for i, whose in enumerate(("CPU us/new file", "and of rrdcached")):
        report.line("rrdcached", ours["created"][i] * 1e6, whose,
                    peer["created"][i] * 1e6 if peer else None)
    show("rrdcached+journal", measure(tools, Ours, say, journal=True))
    for figure, unit in zip(limit(tools), ("updates/s", "CPU us/update", "and of rrdcached")):
        report.line("rrdcached-limit", figure * (1 if unit == "updates/s" else 1e6), unit)
