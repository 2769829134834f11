# SPDX-License-Identifier: MIT
"""Lines of statsd over UDP, to no writer: what each costs before it is a value."""
import os
import socket
import time

from collectors import COLLECTD, Ours, Peer
from process import text
from tools import Skip, instructions, together, valgrind

NAMES = 1000          # Metrics: half counters, the others gauges and timers.
FEW, MANY = 5, 45     # Rounds of the two runs whose difference counts.
ROUNDS = 500          # Of what is timed.
PACKET_SIZE = 1400
QUEUE_MAX = 60_000    # Bytes that may wait at the receiver.


def packets():
    """A round: a line of each metric."""
    lines, size = [], 0
    for n in range(NAMES):
        kind = ("c", "g", "c|@0.5", "ms")[n % 4]
        line = f"site.service{n % 40}.requests{n}:{n % 97 + 1}|{kind}"
        if size + len(line) + 1 > PACKET_SIZE:
            yield "\n".join(lines).encode()
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    yield "\n".join(lines).encode()


class Feed:
    def __init__(self, tools, kind, tag, before=()):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        # No read falls into the time that is measured.
        self.daemon = kind(tools, tag, f'LoadPlugin statsd\n<Plugin statsd>\n  Host "127.0.0.1"\n'
                           f'  Port "{self.port}"\n</Plugin>\n', interval=3600, before=before)
        end = time.monotonic() + 20
        while not self.state():
            if time.monotonic() > end:
                raise Skip(f"{kind.name} does not listen")
            time.sleep(0.05)

    def state(self):
        """The line of its socket in proc(5)."""
        for line in text("/proc/net/udp").splitlines()[1:]:
            if line.split()[1].endswith(f":{self.port:04X}"):
                return line.split()
        return None

    def send(self, rounds):
        """Returns how many lines were sent; none is lost."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            for _ in range(rounds):
                for number, packet in enumerate(packets()):
                    while number % 16 == 0 and int(self.state()[4].split(":")[1], 16) > QUEUE_MAX:
                        time.sleep(0.001)
                    out.sendto(packet, ("127.0.0.1", self.port))
        self.daemon.process.settle()
        if int(self.state()[-1]) > 0:
            raise Skip("packets were dropped")
        return rounds * NAMES


def kinds():
    return [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])


def count(tools, kind, rounds):
    out = os.path.join(tools.folder, f"callgrind.statsd.{kind.name}.{rounds}")
    feed = Feed(tools, kind, f"statsd-{rounds}", valgrind(out))
    try:
        feed.send(rounds)
    finally:
        feed.daemon.stop()
    return instructions(out)


def timed(tools, kind):
    """CPU ns of a line."""
    feed = Feed(tools, kind, "statsd")
    try:
        feed.send(1)
        cpu = feed.daemon.process.cpu()
        lines = feed.send(ROUNDS)
        return (feed.daemon.process.cpu() - cpu) * 1e9 / lines
    finally:
        feed.daemon.stop()


def statsd(tools, report, say):
    say("statsd: callgrind")
    counts = together([lambda kind=kind, rounds=rounds: count(tools, kind, rounds)
                       for kind in kinds() for rounds in (FEW, MANY)])
    lines = (MANY - FEW) * NAMES
    each = [(most - least) / lines for least, most in zip(counts[::2], counts[1::2])] + [None]
    report.line("statsd", each[0], "instructions/line", each[1])
    costs = []
    for kind in kinds():
        say(f"statsd: {kind.name}")
        costs.append(timed(tools, kind))
    report.line("statsd", costs[0], "CPU ns/line", (costs + [None])[1])
