# SPDX-License-Identifier: MIT
"""How costs grow: agents by OTLP, small SNMP devices, series.  Each curve is printed, and put as a table and a
plot into README.md, in place of what this has put there before."""
import datetime
import os
import platform
import re
import resource
import struct
import subprocess

import engine
import otlp
import snmp
import tls
from collectors import COLLECTD, Ours, Peer
from plot import plot
from report import number
from tools import SOURCE, Skip, median, together

README = os.path.join(SOURCE, "tests", "bench", "README.md")
INTERVAL, ROUNDS = 10, 3   # Of the agents; the first round makes the series.
VALUES = 71                # Of an agent, one a series.
AGENTS, MORE_AGENTS = (1_000, 3_000, 10_000), (25_000, 50_000)
DEVICES = (100, 300, 1_000)
PER_DEVICE = 10            # Interfaces.
PASSES = 3
SERIES = (1_000, 10_000, 100_000, 1_000_000)
TURNS = 5
CONF = """
SeriesLimit 20000000
Journal {journal}
JournalSync batch
LoadPlugin otlp
<Plugin otlp>
  <Listen "127.0.0.1" "{port}">
    {tls}
  </Listen>
  MaxClients 65536
  MaxSenders 200000
</Plugin>
"""


class Curve:
    """Figures by name of a line, one for each size; None: not measured."""

    def __init__(self, name, about, sizes, unit):
        self.name, self.about, self.sizes, self.unit = name, about, sizes, unit
        self.lines = {}

    def add(self, report, line, size, figure):
        self.lines.setdefault(line, []).append(figure)
        if figure is not None:
            report.line(f"{self.name.partition('-')[0]}-{short(size)}-{line}".replace(" ", ""), figure, self.unit)

    def table(self):
        rows = [[self.about, *self.lines], ["--:"] * (1 + len(self.lines))]
        for at, size in enumerate(self.sizes):
            rows.append([f"{size:,}", *(number(line[at]) for line in self.lines.values())])
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def short(size):
    return f"{size // 1_000_000} M" if size >= 1_000_000 else f"{size // 1000} k" if size >= 1000 else str(size)


# --- The README -----------------------------------------------------------------

def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.M)[1]
    except (OSError, TypeError):
        model = platform.machine()
    return f"{datetime.date.today()}, {len(os.sched_getaffinity(0))} CPUs ({model}), Linux {platform.release()}, " \
           f"load {os.getloadavg()[1]:.0f}"


