# SPDX-License-Identifier: MIT
"""Lines and pickles of Graphite, lines of InfluxDB: what comes in, to no writer;
beside carbon-c-relay, carbon and telegraf."""
import http.client
import os
import pickle
import shutil
import socket
import struct
import time

from collectors import Ours
from process import Process
from tools import Skip

PATHS = 200_000
ROUNDS = 5
FEW = 1       # Rounds for a peer that takes a minute for five.
BATCH = 5000  # Lines of a request.
RELAY, CARBON = "/usr/bin/carbon-c-relay", "/usr/bin/carbon-cache"
TELEGRAF = os.environ.get("TELEGRAF") or shutil.which("telegraf") or "telegraf"
GRAPHITE = '''LoadPlugin graphite
<Plugin graphite>
  <Listen "127.0.0.1" "{plaintext}">
  </Listen>
  <Listen "127.0.0.1" "{pickle}">
    Protocol pickle
  </Listen>
  MaxNewSeriesPerClient 1000000
</Plugin>
'''
INFLUX = '''LoadPlugin influx
<Plugin influx>
  <Listen "127.0.0.1" "{influx}">
  </Listen>
  MaxNewSeriesPerClient 1000000
</Plugin>
'''
RELAY_CONF = '''listen type linemode 127.0.0.1:{plaintext} proto tcp;
match * send to blackhole stop;
'''
CARBON_CONF = '''[cache]
STORAGE_DIR = @/
LOCAL_DATA_DIR = @/whisper/
CONF_DIR = @/
PID_DIR = @/
LOG_DIR = @/
LINE_RECEIVER_INTERFACE = 127.0.0.1
LINE_RECEIVER_PORT = {plaintext}
PICKLE_RECEIVER_INTERFACE = 127.0.0.1
PICKLE_RECEIVER_PORT = {pickle}
CACHE_QUERY_INTERFACE = 127.0.0.1
CACHE_QUERY_PORT = {query}
MAX_CACHE_SIZE = inf
MAX_UPDATES_PER_SECOND = 1
MAX_CREATES_PER_MINUTE = 1
ENABLE_TAGS = False
LOG_UPDATES = False
LOG_CREATES = False
'''
TELEGRAF_CONF = '''[agent]
  interval = "10s"
  flush_interval = "1s"
  metric_batch_size = 5000
  metric_buffer_limit = 100000
  omit_hostname = true
[[inputs.socket_listener]]
  service_address = "tcp://127.0.0.1:{plaintext}"
  data_format = "graphite"
[[inputs.influxdb_listener]]
  service_address = "127.0.0.1:{influx}"
[[outputs.discard]]
'''


def free_ports(*names):
    probes = [socket.socket() for _ in names]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = {name: probe.getsockname()[1] for name, probe in zip(names, probes)}
    for probe in probes:
        probe.close()
    return ports


def rounds(number):
    """The times of so many rounds, the last of which is now."""
    now = int(time.time())
    return [now - 10 * (number - i) for i in range(number)]


# --- What is sent -----------------------------------------------------------

