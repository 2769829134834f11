# SPDX-License-Identifier: MIT
"""Filter chains: what they add to a value that comes by PUTVAL."""
import os
import time

from collectors import COLLECTD, Ours, Peer
from tools import instructions, together, valgrind

HOSTS, METRICS = 200, 20
FEW, MANY = 2, 12  # Rounds of the two runs whose difference counts.

REGEX = "LoadPlugin match_regex\n<Chain \"PreCache\">\n" + "".join(f"""  <Rule "{i}">
    <Match "regex">
      Host "^other{i}"
      Plugin "^(cpu|memory|swap)$"
    </Match>
    Target "stop"
  </Rule>
""" for i in range(8)) + "</Chain>\n"
VALUE = """LoadPlugin match_timediff
<Chain "PreCache">
  <Rule>
    <Match "timediff">
      Future 86400
    </Match>
    Target "stop"
  </Rule>
</Chain>
"""


def kinds():
    return [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])


def count(tools, kind, name, config, rounds):
    out = os.path.join(tools.folder, f"callgrind.{name}.{kind.name}.{rounds}")
    daemon = kind(tools, f"{name}-{rounds}", config, before=valgrind(out))
    tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", int(time.time()) - 1000,
                  daemon.socket)
    daemon.process.settle()
    daemon.stop()
    return instructions(out)


def chain(tools, report, say):
    """Eight rules that match nothing, and one that looks at each value."""
    configs = {"chain-none": "", "chain-regex": REGEX, "chain-each": VALUE}
    say("chain: callgrind")
    jobs = [(kind, name, rounds) for kind in kinds() for name in configs for rounds in (FEW, MANY)]
    counts = together([lambda job=job: count(tools, job[0], job[1], configs[job[1]], job[2])
                       for job in jobs])
    values = (MANY - FEW) * HOSTS * METRICS
    each = {}
    for (kind, name, _), least, most in zip(jobs[::2], counts[::2], counts[1::2]):
        each[kind, name] = (most - least) / values
    def more(kind, name):
        found = each.get((kind, name))
        return None if found is None else found - each[kind, "chain-none"]
    report.line("chain-regex", more(Ours, "chain-regex"), "instructions/value more",
                more(Peer, "chain-regex"), most=5)
    report.line("chain-each", more(Ours, "chain-each"), "instructions/value more",
                more(Peer, "chain-each"))
