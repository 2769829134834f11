# SPDX-License-Identifier: MIT
"""Values on to a store: collectd's protocol over UDP in, remote write and OTLP out, to a sink that takes all;
beside vmagent, which gets lines of Graphite, Prometheus' agent, which scrapes, and collectd's write_http."""
import contextlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time

from collectors import COLLECTD, Ours, Peer
from lines import connect, free_ports
from process import Process, text
from tools import Skip, instructions, median, valgrind

HOSTS, METRICS = 1000, 20
SERIES = HOSTS * METRICS
ROUNDS, TURNS = 20, 3
RATE = 400_000     # Values a second: more than any peer's, less than a queue would drop.
SLOW_RATE = 20_000  # The same under valgrind.
FEW, MANY = 2, 12  # Rounds of the two runs whose difference counts.
SCRAPES = 8
NETWORK = '''LoadPlugin network
<Plugin network>
  Listen "127.0.0.1" "{port}"
</Plugin>
'''
REMOTE_WRITE = '''LoadPlugin remote_write
<Plugin remote_write>
  URL "{url}"
  Protocol "{protocol}"
</Plugin>
'''
FORWARD = '''LoadPlugin forward
<Plugin forward>
  URL "{url}"
  Compression "{compression}"
</Plugin>
'''
WRITE_HTTP = '''LoadPlugin write_http
<Plugin write_http>
  <Node "sink">
    URL "{url}"
    Format "{format}"
  </Node>
</Plugin>
'''
AGENT = '''global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: bench, static_configs: [{{targets: ["127.0.0.1:{page}"]}}]}}]
remote_write: [{{url: "{url}"}}]
'''
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" \
         b"X-Prometheus-Remote-Write-Samples-Written: 1000000000\r\n\r\n"


class Sink:
    """Takes what is posted, and counts requests and bytes."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/api/v1/write"
        self.requests = self.bytes = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.socket.accept()[0],), daemon=True).start()

    def serve(self, line):
        with line, line.makefile("rb") as stream, contextlib.suppress(OSError):
            while head := stream.readline():
                size = 0
                while (field := stream.readline()) not in (b"\r\n", b""):
                    head += field
                    name, _, value = field.lower().partition(b":")
                    if name == b"content-length":
                        size = int(value)
                    elif name == b"expect":
                        line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                stream.read(size)
                self.requests += 1
                self.bytes += len(head) + size
                line.sendall(ANSWER)

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Figures:
    """Millions of values per second of a core, bytes a value, and values a request."""

    def __init__(self, rates, size, share):
        self.rate, self.size, self.share = median(rates), size, share

    def lines(self, report, name, goal=None, size_goal=None):
        report.line(name, self.rate, "M values/s/core", least=goal)
        report.line(name, self.size, "bytes/value", most=size_goal)
        report.line(name, self.share, "values/request")


def measure(process, sink, send):
    """The figures of TURNS calls of send(), which returns the number of values that have arrived."""
    rates = []
    requests, size, values = sink.requests, sink.bytes, 0
    for _ in range(TURNS):
        cpu = process.cpu()
        arrived = send()
        rates.append(arrived / (process.cpu() - cpu) / 1e6)
        values += arrived
    return Figures(rates, (sink.bytes - size) / values, values / max(1, sink.requests - requests))


# --- Ours, and collectd -------------------------------------------------------

class Fed:
    """A daemon that listens to collectd's protocol."""

    def __init__(self, tools, kind, sink, conf, before=(), **words):
        self.tools, self.begin = tools, int(time.time()) - 3600
        self.port = free_ports("udp")["udp"]
        if kind is Ours:
            conf = "Journal off\n" + conf if "Journal" not in conf else conf
        self.daemon = kind(tools, "out", NETWORK.format(port=self.port) + conf.format(url=sink.url, **words),
                           before=before)
        self.process, self.written, self.rate = self.daemon.process, 0, SLOW_RATE if before else RATE
        for _ in range(200):
            if f":{self.port:04X} " in text("/proc/net/udp"):
                return
            time.sleep(0.05)
        raise Skip(f"{kind.name} does not listen")

    def writer(self):
        """The row of the writer in the daemon's ledger."""
        status = subprocess.run([self.tools.program("collectorctl"), "-s", self.daemon.socket, "status", "--json"],
                                check=True, stdout=subprocess.PIPE).stdout
        return next(row for row in json.loads(status)["writers"]
                    if row["name"] in ("remote_write", "forward", "write_http"))

    def feed(self, rounds=ROUNDS):
        values = self.tools.figures("bench_udp", "-h", HOSTS, "-n", rounds, "-t", self.begin, "-r", self.rate,
                                    self.port)["values"]
        self.begin += 10 * rounds
        return values

    def await_all(self, values):
        """Waits until they are delivered."""
        end = time.monotonic() + 120
        while (row := self.writer())["delivered"] < self.written + values:
            if time.monotonic() > end or any(row[key] for key in row if key.startswith("dropped")):
                raise Skip(f"not all values are delivered: {row}")
            time.sleep(0.05)
        self.written += values

    def send(self, rounds=ROUNDS):
        values = self.feed(rounds)
        if isinstance(self.daemon, Ours):
            self.await_all(values)
        else:
            self.process.settle()
        return values

    def stop(self):
        self.daemon.stop()


def of(tools, kind, conf, **words):
    sink = Sink()
    fed = None
    try:
        fed = Fed(tools, kind, sink, conf, **words)
        fed.send(2)  # The series are made.
        return measure(fed.process, sink, fed.send)
    finally:
        if fed is not None:
            fed.stop()
        sink.close()


