# SPDX-License-Identifier: MIT
"""All plugins that read something small of this host, each second, and the
memory of a daemon with every host plugin, beside collectd with the same."""
import json
import os
import subprocess
import time

from collectors import COLLECTD_PLUGINS, Ours, both
from host import watch

SMALL = """battery buddyinfo conntrack contextswitch cpu cpufreq df disk entropy fhcount hugepages
interface ipc irq load md memory nfs numa protocols sensors swap tcpconns thermal uptime users vmem
wireless""".split()
LARGE = "ethstat exec filecount processes table tail".split()
OURS = "cgroups ksm pressure".split()  # Of collectd's cgroups only version 1.
TCPCONNS = "<Plugin tcpconns>\n  ListeningPorts false\n  LocalPort \"22\"\n</Plugin>\n"


def config(plugins):
    shared = [plugin for plugin in plugins
              if os.path.exists(os.path.join(COLLECTD_PLUGINS, plugin + ".so"))]
    return "".join(f"LoadPlugin {plugin}\n" for plugin in shared or plugins) + TCPCONNS


def costs(tools, daemon):
    """Microseconds of CPU of a read, by plugin."""
    status = json.loads(subprocess.run(
        [tools.program("collectorctl"), "-s", daemon.socket, "--json", "status"],
        stdout=subprocess.PIPE, check=True).stdout)
    return {reader["name"]: reader["cpu_ns"] / reader["reads"] / 1000
            for reader in status["readers"] if reader["reads"] > 0}


def readers(tools, report, say):
    """Both daemons run side by side."""
    def line(name, figures, unit, most=None):
        report.line(name, figures[0], unit, figures[1] if len(figures) > 1 else None, most=most)

    say("readers: 30 s of CPU")
    daemons = both(lambda kind: kind(tools, "readers", config(SMALL), interval=1))
    time.sleep(3)
    spent = watch(daemons, 30)
    values = [daemon.values() for daemon in daemons]
    for daemon in daemons:
        daemon.stop()
    line("readers", [cpu * 1000 / n for (cpu, _), n in zip(spent, values)], "CPU us/value", 3)
    line("readers", [switches for _, switches in spent], "switches/interval")
    line("readers", values, "values")

    say("readers: each plugin of ours")
    daemon = Ours(tools, "costs", "".join(
        f"LoadPlugin {plugin}\n" for plugin in SMALL + LARGE + OURS) + TCPCONNS, interval=1)
    time.sleep(20)
    each = costs(tools, daemon)
    daemon.stop()
    for name in sorted(set(each) & set(SMALL + LARGE + OURS)):
        report.line("readers-" + name, each[name], "CPU us/read")


def footprint(tools, report, say):
    """Every plugin that measures this host, and exec."""
    say("footprint: 10 s")
    daemons = both(lambda kind: kind(tools, "footprint", config(SMALL + LARGE), interval=1))
    time.sleep(10)
    for what, unit in (("Rss", "MiB resident"), ("Pss", "MiB proportional"),
                       ("Private_Dirty", "MiB private dirty")):
        figures = [daemon.process.memory(what) for daemon in daemons]
        report.line("footprint", figures[0], unit, *figures[1:], most=(figures[1:] or [None])[0])
    threads = [daemon.process.threads() for daemon in daemons]
    report.line("footprint", threads[0], "threads", *threads[1:])
    for daemon in daemons:
        daemon.stop()
