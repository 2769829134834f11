# SPDX-License-Identifier: MIT
"""Programs that exec runs: the lines of one that goes on, and starts of others."""
import getpass
import os
import time

from collectors import COLLECTD, Ours, Peer
from process import text
from tools import Skip, instructions, together, valgrind

SERIES = 100         # Lines that the program prints at a time.
FEW, MANY = 10, 110  # Rounds of the two runs whose difference counts.
PROGRAMS = 8
SECONDS = 10
TICK = 1 / os.sysconf("SC_CLK_TCK")


def kinds():
    return [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])


def user():
    """Neither collector runs a program as root."""
    return "nobody" if os.geteuid() == 0 else getpass.getuser()


def program(tools, name, lines):
    path = os.path.join(tools.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + lines)
    os.chmod(path, 0o755)
    os.chmod(tools.folder, 0o777)
    return path


def count(tools, kind, rounds):
    """Instructions of a run in which a program prints so many rounds."""
    out = os.path.join(tools.folder, f"callgrind.exec.{kind.name}.{rounds}")
    told = os.path.join(tools.folder, f"told.{kind.name}.{rounds}")
    path = program(tools, f"values.{kind.name}.{rounds}", f'''
awk -v t={int(time.time()) - 1000} 'BEGIN {{ for (r = 0; r < {rounds}; r++) {{
	for (i = 0; i < {SERIES}; i++)
		printf "PUTVAL bench/values/gauge-level%d interval=1 %d:%d.5\\n", i, t + r, r
	fflush() }} }}'
echo >{told}
exec sleep 1000
''')
    # valgrind 3.19 has no pidfd_open(2).
    shim = ["env", f"LD_PRELOAD={tools.program('.libs/pidfd_open.so')}"]
    daemon = kind(tools, f"exec-{rounds}",
                  f'LoadPlugin exec\n<Plugin exec>\n  Exec "{user()}" "{path}"\n</Plugin>\n',
                  before=shim + valgrind(out) if kind is Ours else valgrind(out))
    end = time.monotonic() + 60
    while not os.path.exists(told) and time.monotonic() < end:
        time.sleep(0.1)
    daemon.process.settle()
    daemon.stop()
    if not os.path.exists(told):
        raise Skip(f"{kind.name} has not run the program: " + text(os.path.join(daemon.folder, "log"))[-300:].strip())
    return instructions(out)


def used(pid):
    """CPU seconds of all threads, also of those that have ended."""
    fields = text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def starts(tools, kind):
    """CPU us of a start of a program, and its end."""
    counter = os.path.join(tools.folder, f"starts.{kind.name}")
    path = program(tools, f"start.{kind.name}", f"echo >>{counter}\n")
    if kind is Ours:
        what = "".join(f'<Program "p{i}">\n  Command "{path}"\n  User "{user()}"\n  Interval 0.02\n'
                       "  Timeout 10\n</Program>\n" for i in range(PROGRAMS))
    else:
        what = f'Exec "{user()}" "{path}"\n' * PROGRAMS
    daemon = kind(tools, "exec-starts", f"LoadPlugin exec\n<Plugin exec>\n{what}</Plugin>\n",
                  interval=10 if kind is Ours else 0.1)
    time.sleep(1)
    before, cpu = len(text(counter)), used(daemon.process.pid)
    time.sleep(SECONDS)
    done, cpu = len(text(counter)) - before, used(daemon.process.pid) - cpu
    daemon.stop()
    return cpu * 1e6 / done


def exec_programs(tools, report, say):
    os.environ["COLLECTOR_SPAWN"] = tools.program("collector-spawn")
    say("exec: callgrind")
    counts = together([lambda kind=kind, rounds=rounds: count(tools, kind, rounds)
                       for kind in kinds() for rounds in (FEW, MANY)])
    values = (MANY - FEW) * SERIES
    each = [(most - least) / values for least, most in zip(counts[::2], counts[1::2])] + [None]
    report.line("exec", each[0], "instructions/value", each[1], most=1400)
    costs = []
    for kind in kinds():
        say(f"exec: {kind.name}, {SECONDS} s of starts")
        costs.append(starts(tools, kind))
    report.line("exec-start", costs[0], "CPU us/start", (costs + [None])[1], most=100)
