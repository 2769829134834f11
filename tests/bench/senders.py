# SPDX-License-Identifier: MIT
"""Ten thousand senders of OTLP, each with a connection that it keeps and numbers
of its own, as 'forward' on ten thousand hypervisors: 20 values every 10 s each."""
import heapq
import os
import resource
import select
import socket
import struct
import time

from collectors import Ours
from tools import Skip

HOST = b"h00000.example.org"  # The one host of the batch of bench_otlp.
BEGIN = struct.pack("<Q", 1700000000123456789)  # Of all samples in it.
SENDERS = 10000
INTERVAL = 10
ROUNDS = 3  # The first of them makes the series.
CONF = """
Journal on
JournalSync batch
LoadPlugin otlp
<Plugin otlp>
  MaxClients 16384
  <Listen "127.0.0.1" "{port}">
  </Listen>
</Plugin>
"""
HEAD = (b"POST /v1/metrics HTTP/1.1\r\nHost: here\r\nContent-Type: application/x-protobuf\r\n"
        b"X-Stream: h%05d/1\r\nX-Seq: %d\r\nContent-Length: %d\r\n\r\n")


class Sender:
    def __init__(self, number, port):
        self.number = number
        self.sent = 0        # Requests.
        self.waits = None    # Since when, for an answer.
        self.answer = b""
        self.line = socket.socket()
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.line.bind((f"127.1.{number // 250}.{number % 250 + 1}", 0))
        self.line.connect(("127.0.0.1", port))

    def send(self, body):
        body = body.replace(HOST, b"h%05d.example.org" % self.number)
        body = body.replace(BEGIN, struct.pack("<Q", time.time_ns()))
        self.sent += 1
        self.waits = time.monotonic()
        self.line.sendall(HEAD % (self.number, self.sent, len(body)) + body)

    def receive(self):
        """The seconds that an answer took, once it is there."""
        more = self.line.recv(4096)
        self.answer += more
        head, found, body = self.answer.partition(b"\r\n\r\n")
        size = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if not more or (found and not head.startswith(b"HTTP/1.1 200 ")):
            raise RuntimeError(f"sender {self.number}: {head!r}")
        if not found or len(body) < int(size):
            return None
        took, self.waits, self.answer = time.monotonic() - self.waits, None, b""
        return took


def steady(senders, body, poll):
    """Each sends every INTERVAL, ROUNDS times, all evenly over time; returns what
    the answers of all rounds but the first took, in seconds."""
    by_file = {sender.line.fileno(): sender for sender in senders}
    start = time.monotonic()
    due = [(start + INTERVAL * i / len(senders), i) for i in range(len(senders))]
    took, answers = [], 0
    while answers < ROUNDS * len(senders):
        now = time.monotonic()
        if now > start + (ROUNDS + 3) * INTERVAL:
            break  # What is not answered by now is not.
        while due and due[0][0] <= now:
            when, number = heapq.heappop(due)
            sender = senders[number]
            if sender.waits is None:
                sender.send(body)
                when += INTERVAL
            else:  # As forward: one request at a time.
                when = now + 0.1
            if sender.sent < ROUNDS:
                heapq.heappush(due, (when, number))
        for file, _ in poll.poll(0.005):
            seconds = by_file[file].receive()
            if seconds is not None:
                answers += 1
                if by_file[file].sent > 1:
                    took.append(seconds)
    return sorted(took)


def senders(tools, report, say):
    if not os.path.exists(os.path.join(tools.build, ".libs", "otlp.so")):
        raise Skip("the plugin otlp is not built")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < SENDERS + 1000:
        raise Skip(f"only {most} files may be open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    path = os.path.join(tools.folder, "senders")
    tools.figures("bench_otlp", "-o", path, "agent")
    with open(path, "rb") as file:
        body = file.read()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    daemon = Ours(tools, "senders", CONF.format(port=port))
    say(f"senders: {SENDERS:,} connections, {ROUNDS * INTERVAL} s")
    with select.epoll() as poll:
        lines = [Sender(i, port) for i in range(SENDERS)]
        for sender in lines:
            poll.register(sender.line.fileno(), select.EPOLLIN)
        cpu, start = daemon.process.cpu(), time.monotonic()
        took = steady(lines, body, poll)
        share = (daemon.process.cpu() - cpu) / (time.monotonic() - start)
    memory = daemon.process.memory("Rss")
    lost = (ROUNDS - 1) * SENDERS - len(took)
    for sender in lines:
        sender.line.close()
    daemon.stop()
    report.line("senders", 100 * share, "% of a core", most=20)
    report.line("senders", lost, "requests not answered", most=0)
    report.line("senders-answer-half", 1e3 * took[len(took) // 2], "ms")
    report.line("senders-answer-99", 1e3 * took[len(took) * 99 // 100], "ms")
    report.line("senders", memory / SENDERS * 1024, "KiB/sender")
