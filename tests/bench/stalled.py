# SPDX-License-Identifier: MIT
"""A receiver that does not answer, at 50,000 values a second: what that costs in
memory, and what the writer beside it still gets."""
import http.server
import os
import socket
import struct
import subprocess
import threading
import time

from collectors import COLLECTD, Ours, Peer
from process import text
from tools import Skip

RATE, HOSTS = 50_000, 2500
SAMPLED = 64  # Of so many packets one is looked into.
STOP_MAX = 60
CONF = """LoadPlugin network
<Plugin network>
  Listen "127.0.0.1" "{listen}"
  Server "127.0.0.1" "{sink}"
  Forward true
</Plugin>
"""
OURS = """LoadPlugin forward
<Plugin forward>
  URL "{url}"
</Plugin>
"""
PEERS = """LoadPlugin write_http
<Plugin write_http>
  <Node "a">
    URL "{url}"
  </Node>
</Plugin>
"""


class Receiver(http.server.ThreadingHTTPServer):
    """Takes everything, as long as it is 'open'; else nothing is answered."""
    daemon_threads = True

    def __init__(self):
        self.open = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.open.wait()
        self.send_response(200)
        self.send_header("Accept-Encoding", "gzip, zstd")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def handle(self):
        try:
            super().handle()
        except OSError:  # The sender is gone.
            pass

    def log_message(self, *_):
        pass


class Sink(threading.Thread):
    """Counts the values in what the healthy writer sends."""
    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.packets = self.looked = self.seen = 0
        self.start()

    def run(self):
        while packet := self.socket.recv(65536):
            self.packets += 1
            if self.packets % SAMPLED == 0:
                self.looked += 1
                self.seen += self.values(packet)

    @staticmethod
    def values(packet):
        at, values = 0, 0
        while at < len(packet):
            part, size = struct.unpack_from("!HH", packet, at)
            values += struct.unpack_from("!H", packet, at + 4)[0] if part == 6 else 0
            at += size
        return values

    def total(self):
        return self.packets * self.seen / max(1, self.looked)


class Stalled:
    """A daemon with a healthy writer and one whose receiver does not answer."""
    def __init__(self, tools, kind):
        self.tools, self.receiver, self.sink = tools, Receiver(), Sink()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        conf = CONF + (OURS if kind is Ours else PEERS)
        self.daemon = kind(tools, "stalled", conf.format(
            listen=self.port, sink=self.sink.port, url=self.receiver.url))
        for _ in range(200):
            if f":{self.port:04X} " in text("/proc/net/udp"):
                return
            time.sleep(0.05)
        raise Skip(f"{kind.name} does not listen")

    def feed(self, seconds, begin):
        return self.tools.figures("bench_udp", "-r", RATE, "-h", HOSTS, "-n", seconds,
                                  "-t", begin, self.port)["values"]

    def stop(self):
        """Seconds until it ends, at most STOP_MAX."""
        begin = time.monotonic()
        process = self.daemon.process.popen
        process.terminate()
        try:
            process.wait(STOP_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return time.monotonic() - begin


class Watch(threading.Thread):
    """The most memory of its own that a process had."""
    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.on, self.peak = process, True, 0
        self.start()

    def run(self):
        while self.on:
            self.peak = max(self.peak, self.process.memory("Anonymous"))
            time.sleep(0.2)


def measure(tools, kind, seconds):
    """Growth and what of it stays, in MiB; the share of the healthy writer; the
    seconds that a stop takes while the receiver does not answer."""
    stalled = Stalled(tools, kind)
    process = stalled.daemon.process
    begin = int(time.time()) - 20 * seconds
    stalled.receiver.open.set()
    stalled.feed(5, begin)  # The series are made.
    process.settle()
    before, known = process.memory("Anonymous"), stalled.sink.total()
    stalled.receiver.open.clear()
    watch = Watch(process)
    sent = stalled.feed(seconds, begin + 60)
    time.sleep(1)
    share = 100 * (stalled.sink.total() - known) / sent
    watch.on = False
    stalled.receiver.open.set()
    process.settle()
    time.sleep(11)  # Memory is given back every ten seconds.
    stays = process.memory("Anonymous") - before
    stalled.receiver.open.clear()
    stalled.feed(3, begin + 60 + 10 * seconds)
    return watch.peak - before, stays, share, stalled.stop()


def stalled(tools, report, say):
    seconds = 60 if tools.long else 20
    kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
    say(f"stalled: {seconds} s")
    ours, theirs = ([measure(tools, kind, seconds) for kind in kinds] + [[None] * 4])[:2]
    report.line("stalled", ours[0], "MiB more", theirs[0], most=16)
    report.line("stalled-after", ours[1], "MiB more", theirs[1], most=4)
    report.line("stalled-beside", ours[2], "% of the values", theirs[2], least=99.9)
    report.line("stalled-stop", ours[3], "s", theirs[3], most=5)
