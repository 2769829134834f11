# SPDX-License-Identifier: MIT
"""What somebody who looks costs: scrapes, histories, pictures, a live viewer, searches, and nobody at all."""
import gzip
import http.client
import os
import socket
import subprocess
import time
import urllib.parse

from collectors import COLLECTD, Ours, Peer
from process import Process
from tools import Skip, median, need

SCRAPED_HOSTS, METRICS = 500, 20  # bench_putval sends so many series of each host.
MANY_HOSTS = 50_000              # A million series.
TIMES = 20                        # Of a request whose CPU time counts.
GZIP = {"Accept-Encoding": "gzip"}


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Asked:
    """A server that is asked by HTTP, one connection for all requests."""

    def __init__(self, process, port):
        self.process, self.port = process, port
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, path, headers=None):
        self.line.request("GET", path, headers=headers or {})
        answer = self.line.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Skip(f"{path}: {answer.status} {body[:200]}")
        return body

    def cost(self, path, headers=None, times=TIMES):
        """CPU seconds of an answer, and its bytes: the median of several, after one more."""
        size = len(self.ask(path, headers))
        spent = []
        for _ in range(times):
            self.process.settle()
            before = self.process.cpu()
            self.ask(path, headers)
            self.process.settle()
            spent.append(self.process.cpu() - before)
        return median(spent), size


def page(port, names="collectd"):
    return f'''LoadPlugin write_prometheus
<Plugin write_prometheus>
  Host "127.0.0.1"
  Port "{port}"{"" if names == "collectd" else f"""
  Names {names}"""}
</Plugin>
'''


def web(port):
    return f'LoadPlugin web\n<Plugin web>\n  <Listen "127.0.0.1" "{port}">\n  </Listen>\n</Plugin>\n'


def feed(tools, daemon, hosts):
    tools.figures("bench_putval", "-h", hosts, "-n", 1, "-w", METRICS, "-i", 3600, "-t", int(time.time()), daemon.socket)
    daemon.process.settle()


def scrape(tools, report, say):
    """Ten thousand series, as Prometheus asks for them."""
    figures = []
    for kind in [Ours] + ([Peer] if os.path.exists(COLLECTD) else []):
        say(f"web-scrape: {kind.name}")
        port = free_port()
        daemon = kind(tools, "web-scrape", page(port))
        feed(tools, daemon, SCRAPED_HOSTS)
        asked = Asked(daemon.process, port)
        plain = asked.cost("/metrics")
        packed = asked.cost("/metrics", GZIP)
        figures.append((plain[0], packed[0], packed[1]))
        daemon.stop()
    peer = figures[1] if len(figures) > 1 else (None,) * 3
    series = SCRAPED_HOSTS * METRICS

    def each(seconds):
        return seconds and seconds * 1e6 / series

    report.line("web-scrape", each(figures[0][0]), "CPU us/series", each(peer[0]), most=0.5)
    report.line("web-scrape-gzip", each(figures[0][1]), "CPU us/series", each(peer[1]))
    report.line("web-scrape-gzip", figures[0][2], "bytes", peer[2], most=peer[2] and peer[2] / 2)
    report.line("web-scrape-otel", each(conventional(tools, say)), "CPU us/series")
    exporter(report, say)


def conventional(tools, say):
    """CPU seconds of the same scrape under OpenTelemetry's names, as far as there are some."""
    say("web-scrape: Names otel")
    port = free_port()
    daemon = Ours(tools, "web-scrape-otel", page(port, "otel"))
    feed(tools, daemon, SCRAPED_HOSTS)
    cost, _ = Asked(daemon.process, port).cost("/metrics")
    daemon.stop()
    return cost


def exporter(report, say):
    """What this machine's own series cost Prometheus' own agent."""
    need("prometheus-node-exporter")
    say("web-scrape: node_exporter")
    port = free_port()
    process = Process(["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}"], os.devnull)
    time.sleep(1)
    try:
        asked = Asked(process, port)
        cpu, _ = asked.cost("/metrics", times=5)
        series = sum(not line.startswith(b"#") for line in asked.ask("/metrics").splitlines())
    finally:
        process.stop()
    report.line("web-node_exporter", cpu * 1e6 / series, "CPU us/value")


