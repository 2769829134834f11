# SPDX-License-Identifier: MIT
"""The plugins that measure this host, each second, beside collectd's."""
import os
import time

from collectors import COLLECTD, Ours, Peer, both
from tools import instructions, need, together, valgrind

PLUGINS = "cpu memory load interface disk df swap uptime users".split()
CONFIG = "".join(f"LoadPlugin {plugin}\n" for plugin in PLUGINS)
SHORT, LONG = 4, 24  # Seconds of the two runs whose difference counts.


def count(tools, kind, seconds):
    out = os.path.join(tools.folder, f"callgrind.host.{kind.name}.{seconds}")
    daemon = kind(tools, f"host-{seconds}", CONFIG, interval=1, before=valgrind(out))
    time.sleep(seconds)
    daemon.stop()
    return instructions(out)


def watch(daemons, seconds):
    """CPU ms and context switches per second, from one and the same span."""
    before = [(d.process.cpu(), d.process.switches()) for d in daemons]
    time.sleep(seconds)
    return [((d.process.cpu() - cpu) * 1000 / seconds, (d.process.switches() - n) / seconds)
            for d, (cpu, n) in zip(daemons, before)]


def host(tools, report, say):
    """Figures are per interval of 1 s; both daemons run side by side."""
    need("strace")
    daemons = both(lambda kind: kind(tools, "host", CONFIG, interval=1))
    say("host: 30 s of CPU and context switches")
    time.sleep(3)
    spent = watch(daemons, 30)
    memory = [(d.process.memory("Private_Dirty"), d.process.memory("Rss"), d.process.threads())
              for d in daemons]
    values = [d.values() for d in daemons]
    say("host: 10 s of system calls")
    calls = together([lambda d=d: d.process.system_calls(10) for d in daemons])
    for daemon in daemons:
        daemon.stop()
    say("host: callgrind")
    counts = together([lambda kind=kind, seconds=seconds: count(tools, kind, seconds)
                       for kind in (Ours, Peer)[:len(daemons)] for seconds in (SHORT, LONG)])
    each = [(most - least) / (LONG - SHORT) for least, most in zip(counts[::2], counts[1::2])]

    def line(name, figures, unit, most=None):
        report.line(name, figures[0], unit, figures[1] if len(figures) > 1 else None, most=most)
    line("host", [cpu for cpu, _ in spent], "CPU ms/interval", 0.3)
    line("host", [cpu * 1000 / n for (cpu, _), n in zip(spent, values)], "CPU us/value", 3)
    line("host", each, "instructions/interval", 150_000)
    line("host", calls, "system calls/interval", 100)
    line("host", [n for _, n in spent], "switches/interval", 5)
    line("host", [dirty for dirty, _, _ in memory], "MiB private dirty", 0.9)
    line("host", [resident for _, resident, _ in memory], "MiB resident", 3.8)
    line("host", [threads for _, _, threads in memory], "threads", 12)
    line("host", values, "values")
