# SPDX-License-Identifier: MIT
"""The plugin threshold beside collectd's: values with a rule, and without."""
import os
import time

from aggregation import TYPES, calls_into
from collectors import COLLECTD, Ours, Peer
from tools import need, together, valgrind

HOSTS, METRICS = 50, 20
SHORT, LONG = 4, 14  # Rounds of the two runs whose difference counts.


class JudgedPeer(Peer):
    """It writes to nothing but to the plugin."""
    extra = """PostCacheChain "Judged"
<Chain "Judged">
  <Target "write">
    Plugin "threshold"
  </Target>
</Chain>
"""


def config(types):
    """Bounds that no value reaches."""
    rules = "".join(f"""<Type "{name}">
  WarningMin -1000000000000
  WarningMax 1000000000000
  Hysteresis 1
</Type>
""" for name in types)
    return f"LoadPlugin threshold\n<Plugin threshold>\n{rules}</Plugin>\n"


def count(tools, kind, types, rounds):
    tag = f"threshold-{len(types)}-{rounds}"
    out = os.path.join(tools.folder, f"callgrind.{tag}.{kind.name}")
    daemon = kind(tools, tag, config(types), before=[*valgrind(out), "--compress-strings=no", "--compress-pos=no"])
    tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", int(time.time()) - 1000, daemon.socket)
    daemon.process.settle()
    daemon.stop()
    return calls_into(out, "/threshold.so")


def threshold(tools, report, say):
    """All that the plugin does, per value."""
    need("valgrind")
    values = (LONG - SHORT) * HOSTS * METRICS

    def each(kind, types):
        least, most = together([lambda: count(tools, kind, types, SHORT), lambda: count(tools, kind, types, LONG)])
        return (most - least) / values
    for name, types, goal in (("with a rule", list(TYPES), 60), ("without a rule", ["users"], 10)):
        say(f"threshold: {name}, callgrind")
        report.line(f"threshold, {name}", each(Ours, types), "instructions/value",
                    each(JudgedPeer, types) if os.path.exists(COLLECTD) else None, most=goal)