def search(tools, report, say):
    """As somebody types, with a million series."""
    say("web-search: a million series")
    port = free_port()
    daemon = Ours(tools, "web-search", web(port))
    feed(tools, daemon, MANY_HOSTS)
    asked = Asked(daemon.process, port)
    for name, glob in (("rare", "*host123*cpu*"), ("common", "*cpu*user*"), ("all", "*"), ("none", "*nowhere*")):
        cpu, _ = asked.cost("/api/1/series?limit=20&match=" + urllib.parse.quote(glob), times=5)
        report.line("web-search-" + name, cpu * 1e3, "CPU ms", most=50)
    cpu, _ = asked.cost("/api/1/hosts?limit=20", times=5)
    report.line("web-hosts", cpu * 1e3, "CPU ms", most=50)
    cpu, _ = asked.cost("/api/1/hosts?limit=1&match=" + "host123", times=5)
    report.line("web-hosts-one", cpu * 1e3, "CPU ms", most=50)
    daemon.stop()


def rrd_config(folder_option):
    return f'LoadPlugin rrdtool\n<Plugin rrdtool>\n  DataDir "{folder_option}"\n</Plugin>\n'


def fetches(tools, daemon, names, begin):
    """CPU seconds in which one rrdtool prints the histories of these files as JSON."""
    need("rrdtool")
    lines = "".join(f"xport --json --start {begin} --end {begin + 3600} --step 10 DEF:v={daemon.folder}/rrd/{name}.rrd:value:AVERAGE "
                    "XPORT:v\n" for name in names)
    output = os.path.join(daemon.folder, "fetched")
    with open(output, "w", encoding="utf-8") as file:
        with subprocess.Popen(["rrdtool", "-"], stdin=subprocess.PIPE, stdout=file, text=True) as tool:
            def say(text):
                tool.stdin.write(text)
                tool.stdin.flush()
                time.sleep(1.5)
                with open(f"/proc/{tool.pid}/schedstat", encoding="ascii") as stat:
                    return int(stat.read().split()[0]) / 1e9
            first = say(lines)
            cost = say(lines * 5) - first
            tool.stdin.close()
    return cost / 5


def draws(command, times=5):
    """CPU seconds of a program that draws a picture."""
    spent = []
    for _ in range(times):
        before = os.times()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return median(spent)


def history(tools, report, say):
    """A page of 32 series, an hour of them; and a picture."""
    say("web-history: an hour")
    port = free_port()
    daemon = Ours(tools, "web-history", web(port) + "LoadPlugin rrdgraph\n" + rrd_config("@/rrd"))
    begin = int(time.time()) // 10 * 10 - 3600
    tools.figures("bench_putval", "-h", 32, "-n", 361, "-w", 1, "-i", 10, "-t", begin, daemon.socket)
    daemon.process.settle()
    asked = Asked(daemon.process, port)
    query = f"/api/1/history?match=*/memory/memory-used&from={begin}&to={begin + 3600}&points=360"
    names = [f"host{i:05}.example.net/memory/memory-used" for i in range(32)]
    asked.ask(query)
    cpu, size = asked.cost(query, GZIP)
    report.line("web-history", cpu * 1e3, "CPU ms/32 series", fetches(tools, daemon, names, begin) * 1e3, most=5)
    report.line("web-history", size, "bytes gzipped")
    recent = f"/api/1/history?match=*/memory/memory-used&from={begin + 3630}&to={begin + 4200}&points=360"

    def put(rounds, start):
        tools.figures("bench_putval", "-h", 32, "-n", rounds, "-w", 1, "-i", 10, "-t", begin + start, daemon.socket)

    put(1, 3610)
    asked.ask(recent)  # From now on they are remembered.
    put(60, 3620)
    answer = gzip.decompress(asked.ask(recent, GZIP))
    if answer.count(b'"provider":"recent"') != 32:
        raise Skip("the ring does not have them")
    report.line("web-history-ring", asked.cost(recent, GZIP, times=5)[0] * 1e3, "CPU ms/32 series", most=0.5)
    put(1, 4220)
    picture(report, say, daemon, asked, names, begin)
    daemon.stop()


