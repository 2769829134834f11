# SPDX-License-Identifier: MIT
"""collectd's binary protocol over UDP, in and nowhere, and in and out."""
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from collectors import COLLECTD, Ours, Peer
from process import text
from tools import Skip, instructions, median, valgrind

HOSTS, METRICS = 500, 20
FLEET = 10_000     # Hosts of seed 004: 20 values each in 10 s.
BURST = 42_000     # Its messages in a second, of one value each.
FEW, MANY = 2, 10  # Rounds of the two runs whose difference counts.
ROUNDS = 100       # Of what is timed.


class Feed:
    """A daemon that listens, and sends what it gets to a socket that nobody
    reads, if 'out'; 'more' is the rest of its configuration."""
    def __init__(self, tools, kind, out, before=(), more=""):
        self.tools = tools
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind(("127.0.0.1", 0))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        server = f'  Server "127.0.0.1" "{self.sink.getsockname()[1]}"\n  Forward true\n'
        self.daemon = kind(tools, "udp", f'''LoadPlugin network
<Plugin network>
  Listen "127.0.0.1" "{self.port}"
{server if out else ""}</Plugin>
{more}''', before=before)
        for _ in range(200):
            if self.sockets():
                return
            time.sleep(0.05)
        raise Skip(f"{kind.name} does not listen")

    def sockets(self):
        """The lines of its socket in proc(5)."""
        return [line for line in text("/proc/net/udp").splitlines()[1:]
                if line.split()[1].endswith(f":{self.port:04X}")]

    def feed(self, *options):
        return self.tools.figures("bench_udp", *options, self.port)

    def drops(self):
        return sum(int(line.split()[-1]) for line in self.sockets())

    def send(self, rounds, begin, hosts=HOSTS):
        """Returns how many values were sent; none is lost."""
        fed = self.feed("-h", hosts, "-n", rounds, "-t", begin)
        self.daemon.process.settle()
        if self.drops() > 0:
            raise Skip(f"{self.drops()} packets were dropped")
        return fed["values"]

    def stop(self):
        self.daemon.stop()
        self.sink.close()


def count(tools, kind, out):
    """Instructions per value."""
    seen = []
    for rounds in (FEW, MANY):
        log = os.path.join(tools.folder, f"callgrind.udp.{kind.name}.{rounds}")
        feed = Feed(tools, kind, out, valgrind(log))
        try:
            feed.send(rounds, int(time.time()))
        finally:
            feed.stop()
        seen.append(instructions(log))
    return (seen[1] - seen[0]) / ((MANY - FEW) * HOSTS * METRICS)


def timed(tools, kind, out, hosts=HOSTS):
    """Millions of values per second of one core's time."""
    feed = Feed(tools, kind, out)
    begin = int(time.time())
    rounds = max(1, ROUNDS // 5 * HOSTS // hosts)
    try:
        feed.send(1, begin, hosts)  # The series are made.
        rates = []
        for turn in range(5):
            cpu = feed.daemon.process.cpu()
            values = feed.send(rounds, begin + 10 + turn * 10 * rounds, hosts)
            rates.append(values / (feed.daemon.process.cpu() - cpu) / 1e6)
    finally:
        feed.stop()
    return median(rates)


def fleet(tools, kind):
    """Ten thousand senders, each with an address of its own, for 20 s, and a
    burst in each half; then all of them at once.  Nobody waits for the receiver.
    Returns its share of a core, and packets lost of both."""
    feed = Feed(tools, kind, False)
    process = feed.daemon.process
    begin = int(time.time()) - 60
    try:
        feed.send(1, begin, FLEET)  # The series are made.
        feed.feed("-m", "-o", FLEET, "-h", BURST // METRICS, "-n", 1, "-t", begin)
        process.settle()
        before, cpu, start = feed.drops(), process.cpu(), time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            steady = pool.submit(feed.feed, "-a", "-f", "-h", FLEET, "-n", 2, "-t", begin + 10,
                                 "-r", FLEET * METRICS // 10)
            for turn in (1, 2):
                time.sleep(5)
                feed.feed("-a", "-f", "-m", "-o", FLEET, "-h", BURST // METRICS, "-n", 1,
                          "-r", BURST, "-t", begin + 10 * turn)
            steady.result()
        share = 100 * (process.cpu() - cpu) / (time.monotonic() - start)
        process.settle()
        lost, before = feed.drops() - before, feed.drops()
        feed.feed("-a", "-f", "-h", FLEET, "-n", 1, "-t", begin + 40)
        process.settle()
        return share, lost, feed.drops() - before
    finally:
        feed.stop()


def udp(tools, report, say):
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    for name, out, most, least in (("udp-in", False, 800, 2.5), ("udp-in-out", True, 1000, 1.5)):
        say(f"{name}: callgrind")
        costs = [count(tools, kind, out) for kind in kinds] + [None]
        report.line(name, costs[0], "instructions/value", costs[1], most=most)
        say(f"{name}: time")
        rates = [timed(tools, kind, out) for kind in kinds] + [None]
        report.line(name, rates[0], "M values/s per core", rates[1], least=least)
    say("udp-in: time, 200,000 series")
    rates = [timed(tools, kind, False, FLEET) for kind in kinds] + [None]
    report.line("udp-in-200k", rates[0], "M values/s per core", rates[1], least=2.5)
    say("udp-fleet")
    ours, theirs = ([fleet(tools, kind) for kind in kinds] + [[None] * 3])[:2]
    report.line("udp-fleet", ours[0], "% of a core", theirs[0], most=20)
    report.line("udp-fleet", ours[1], "packets lost", theirs[1], most=0)
    report.line("udp-fleet-at-once", ours[2], "packets lost", theirs[2], most=0)
