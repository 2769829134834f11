# SPDX-License-Identifier: MIT
"""The plugin processes beside collectd's, with many processes on the machine."""
import os
import signal
import subprocess
import time

from collectors import Ours, Peer, both
from tools import instructions, need, together, valgrind

FEW, MANY, LONG_MANY = 300, 2000, 10000
GROUPS = 20  # Half of them by name, half by command line: ten processes each.
FIRST = 1_000_000  # Seconds that the first of the processes sleeps.
SHORT, LONG = 4, 14  # Seconds of the two runs whose difference counts.
MATCHES = "".join(
    [f"Process \"sleep{n}\"\n" for n in range(GROUPS // 2)] +
    [f"ProcessMatch \"group{n}\" \"sleep {(FIRST + 10 * n) // 10}.$\"\n" for n in range(GROUPS // 2)])
CONFIG = "LoadPlugin processes\n<Plugin processes>\n" + MATCHES + "</Plugin>\n"


class Sleepers:
    """Processes that do nothing, in a group of their own."""

    def __init__(self, count):
        # One shell starts them: it is small, so its forks are cheap.
        self.shell = subprocess.Popen(
            ["sh", "-c", f"n={FIRST}; while [ $n -lt {FIRST + count} ]; do sleep $n & n=$((n+1)); done; "
             "echo; wait"], stdout=subprocess.PIPE, start_new_session=True)
        self.shell.stdout.readline()
        self.total = sum(name.isdigit() for name in os.listdir("/proc"))

    def stop(self):
        os.killpg(self.shell.pid, signal.SIGKILL)
        self.shell.wait()


def count(tools, kind, seconds):
    out = os.path.join(tools.folder, f"callgrind.processes.{kind.name}.{seconds}")
    daemon = kind(tools, f"processes-{seconds}", CONFIG, interval=1, before=valgrind(out))
    time.sleep(seconds)
    daemon.stop()
    return instructions(out)


def spent(daemons, seconds):
    before = [daemon.process.cpu() for daemon in daemons]
    time.sleep(seconds)
    return [(daemon.process.cpu() - cpu) * 1000 / seconds for daemon, cpu in zip(daemons, before)]


def processes(tools, report, say):
    """Figures are per interval of 1 s; both daemons run side by side."""
    need("strace")

    def daemons():
        return both(lambda kind: kind(tools, "processes", CONFIG, interval=1))

    def line(figures, unit, most=None):
        report.line("processes", figures[0], unit, figures[1] if len(figures) > 1 else None, most=most)

    say(f"processes: system calls and callgrind, {FEW} processes")
    sleepers = Sleepers(FEW)
    try:
        running = daemons()
        time.sleep(3)
        calls = together([lambda d=d: d.process.system_calls(10) for d in running])
        for daemon in running:
            daemon.stop()
        counts = together([lambda kind=kind, seconds=seconds: count(tools, kind, seconds)
                           for kind in (Ours, Peer)[:len(running)] for seconds in (SHORT, LONG)])
        each = [(most - least) / (LONG - SHORT) for least, most in zip(counts[::2], counts[1::2])]
        line([figure / sleepers.total for figure in each], "instructions/process", 5000)
        line([figure / sleepers.total for figure in calls], "system calls/process", 3.5)
    finally:
        sleepers.stop()
    many = LONG_MANY if tools.long else MANY
    say(f"processes: 20 s of CPU, {many} processes")
    sleepers = Sleepers(many)
    try:
        running = daemons()
        time.sleep(5)
        cpu = spent(running, 20)
        for daemon in running:
            daemon.stop()
        line(cpu, "CPU ms/interval", cpu[1] / 4 if len(cpu) > 1 else None)
        line([sleepers.total], "processes")
    finally:
        sleepers.stop()