def picture(report, say, daemon, asked, names, begin):
    say("web-png")
    spent = []
    for name in names[:10]:  # Each is drawn once, then kept for a step.
        daemon.process.settle()
        before = daemon.process.cpu()
        asked.ask(f"/graph/{name}.png?range=hour&width=400&height=150")
        spent.append(daemon.process.cpu() - before)
    tool = draws(["rrdtool", "graph", "-", "--start", str(begin), "--end", str(begin + 3600), "--width", "400", "--height", "150",
                  f"DEF:v={daemon.folder}/rrd/{names[0]}.rrd:value:AVERAGE", "LINE1:v#0000ff:used"])
    report.line("web-png", median(spent[1:]) * 1e3, "CPU ms", tool * 1e3, most=5)


FIRST_PAGE = ("cpu*/*", "memory/memory-*", "disk-*/disk_octets", "interface-*/if_octets", "load/load", "df-*/df_complex-*",
              "pressure*/*-avg10", "swap*/swap-*")
MEASURED = ("cpu", "memory", "disk", "interface", "load", "df", "pressure", "swap")


def viewer(tools, report, say):
    """What the plugin costs while nobody looks, and what viewers of the first page cost, at an interval of a second."""
    port = free_port()
    base = "".join(f"LoadPlugin {plugin}\n" for plugin in MEASURED)
    daemons = [Ours(tools, "web-without", base, interval=1), Ours(tools, "web-idle", base + web(port), interval=1)]
    say("web-idle: 20 s")
    time.sleep(5)
    before = [(daemon.process.cpu(), daemon.process.switches()) for daemon in daemons]
    time.sleep(20)
    costs = [((daemon.process.cpu() - cpu) / 20, (daemon.process.switches() - switches) / 20)
             for daemon, (cpu, switches) in zip(daemons, before)]
    report.line("web-idle", costs[1][1] - costs[0][1], "more switches/s", most=0.2)
    memory = [daemon.process.memory("Private_Dirty") for daemon in daemons]
    report.line("web-idle", memory[1] - memory[0], "more MiB private dirty", most=1)
    idle, series = costs[1][0], len(daemons[1].ask("LISTVAL"))
    query = "/api/1/stream?" + urllib.parse.urlencode([("match", "bench/" + glob) for glob in FIRST_PAGE])
    for viewers, most in ((1, 0.1), (64, 10)):
        say(f"web-viewers: {viewers}, 20 s")
        lines = [subprocess.Popen(["curl", "-sN", "-o", os.devnull, f"http://127.0.0.1:{port}{query}"]) for _ in range(viewers)]
        time.sleep(3)
        cpu = daemons[1].process.cpu()
        time.sleep(20)
        cost = (daemons[1].process.cpu() - cpu) / 20 - idle
        report.line(f"web-viewers-{viewers}", cost * 1e3, f"CPU ms/s, {series} series", most=most)
        for line in lines:
            line.terminate()
            line.wait()
    for daemon in daemons:
        daemon.stop()
    netdata(tools, report, say)


def netdata(tools, report, say):
    """The same of netdata: eight charts, asked for each second as its page does."""
    need("netdata")
    port, folder = free_port(), tools.fresh("netdata")
    with open(folder + "/netdata.conf", "w", encoding="utf-8") as file:
        file.write(f"""[global]
  run as user = root
[directories]
  cache = {folder}
  lib = {folder}
  log = {folder}
  config = {folder}
[db]
  mode = ram
[plugins]
  apps = no
  python.d = no
  go.d = no
  charts.d = no
  tc = no
  node.d = no
[ml]
  enabled = no
[web]
  bind to = 127.0.0.1
  default port = {port}
""")
    say("web-netdata: 60 s")
    process = Process(["netdata", "-D", "-c",
                       folder + "/netdata.conf"], os.path.join(folder, "output"))
    try:
        time.sleep(15)
        cpu = process.cpu()
        time.sleep(20)
        idle = (process.cpu() - cpu) / 20
        asked = Asked(process, port)
        cpu, end = process.cpu(), time.monotonic() + 20
        while time.monotonic() < end:
            for chart in ("system.cpu", "system.ram", "system.io", "system.load", "system.intr", "system.ctxt", "system.forks",
                          "system.processes"):
                asked.ask(f"/api/v1/data?chart={chart}&after=-2&points=2&format=json")
            time.sleep(1)
        report.line("web-netdata-viewer", ((process.cpu() - cpu) / 20 - idle) * 1e3, "CPU ms/s, 8 charts")
    finally:
        process.stop()


def look(tools, report, say):
    scrape(tools, report, say)
    history(tools, report, say)
    viewer(tools, report, say)
    search(tools, report, say)