def plaintext(at):
    return b"".join(b"servers.host%04d.cpu.%d.metric%d %d.%02d %d\n" %
                    (i // 100, i % 10, i % 100, i % 97, i % 89, at) for i in range(PATHS))


def pickles(at):
    """Frames of 500 points, as carbon's relay sends them."""
    points = [(f"servers.host{i // 100:04}.cpu.{i % 10}.metric{i % 100}",
               (at, i % 97 + i % 89 / 100)) for i in range(PATHS)]
    bodies = (pickle.dumps(points[i:i + 500], protocol=2) for i in range(0, PATHS, 500))
    return b"".join(struct.pack("!L", len(body)) + body for body in bodies)


def influx(at):
    """Bodies of requests; a line has one value."""
    lines = [b"cpu%d,host=host%04d,core=%d usage=%d.%02d %d\n" %
             (i % 100, i // 100, i % 10, i % 97, i % 89, at) for i in range(PATHS)]
    return [b"".join(lines[i:i + BATCH]) for i in range(0, PATHS, BATCH)]


# --- The peers --------------------------------------------------------------

class Program:
    """A peer that reads a configuration."""
    def __init__(self, tools, name, conf, command):
        if shutil.which(command[0]) is None:
            raise Skip(f"there is no {command[0]}")
        self.folder = tools.fresh(f"lines-{name}")
        path = os.path.join(self.folder, "conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(conf.replace("@", self.folder))
        with open(os.path.join(self.folder, "storage-schemas.conf"), "w",
                  encoding="utf-8") as file:
            file.write("[all]\npattern = .*\nretentions = 10s:1d\n")
        self.process = Process([word.replace("@", path) for word in command],
                               os.path.join(self.folder, "output"))

    def stop(self):
        self.process.stop(10)


def connect(port):
    end = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def stream(port, bodies):
    """Sends them, and waits until the other end has read all."""
    with connect(port) as line:
        for body in bodies:
            line.sendall(body)
        line.shutdown(socket.SHUT_WR)
        line.settimeout(60)
        try:
            while line.recv(4096):
                pass
        except OSError:  # It does not close: see settle().
            pass


def post(port, bodies):
    connect(port).close()
    line = http.client.HTTPConnection("127.0.0.1", port)
    for body in (one for all_ in bodies for one in all_):
        line.request("POST", "/write?precision=s", body)
        answer = line.getresponse()
        answer.read()
        if answer.status != 204:
            raise RuntimeError(f"{answer.status} {answer.headers}")
    line.close()


def cost(running, send, make, number):
    """Lines per second of CPU, after a first round of them."""
    times = rounds(number + 1)
    bodies = [make(at) for at in times]
    send(bodies[:1])
    running.process.settle()
    cpu = running.process.cpu()
    send(bodies[1:])
    running.process.settle()
    return number * PATHS / (running.process.cpu() - cpu)


def of(start, send, make, number=ROUNDS):
    """In millions; None without the program."""
    try:
        running = start()
    except Skip:
        return None
    try:
        return cost(running, send, make, number) / 1e6
    finally:
        running.stop()


# --- In ---------------------------------------------------------------------

def graphite(tools, report, say):
    ports = free_ports("plaintext", "pickle", "influx", "query")

    def to(name, way):
        return lambda bodies: way(ports[name], bodies)

    def ours(conf):
        return lambda: Ours(tools, "lines", conf.format(**ports), interval=3600)
    say("graphite: plaintext")
    figure = of(ours(GRAPHITE), to("plaintext", stream), plaintext)
    report.line("graphite", figure, "M lines/s/core", least=1)
    for name, conf, command in (
            ("carbon-c-relay", RELAY_CONF, (RELAY, "-q", "1000000", "-w", "1", "-f", "@")),
            ("telegraf", TELEGRAF_CONF, (TELEGRAF, "--config", "@"))):
        say(f"graphite: plaintext, {name}")
        peer = of(lambda: Program(tools, name, conf.format(**ports), command),
                  to("plaintext", stream), plaintext)
        if peer is not None:
            report.line(f"graphite-{name}", peer, "M lines/s/core")
    say("graphite: pickle")
    figure = of(ours(GRAPHITE), to("pickle", stream), pickles)
    report.line("graphite-pickle", figure, "M points/s/core", least=1)
    say("graphite: pickle, carbon")
    peer = of(lambda: Program(tools, "carbon", CARBON_CONF.format(**ports),
                              (CARBON, "--config=@", "--nodaemon", "start")),
              to("pickle", stream), pickles, FEW)
    if peer is not None:
        report.line("graphite-pickle-carbon", peer, "M points/s/core")
    say("influx")
    figure = of(ours(INFLUX), to("influx", post), influx)
    report.line("influx", figure, "M points/s/core", least=0.7)
    say("influx, telegraf")
    peer = of(lambda: Program(tools, "telegraf", TELEGRAF_CONF.format(**ports),
                              (TELEGRAF, "--config", "@")), to("influx", post), influx)
    if peer is not None:
        report.line("influx-telegraf", peer, "M points/s/core")