def publish(name, text, curves):
    """Puts them between the marks of that name."""
    parts = [text.replace("@", machine())]
    for curve in curves:
        path = os.path.join(os.path.dirname(README), "plots", curve.name + ".svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(plot(curve.unit, curve.about, [(size, short(size)) for size in curve.sizes], curve.lines))
        title = f"{curve.unit} by {curve.about}"
        parts += [title + ":", curve.table(), f"![{title}](plots/{curve.name}.svg)"]
    with open(README, encoding="utf-8") as file:
        readme = file.read()
    begin, end = f"<!-- curve {name}: by tests/bench/run curves -->\n", f"<!-- end of curve {name} -->"
    head, found, rest = readme.partition(begin)
    _, ends, tail = rest.partition(end)
    if not found or not ends:
        raise Skip(f"{README} has no marks of the curve {name}")
    with open(README, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + "\n\n".join(parts) + "\n\n" + end + tail)


# --- Agents ---------------------------------------------------------------------

def request(tools):
    """Its host and time are those that otlp_load looks for."""
    path = os.path.join(tools.folder, "curves.request")
    tools.figures("bench_otlp", "-v", VALUES, "-o", path, "agent")
    with open(path, "rb") as file:
        body = file.read()
    with open(path, "wb") as file:
        file.write(body.replace(struct.pack("<Q", otlp.BEGIN), struct.pack("<Q", 1700000000 * 10**9)))
    return path


class Load:
    """otlp_load, that stops after the first round, and at the end."""

    def __init__(self, tools, count, port, path, authority):
        secure = ["-t", authority] if authority else []
        # pylint: disable=consider-using-with
        self.popen = subprocess.Popen(
            [tools.program("tests/scenario/otlp_load"), "-s", *secure, "-c", str(count), "-i", str(INTERVAL),
             "-r", str(ROUNDS), str(port), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def stop_at(self, sent):
        """Waits until so many requests are sent, and answered."""
        said = dict(pair.split("=") for pair in self.popen.stdout.readline().split())
        if int(said.get("taken", 0)) != sent:
            raise Skip(f"of {sent} requests not all were taken: {said}")

    def go(self):
        self.popen.stdin.write("\n")
        self.popen.stdin.flush()

    def close(self):
        self.popen.stdin.close()
        self.popen.wait()


def agents_of(tools, count, journal, certificate):
    """us of CPU a request, and KiB an agent."""
    port = otlp.free_port()
    secure = tls.TLS.format(certificate) if certificate else ""
    daemon = Ours(tools, f"curves-{count}", CONF.format(port=port, journal=journal, tls=secure))
    before = daemon.process.memory("Private_Dirty")
    load = Load(tools, count, port, os.path.join(tools.folder, "curves.request"), certificate and certificate + ".pem")
    try:
        load.stop_at(count)
        cpu = daemon.process.cpu()
        load.go()
        load.stop_at(count * ROUNDS)
        cpu = daemon.process.cpu() - cpu
        return cpu / (count * (ROUNDS - 1)) * 1e6, (daemon.process.memory("Private_Dirty") - before) * 1024 / count
    finally:
        load.close()
        daemon.stop()


def agents(tools, report, say):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    sizes = [size for size in AGENTS + (MORE_AGENTS if tools.long else ()) if size + 1000 < most]
    certificate = os.path.join(tools.folder, "curves")
    tls.make_certificate(certificate)
    request(tools)
    cpu = Curve("agents-cpu", "agents", sizes, "CPU us/request")
    memory = Curve("agents-memory", "agents", sizes, "KiB/agent")
    for size in sizes:
        for line, journal, secure in (("plain", "off", None), ("TLS", "off", certificate),
                                      ("journal", "on", None), ("journal+TLS", "on", certificate)):
            say(f"curves: {size:,} agents, {line}")
            try:
                took, kept = agents_of(tools, size, journal, secure)
            except Skip as why:
                report.skip(f"agents-{short(size)}-{line}", why)
                took = kept = None
            cpu.add(report, line, size, took)
            memory.add(report, line, size, kept)
    publish("agents", f"Agents that send {VALUES} series by OTLP each {INTERVAL} s, evenly over time, each by a "
            "connection that it keeps; JournalSync batch; all threads of the receiver; its private memory, with the "
            "series and the connections.\n@:", [cpu, memory])


# --- Devices, series ------------------------------------------------------------

def devices(tools, report, say):
    cpu = Curve("snmp", f"SNMP devices of {PER_DEVICE} interfaces", DEVICES, "CPU us/device and pass")
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    for size in DEVICES:
        say(f"curves: {size:,} devices")
        fleet = snmp.Agents(tools, 0, size, size * PER_DEVICE)
        try:
            runs = together([lambda kind=kind: snmp.Run(tools, fleet, kind, 2, "true", INTERVAL, PASSES)
                             for kind in kinds])
        finally:
            fleet.stop()
        for kind, run in zip(kinds, runs):
            cpu.add(report, kind.name, size, run.cpu * 1000 / size)
    publish("snmp", f"Devices that are asked each {INTERVAL} s by SNMP, version 2c, with the options as they are; "
            "collectd with BulkSize 51, at the same time.\n@:", [cpu])


def series(tools, report, say):
    cost = Curve("series", "series", SERIES, "CPU ns/value")
    runs = {}
    for turn in range(TURNS):
        for line, options in (("by name", ("-n",)), ("held", ())):
            for size in SERIES:
                say(f"curves: {size:,} series {line}, {turn + 1} of {TURNS}")
                runs.setdefault((size, line), []).append(engine.cpu(tools, "-s", size, "-v", 2_000_000, *options))
    for (size, line), figures in sorted(runs.items()):
        cost.add(report, line, size, median(figures))
    publish("series", "A value from its batch to a writer that looks at it, with cache and rates; of a source that has "
            f"only names, and of one that keeps pointers to its series; median of {TURNS}.\n@:", [cost])


def curves(tools, report, say):
    for name, job in (("agents", agents), ("snmp", devices), ("series", series)):
        try:
            job(tools, report, say)
        except Skip as why:
            report.skip(f"curves-{name}", why)
