# SPDX-License-Identifier: MIT
"""What the plugins that watch for others cost while nothing happens, beside the plain daemon: outlier and migration a value,
noisy_neighbour a virtual CPU and interval, the recorder a value that it reads ten times a second."""
import json
import os
import shutil
import subprocess
import time

from aggregation import TYPES, calls_into
from collectors import Ours
from tools import Skip, instructions, need, together, valgrind

HOSTS, METRICS = 50, 20
SHORT, LONG = 6, 16  # Rounds, or seconds, of the two runs whose difference counts.
GUESTS, CPUS = 10, 2
OUTLIER = "LoadPlugin outlier\n<Plugin outlier>\n  StateFile \"\"\n" + "".join(f"""  <Match "{name}">
    Type "{name}"
    Learn 20
    Settle 0
  </Match>
""" for name in TYPES) + "</Plugin>\n"
MIGRATION = 'LoadPlugin migration\n<Plugin migration>\n  StateFile ""\n</Plugin>\n'
NEIGHBOUR = "LoadPlugin noisy_neighbour\n<Plugin noisy_neighbour>\n  WarningMax 100\n</Plugin>\n"
READERS = "".join(f"LoadPlugin {name}\n" for name in "contextswitch cpu disk interface load memory swap vmem".split())
RECORDER = "LoadPlugin recorder\n<Plugin recorder>\n  Interval 0.1\n</Plugin>\n"


def start(tools, tag, config):
    out = os.path.join(tools.folder, f"callgrind.{tag}")
    return out, Ours(tools, tag, config, interval=1, before=[*valgrind(out), "--compress-strings=no", "--compress-pos=no"])


def put(tools, name, config, rounds):
    """Values that come by PUTVAL; a judge's instructions, or those of all."""
    out, daemon = start(tools, f"quiet-{name}-{rounds}", config)
    tools.figures("bench_putval", "-h", HOSTS, "-n", rounds, "-t", int(time.time()) - 1000, daemon.socket)
    daemon.process.settle()
    daemon.stop()
    return calls_into(out, f"/{name}.so") if config else instructions(out)


def watch(tools, name, config, seconds):
    """Of a daemon that measures for a while: instructions of the plugin, or of all; how often it was read; values of a recorder."""
    out, daemon = start(tools, f"quiet-{name}-{seconds}", config)
    time.sleep(seconds)
    status = subprocess.run([tools.program("collectorctl"), "-s", daemon.socket, "--json", "status"], stdout=subprocess.PIPE, check=True)
    readers = json.loads(status.stdout)["readers"]
    daemon.stop()
    spent = calls_into(out, f"/{name}.so") if name == "noisy_neighbour" else instructions(out)
    return spent, seconds, sum(one["values"] for one in readers if one["name"].endswith(".recorder"))


def guests():
    if shutil.which("qemu-system-x86_64") is None:
        raise Skip("there is no qemu-system-x86_64")
    return [subprocess.Popen(["qemu-system-x86_64", "-S", "-name", f"guest=quiet{number},debug-threads=on", "-machine", "pc", "-accel",
                              "tcg,thread=multi,tb-size=1", "-smp", str(CPUS), "-m", "16", "-nodefaults", "-display", "none"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(GUESTS)]


def judges(tools, report, say):
    values = (LONG - SHORT) * HOSTS * METRICS
    for name, config in (("plain", ""), ("outlier", OUTLIER), ("migration", MIGRATION)):
        say(f"quiet: {name}, callgrind")
        least, most = together([lambda c=config, n=name: put(tools, n, c, SHORT), lambda c=config, n=name: put(tools, n, c, LONG)])
        report.line(f"quiet, {name}", (most - least) / values, "instructions/value")


def quiet(tools, report, say):
    """Judges, then what reads this host."""
    need("valgrind")
    judges(tools, report, say)
    say("quiet: recorder, callgrind")
    plain, recorded = ([watch(tools, name, config, seconds) for seconds in (SHORT, LONG)]
                       for name, config in (("host", READERS), ("recorder", READERS + RECORDER)))
    usual, more = ((long[0] - short[0]) / (LONG - SHORT) for short, long in (plain, recorded))
    report.line("quiet, this host", usual, "instructions/s")
    report.line("quiet, recorder", more - usual, "instructions/s")
    report.line("quiet, recorder", (more - usual) * (LONG - SHORT) / (recorded[1][2] - recorded[0][2]), "instructions/value")
    running = guests()
    try:
        time.sleep(3)
        say("quiet: noisy_neighbour, callgrind")
        short, long = together([lambda s=s: watch(tools, "noisy_neighbour", NEIGHBOUR, s) for s in (SHORT, LONG)])
        report.line("quiet, noisy_neighbour", (long[0] - short[0]) / (LONG - SHORT) / (GUESTS * CPUS), "instructions/CPU and s")
    finally:
        for one in running:
            one.kill()
            one.wait()
