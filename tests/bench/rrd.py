# SPDX-License-Identifier: MIT
"""What a stream of values into RRD files costs the disk, beside collectd's."""
import os
import time
from concurrent.futures import ThreadPoolExecutor

from collectors import both

METRICS = 20
NOISE = 1.02  # The goal is collectd's figure, and two runs of it differ by this.


class Form:
    """The long form is the one of the goal.  In the short one time runs ten
    times faster, the kernel's writing back of pages (30 s) included."""

    def __init__(self, long):
        self.hosts = 158 if long else 16
        self.interval = 10 if long else 1
        self.rounds = 60
        self.timeout, self.flush = (120, 900) if long else (12, 90)
        self.sync_each = None if long else 3

    def config(self):
        return (f'LoadPlugin rrdtool\n<Plugin rrdtool>\n  DataDir "@/rrd"\n'
                f"  CacheTimeout {self.timeout}\n  CacheFlush {self.flush}\n</Plugin>\n")


def feed(tools, daemon, form, begin, rounds, rate):
    return tools.figures("bench_putval", "-h", form.hosts, "-n", rounds, "-t", begin,
                         "-i", form.interval, "-w", METRICS, "-r", rate, daemon.socket)


def settle(daemons):
    for daemon in daemons:
        daemon.ask("FLUSH timeout=0 plugin=rrdtool")
    for daemon in daemons:
        daemon.process.settle(600)
    os.sync()


def rrd(tools, report, say):
    form = Form(tools.long)
    values = form.hosts * METRICS
    daemons = both(lambda kind: kind(tools, "rrd", form.config(), interval=form.interval))
    begin = int(time.time())
    say(f"rrd: makes {values} files")
    for daemon in daemons:
        feed(tools, daemon, form, begin, 1, 0)
    settle(daemons)
    before = [(d.process.written(), d.process.cpu()) for d in daemons]
    say(f"rrd: {form.rounds * form.interval} s of updates")
    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(feed, tools, d, form, begin + form.interval, form.rounds,
                             values / form.interval) for d in daemons]
        while form.sync_each and not all(task.done() for task in tasks):
            time.sleep(form.sync_each)
            os.sync()
        updates = tasks[0].result()["values"]
        for task in tasks:
            task.result()
    settle(daemons)
    spent = [((d.process.written() - written) / updates, (d.process.cpu() - cpu) * 1e6 / updates)
             for d, (written, cpu) in zip(daemons, before)]
    for daemon in daemons:
        daemon.stop()
    peer = spent[1] if len(spent) > 1 else (None, None)
    goal = peer[0] * NOISE if peer[0] is not None else None
    report.line("rrd", spent[0][0], "disk bytes/update", peer[0], most=goal)
    report.line("rrd", spent[0][1], "CPU us/update", peer[1])
