# SPDX-License-Identifier: MIT
"""PUTVAL over the unix socket, to no writer: the whole daemon under load."""
import os
import time

from collectors import COLLECTD, Ours, Peer
from tools import instructions, median, together, valgrind

HOSTS, METRICS = 200, 20
FEW, MANY = 2, 12  # Rounds of the two runs whose difference counts.


def kinds():
    return [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])


def feed(tools, daemon, rounds, begin, *options):
    return tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", begin, *options,
                         daemon.socket)


def count(tools, kind, rounds):
    out = os.path.join(tools.folder, f"callgrind.putval.{kind.name}.{rounds}")
    daemon = kind(tools, f"putval-{rounds}", "", before=valgrind(out))
    feed(tools, daemon, rounds, int(time.time()) - 1000)
    daemon.process.settle()
    daemon.stop()
    return instructions(out)


def timed(tools, kind, rounds):
    """CPU ns and context switches per value of a paced and of an eager feed."""
    daemon = kind(tools, "putval", "")
    begin = int(time.time()) - 2000
    feed(tools, daemon, 1, begin)
    figures = {}
    for name, options in (("paced", ("-r", 50_000)), ("eager", ())):
        begin += 500
        daemon.process.settle()
        cpu, switches = daemon.process.cpu(), daemon.process.switches()
        run = feed(tools, daemon, rounds, begin, *options)
        daemon.process.settle()
        figures[name] = ((daemon.process.cpu() - cpu) * 1e9 / run["values"],
                         (daemon.process.switches() - switches) / run["values"])
    daemon.stop()
    return figures


def by_series(tools, say):
    """CPU ns per value with a thousand and with a million series, in turns."""
    forms = (50, 1000), (50_000, 1)  # Hosts, and rounds that make a million.
    daemons = [Ours(tools, f"putval-{hosts}", "") for hosts, _ in forms]
    costs = [], []
    begin = int(time.time()) - 80_000
    for turn in range(6):
        for daemon, (hosts, rounds), cost in zip(daemons, forms, costs):
            say(f"putval: {hosts * METRICS:,} series, {turn} of 5")
            cpu = daemon.process.cpu()
            fed = tools.figures("bench_putval", "-h", hosts, "-n", rounds, "-w", METRICS,
                                "-t", begin + turn * 12_000, daemon.socket)
            daemon.process.settle()
            cost.append((daemon.process.cpu() - cpu) * 1e9 / fed["values"])
    for daemon in daemons:
        daemon.stop()
    return [median(cost[1:]) for cost in costs]  # The first made the series.


def putval(tools, report, say):
    say("putval: callgrind")
    counts = together([lambda kind=kind, rounds=rounds: count(tools, kind, rounds)
                       for kind in kinds() for rounds in (FEW, MANY)])
    values = (MANY - FEW) * HOSTS * METRICS
    each = [(most - least) / values for least, most in zip(counts[::2], counts[1::2])] + [None]
    report.line("putval", each[0], "instructions/value", each[1], most=1400)
    costs = []
    for kind in kinds():
        say(f"putval: {kind.name}, 8 s")
        costs.append(timed(tools, kind, 50))
    for name in ("eager", "paced"):
        peer = costs[1][name] if len(costs) > 1 else (None, None)
        report.line(f"putval-{name}", costs[0][name][0], "CPU ns/value", peer[0])
        report.line(f"putval-{name}", costs[0][name][1], "switches/value", peer[1])
    few, many = by_series(tools, say)
    report.line("putval-1k", few, "CPU ns/value")
    report.line("putval-1M", many, "CPU ns/value")
    report.line("putval-1M/1k", many / few, "times the CPU", most=1.5)
