# SPDX-License-Identifier: MIT
"""The plugin aggregation beside collectd's: 1,000 series into 8."""
import os
import time

from collectors import COLLECTD, Ours, Peer
from tools import need, together, valgrind

HOSTS, METRICS = 50, 20
SHORT, LONG = 4, 14  # Rounds of the two runs whose difference counts.
TYPES = {"cpu": "", "memory": "", "df_complex": "", "swap": 'GroupBy "TypeInstance"',
         "swap_io": "", "entropy": ""}  # All that there are: eight aggregates.
CONFIG = "LoadPlugin aggregation\n<Plugin aggregation>\n" + "".join(
    f"""<Aggregation>
  Type "{name}"
  {group}
  CalculateSum true
</Aggregation>
""" for name, group in TYPES.items()) + "</Plugin>\n"


class AggregatingPeer(Peer):
    """It writes to nothing but to the plugin."""
    extra = """PostCacheChain "Members"
<Chain "Members">
  <Target "write">
    Plugin "aggregation"
  </Target>
</Chain>
"""


def calls_into(path, library):
    """Instructions of all calls from elsewhere into a library, with what it calls."""
    total, here, callee, is_call = 0, "", None, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if is_call:  # The line behind "calls=" has what they cost.
                if library in (callee or here) and library not in here:
                    total += int(line.split()[1])
                callee, is_call = None, False
            elif key == "ob":
                here = value
            elif key == "cob":
                callee = value
            elif key == "calls":
                is_call = True
    return total


def count(tools, kind, rounds):
    """A round is 1,000 values in a second, which is also the interval."""
    out = os.path.join(tools.folder, f"callgrind.aggregation.{kind.name}.{rounds}")
    daemon = kind(tools, f"aggregation-{rounds}", CONFIG, interval=1,
                  before=[*valgrind(out), "--compress-strings=no", "--compress-pos=no"])
    tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-i", 1, "-r", HOSTS * METRICS,
                  "-t", int(time.time()) - 1, daemon.socket)
    daemon.process.settle()
    daemon.stop()
    return calls_into(out, "/aggregation.so")


def aggregation(tools, report, say):
    """A value that is aggregated: all that the plugin does, in write() and read()."""
    need("valgrind")
    say("aggregation: callgrind")
    values = (LONG - SHORT) * HOSTS * METRICS

    def each(kind):
        least, most = together([lambda: count(tools, kind, SHORT),
                                lambda: count(tools, kind, LONG)])
        return (most - least) / values
    report.line("aggregation", each(Ours), "instructions/value",
                each(AggregatingPeer) if os.path.exists(COLLECTD) else None, most=40)
