# SPDX-License-Identifier: MIT
"""Nodes of Munin: a pass over 18 of them beside munin-update, and what it costs to
be one beside munin-node."""
import os
import pwd
import resource
import socket
import subprocess
import sys
import time

from collectors import Ours
from process import text
from rrdcached import Cache, used
from tools import SOURCE, Skip

NODES, PLUGINS, FIELDS = 18, 50, 10
INTERVAL, PASSES = 3, 12  # rrdcached writes them at once, as with -w 3600 and passes of 300 s.
UPDATE = "/usr/share/munin/munin-update"
NODE = "/usr/sbin/munin-node"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nodes:
    def __init__(self, hangs=0):
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(SOURCE, "tests", "bench", "munin_nodes.py"),
             *map(str, (self.port, NODES, PLUGINS, FIELDS, hangs))], stdout=subprocess.PIPE)
        if not self.process.stdout.readline():
            raise Skip("the nodes do not start")

    def stop(self):
        self.process.kill()
        self.process.wait()


def master(tools):
    """CPU seconds and bytes written of a pass of munin-update, when all files are there."""
    if os.geteuid() != 0 or not os.path.exists(UPDATE):
        return None, None
    folder = tools.fresh("munin-update")
    owner = pwd.getpwnam("munin")
    for part in ("", "db", "html", "log", "run"):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
        os.chown(os.path.join(folder, part), owner.pw_uid, owner.pw_gid)
    os.chmod(tools.folder, 0o755)
    nodes = Nodes()
    conf = os.path.join(folder, "munin.conf")
    with open(conf, "w", encoding="ascii") as file:
        file.write(f"dbdir {folder}/db\nhtmldir {folder}/html\nlogdir {folder}/log\n"
                   f"rundir {folder}/run\ntmpldir /etc/munin/templates\n")
        for number in range(NODES):
            file.write(f"[n{number}.lab]\naddress 127.78.0.{number + 1}\nport {nodes.port}\n"
                       "use_node_name yes\n")
    costs = []
    for _ in range(3):  # The first makes the files.
        subprocess.run(["sync", "-f", folder], check=False)  # What is dirty already does not count.
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["setpriv", "--reuid", "munin", "--regid", "munin", "--clear-groups", UPDATE,
                        "--config", conf], check=False, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                      (after.ru_oublock - before.ru_oublock) * 512))
    nodes.stop()
    if not any(files for _, _, files in os.walk(os.path.join(folder, "db", "lab"))):
        raise Skip("munin-update makes no files")
    return min(cost[0] for cost in costs[1:]), min(cost[1] for cost in costs[1:])


def collector(tools, tag, nodes, writer):
    blocks = "".join(f'<Node "lab;n{number}.lab">\n  Address 127.78.0.{number + 1}\n'
                     f"  Port {nodes.port}\n  Interval {INTERVAL}\n  Timeout 2\n</Node>\n"
                     for number in range(NODES))
    return Ours(tools, tag, f"LoadPlugin munin\n<Plugin munin>\n{blocks}</Plugin>\n{writer}",
                interval=1)


def made(folder):
    return sum(name.endswith(".rrd") for _, _, files in os.walk(folder) for name in files)


def settle(cache):
    """Has all that waits written."""
    cache.ask("FLUSHALL")
    while cache.figure("QueueLength") > 0:
        time.sleep(0.2)