def count(tools, conf, **words):
    """Instructions per value, of all threads."""
    seen = []
    for rounds in (FEW, MANY):
        log, sink = os.path.join(tools.folder, f"callgrind.out.{rounds}"), Sink()
        fed = Fed(tools, Ours, sink, conf, before=valgrind(log), **words)
        try:
            fed.send(rounds)
        finally:
            fed.stop()
            sink.close()
        seen.append(instructions(log))
    return (seen[1] - seen[0]) / ((MANY - FEW) * SERIES)


# --- Others -------------------------------------------------------------------

def graphite(at):
    return b"".join(b"host%05d.%s-0.%s-%d %d.%d %d\n" % (i // METRICS, plugin, plugin, i % METRICS, i % 97 + at % 89, i % 7, at)
                    for i in range(SERIES) for plugin in (b"cpu" if i % METRICS < 8 else b"memory",))


def vmagent(tools):
    if shutil.which("vmagent") is None:
        raise Skip("there is no vmagent (Debian: victoria-metrics)")
    folder, sink, ports = tools.fresh("vmagent"), Sink(), free_ports("graphite", "http")
    process = Process(["vmagent", f"-remoteWrite.url={sink.url}", f"-remoteWrite.tmpDataPath={folder}/queue",
                       f"-graphiteListenAddr=127.0.0.1:{ports['graphite']}",
                       f"-httpListenAddr=127.0.0.1:{ports['http']}"], f"{folder}/log")
    begin = int(time.time()) - 3600
    try:
        line = connect(ports["graphite"])

        def send():
            nonlocal begin
            for body in bodies.pop():
                line.sendall(body)
            begin += 10 * ROUNDS
            time.sleep(2)  # It keeps the last values for a second.
            process.settle()
            return ROUNDS * SERIES

        bodies = [[graphite(begin + 10 * (turn * ROUNDS + i)) for i in range(ROUNDS)]
                  for turn in reversed(range(TURNS + 1))]
        send()
        return measure(process, sink, send)
    finally:
        process.stop(10)
        sink.close()


class Page(http.server.ThreadingHTTPServer):
    """What an exporter of all series shows, other values each time."""
    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            body = self.server.bodies[self.server.asked % 4]
            self.server.asked += 1
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.asked = 0
        self.bodies = [b"".join(b'collectd_%s{instance="host%05d",type="%d"} %d.%d\n' %
                                (plugin, i // METRICS, i % METRICS, i % 97 + at, i % 7)
                                for plugin in (b"cpu", b"memory") for i in range(SERIES)
                                if (plugin == b"cpu") == (i % METRICS < 8)) for at in range(4)]
        threading.Thread(target=self.serve_forever, daemon=True).start()


def agent(tools):
    if shutil.which("prometheus") is None:
        raise Skip("there is no prometheus")
    folder, sink, page = tools.fresh("agent"), Sink(), Page()
    with open(f"{folder}/conf", "w", encoding="utf-8") as file:
        file.write(AGENT.format(page=page.server_address[1], url=sink.url))
    process = Process(["prometheus", "--enable-feature=agent", f"--storage.agent.path={folder}/data",
                       f"--config.file={folder}/conf", f"--web.listen-address=127.0.0.1:{free_ports('http')['http']}"],
                      f"{folder}/log")

    def send():
        """It scrapes by its own clock, and sends all along."""
        before = page.asked
        while page.asked < before + SCRAPES:
            if process.popen.poll() is not None:
                raise Skip("prometheus ends: " + text(f"{folder}/log")[-200:])
            time.sleep(0.02)
        return SCRAPES * SERIES

    try:
        send()
        return measure(process, sink, send)
    finally:
        process.stop(10)
        page.shutdown()
        page.server_close()
        sink.close()


# --- All of them ----------------------------------------------------------------

def peers(tools, report, say):
    for name, job in (("out-vmagent", vmagent), ("out-prometheus-agent", agent)):
        say(name)
        try:
            job(tools).lines(report, name)
        except Skip as why:
            report.skip(name, why)
    if os.path.exists(COLLECTD):
        say("out-write_http-collectd")
        of(tools, Peer, WRITE_HTTP, format="JSON").lines(report, "out-write_http-collectd")


def out(tools, report, say):
    for plugin in ("remote_write", "forward", "write_http"):
        if not os.path.exists(os.path.join(tools.build, ".libs", plugin + ".so")):
            raise Skip(f"the plugin {plugin} is not built")
    for protocol, size in (("2.0", 6), ("1.0", 9)):
        for journal, rate in (("off", 2.5), ("on", 1.5)):
            name = f"out-{protocol}" + ("-journal" if journal == "on" else "")
            say(name)
            of(tools, Ours, f"Journal {journal}\n" + REMOTE_WRITE, protocol=protocol).lines(report, name, rate, size)
    for compression in ("gzip", "zstd"):
        name = f"out-forward-{compression}"
        say(name)
        of(tools, Ours, FORWARD, compression=compression).lines(report, name)
    for form, goal in (("JSON", 1), ("Influx", 2)):
        name = f"out-write_http-{form}"
        say(name)
        of(tools, Ours, WRITE_HTTP, format=form).lines(report, name, goal)
    peers(tools, report, say)
    for name, conf, words in (("out-2.0", REMOTE_WRITE, {"protocol": "2.0"}),
                              ("out-forward-gzip", FORWARD, {"compression": "gzip"})):
        say(f"{name}: callgrind")
        report.line(name, count(tools, conf, **words), "instructions/value")
