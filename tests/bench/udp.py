# SPDX-License-Identifier: MIT
"""collectd's binary protocol over UDP, in and nowhere, and in and out."""
import os
import socket
import time

from collectors import COLLECTD, Ours, Peer
from process import text
from tools import Skip, instructions, median, valgrind

HOSTS, METRICS = 500, 20
FEW, MANY = 2, 10  # Rounds of the two runs whose difference counts.
ROUNDS = 100       # Of what is timed.


class Feed:
    """A daemon that listens, and sends what it gets to a socket that nobody
    reads, if 'out'."""
    def __init__(self, tools, kind, out, before=()):
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
''', before=before)
        for _ in range(200):
            if self.sockets():
                return
            time.sleep(0.05)
        raise Skip(f"{kind.name} does not listen")

    def sockets(self):
        """The lines of its socket in proc(5)."""
        return [line for line in text("/proc/net/udp").splitlines()[1:]
                if line.split()[1].endswith(f":{self.port:04X}")]

    def send(self, rounds, begin):
        """Returns how many values were sent, and lost."""
        fed = self.tools.figures("bench_udp", "-h", HOSTS, "-n", rounds, "-t", begin, self.port)
        self.daemon.process.settle()
        drops = sum(int(line.split()[-1]) for line in self.sockets())
        if drops > 0:
            raise Skip(f"{drops} packets were dropped")
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


def timed(tools, kind, out):
    """Millions of values per second of one core's time."""
    feed = Feed(tools, kind, out)
    begin = int(time.time())
    try:
        feed.send(1, begin)  # The series are made.
        rates = []
        for turn in range(5):
            cpu = feed.daemon.process.cpu()
            values = feed.send(ROUNDS // 5, begin + 10 + turn * 10 * ROUNDS // 5)
            rates.append(values / (feed.daemon.process.cpu() - cpu) / 1e6)
    finally:
        feed.stop()
    return median(rates)


def udp(tools, report, say):
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    for name, out, most, least in (("udp-in", False, 800, 2.5), ("udp-in-out", True, 1000, 1.5)):
        say(f"{name}: callgrind")
        costs = [count(tools, kind, out) for kind in kinds] + [None]
        report.line(name, costs[0], "instructions/value", costs[1], most=most)
        say(f"{name}: time")
        rates = [timed(tools, kind, out) for kind in kinds] + [None]
        report.line(name, rates[0], "M values/s per core", rates[1], least=least)