def passes(tools, report):
    """A pass of ours: CPU, that of rrdcached, what both write, and requests."""
    peer = master(tools)
    nodes = Nodes()
    cache = Cache(tools, "munin")
    daemon = collector(tools, "munin", nodes, f'''Journal off
LoadPlugin rrdcached
<Plugin rrdcached>
  DaemonAddress "unix:{cache.socket}"
  DataDir "{cache.base}"
  StepSize 300
  HeartBeat 600
  RRARows 576
  RRATimespan 172800
  RRATimespan 777600
  RRATimespan 3888000
  RRATimespan 38880000
</Plugin>
''')  # Archives like Munin's.
    full = NODES * PLUGINS * FIELDS
    until = time.monotonic() + 120
    while made(cache.base) < full and time.monotonic() < until:
        time.sleep(0.5)
    cache.wait("UpdatesReceived", cache.figure("UpdatesReceived") + full, patience=30)
    settle(cache)
    subprocess.run(["sync", "-f", cache.folder], check=False)
    first, wrote = cache.figure("UpdatesReceived"), cache.process.written()
    cpu = daemon.process.cpu(), used(cache.process)
    cache.wait("UpdatesReceived", first + PASSES * full, patience=30)
    done = (cache.figure("UpdatesReceived") - first) / full
    cpu = [(daemon.process.cpu() - cpu[0]) / done, (used(cache.process) - cpu[1]) / done]
    daemon.stop()
    settle(cache)
    wrote = (cache.process.written() - wrote) / done
    cache.stop()
    nodes.stop()
    report.line("munin", cpu[0], "CPU s/pass", peer[0], most=0.5)
    report.line("munin-cached", sum(cpu), "CPU s/pass", peer[0])
    report.line("munin-written", wrote / 1e6, "MB/pass", None if peer[1] is None else peer[1] / 1e6,
                most=15)


def ask(port, requests):
    with socket.create_connection(("127.0.0.1", port)) as line:
        stream = line.makefile("rw")
        stream.readline()
        stream.write("cap multigraph dirtyconfig\nlist\n")
        stream.flush()
        stream.readline()
        names = stream.readline().split()
        for name in names:
            for what in requests:
                stream.write(f"{what} {name}\n")
                stream.flush()
                while stream.readline() not in (".\n", ""):
                    pass
        return len(names)


def tree_cpu(process):
    """CPU seconds, with those of children that have ended."""
    words = text(f"/proc/{process.pid}/stat").rsplit(")", 1)[1].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def plain_node(tools):
    """CPU us of munin-node for a plugin that is asked."""
    if os.geteuid() != 0 or not os.path.exists(NODE):
        return None
    folder = tools.fresh("munin-node")
    for part in ("plugins", "plugin-conf.d"):
        os.makedirs(os.path.join(folder, part))
    for number in range(20):
        os.symlink("/usr/share/munin/plugins/load", os.path.join(folder, "plugins", f"load{number}"))
    port = free_port()
    with open(os.path.join(folder, "conf"), "w", encoding="ascii") as file:
        file.write(f"log_level 4\nlog_file {folder}/log\npid_file {folder}/pid\nbackground 0\n"
                   f"setsid 0\nuser root\ngroup root\nhost 127.0.0.1\nport {port}\n"
                   "allow ^127\\.0\\.0\\.1$\nhost_name here\n")
    with subprocess.Popen(["unshare", "-m", "sh", "-c",
                           f"mount --bind {folder} /etc/munin && exec {NODE} --config {folder}/conf"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            time.sleep(0.5)
            before = tree_cpu(process)
            asked = ask(port, ("config", "fetch"))
            time.sleep(0.5)
            return (tree_cpu(process) - before) * 1e6 / asked if asked else None
        finally:
            process.terminate()


def be_node(tools, report):
    port = free_port()
    daemon = Ours(tools, "munin-node", f"LoadPlugin munin_node\n<Plugin munin_node>\n  Port {port}\n"
                  "</Plugin>\n")
    now = int(time.time())
    for number in range(500):
        daemon.ask(f"PUTVAL bench/p{number}/load interval=300 {now}:0.1:0.2:0.3")
    ask(port, ("config", "fetch"))
    before, asked = daemon.process.cpu(), 0
    for _ in range(5):
        asked += ask(port, ("config", "fetch"))
    cost = (daemon.process.cpu() - before) * 1e6 / asked
    daemon.stop()
    report.line("munin-node", cost, "CPU us/plugin", plain_node(tools), most=100)


def munin(tools, report, say):
    say("munin: passes")
    passes(tools, report)
    say("munin: as a node")
    be_node(tools, report)
