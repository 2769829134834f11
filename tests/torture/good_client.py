# SPDX-License-Identifier: MIT
"""A good client of each of nine listeners: where they listen, what it asks there,
how soon it is served, and what a hostile client may send there (see hostile_listeners
and strangers)."""
import glob
import http.client
import json
import os
import socket
import struct
import threading
import time

from forward_lab import HERE, report

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PERIOD, WAIT = 0.1, 5    # Seconds between good requests, and for an answer.
SERVED_MIN = 0.95        # Of the good ones.


def seed(target, name):
    with open(os.path.join(SOURCE, "tests", "fuzz", "corpus", target, name), "rb") as file:
        return file.read()


def corpus(*names):
    paths = sorted(path for name in names for path in
                   glob.glob(os.path.join(SOURCE, "tests", "fuzz", "corpus", name, "**"),
                             recursive=True) if os.path.isfile(path))
    return [open(path, "rb").read() for path in paths]  # pylint: disable=consider-using-with


def request(method, path, body, kind=b"text/plain"):
    return b"%s %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (
        method, path, kind, len(body), body)


def ask(port, method, path, body=None, wanted=(200, 204)):
    """One request of HTTP by a connection of its own."""
    line = http.client.HTTPConnection(HERE, port, timeout=WAIT)
    try:
        line.request(method, path, body, {"Content-Type": "application/json"})
        reply = line.getresponse()
        reply.read()
        return reply.status in wanted
    finally:
        line.close()


def exchange(line, text):
    """What comes after a text."""
    with line:
        line.settimeout(WAIT)
        line.sendall(text)
        return line.recv(65536)


def stream(port):
    return socket.create_connection((HERE, port), WAIT)


def datagram(port, text):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(text, (HERE, port))
    return None


def part(kind, content):
    return struct.pack(">HH", kind, len(content) + 4) + content


def packet(number):
    """A value as the network plugin has it."""
    now = time.time_ns() * 2**30 // 10**9
    return b"".join((part(0, b"good\0"), part(8, struct.pack(">Q", now)),
                     part(9, struct.pack(">Q", 2**30)), part(2, b"network\0"),
                     part(4, b"gauge\0"), part(5, b"r%d\0" % (number % 40)),
                     part(6, struct.pack(">HB", 1, 1) + struct.pack("<d", number))))


def metrics(number):
    point = {"timeUnixNano": str(time.time_ns()), "asDouble": number}
    return json.dumps({"resourceMetrics": [{
        "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "good"}}]},
        "scopeMetrics": [{"metrics": [{"name": "g", "gauge": {"dataPoints": [point]}}]}]}]})


INFORM = seed("snmptrap", "v2c").replace(b"\xa7\x81\x99", b"\xa6\x81\x99")
LINK_DOWN, LINK_UP = (b"\x06\x09\x2b\x06\x01\x06\x03\x01\x01\x05" + end for end in (b"\3", b"\4"))


def inform(port, number):
    """A link is down, then up, and so on: so half of them count for NoticeLimit."""
    text = INFORM.replace(b"\x43\xf0\xc8\xa6", struct.pack(">I", number))
    if number % 2 == 0:
        text = text.replace(LINK_DOWN, LINK_UP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect((HERE, port))
        return exchange(line, text) != b""


def put(path, number):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(WAIT)
    line.connect(path)
    return exchange(line, b"PUTVAL good/unixsock/gauge-r%d interval=1 N:%d\n" %
                    (number % 40, number)).startswith(b"0 ")


def plugins_of_munin(port):
    line = stream(port)
    line.recv(1000)
    return exchange(line, b"list\n") != b""


class Listener:
    """Where it listens, what a good client asks there, how often, and what a hostile
    one sends.  good() is None if only the value that arrives tells."""
    period = PERIOD

    def __init__(self, name, conf, good, hostile, kind=socket.SOCK_STREAM):
        self.name, self.conf, self.good, self.hostile, self.kind = name, conf, good, hostile, kind
        with socket.socket(socket.AF_INET, kind) as probe:
            probe.bind((HERE, 0))
            self.port = probe.getsockname()[1]

    def block(self):
        return (f'LoadPlugin {self.name}\n<Plugin {self.name}>\n'
                f'{self.conf.format(here=HERE, port=self.port)}\n</Plugin>\n' if self.conf else "")


LISTEN = '<Listen "{here}" "{port}">\n</Listen>'
UDP = socket.SOCK_DGRAM
LISTENERS = [
    Listener("otlp", LISTEN, lambda at, n: ask(at.port, "POST", "/v1/metrics", metrics(n)),
             [request(b"POST", b"/v1/metrics", body, b"application/x-protobuf")
              for body in corpus("otlp")] +
             [request(b"POST", b"/v1/metrics", body, b"application/json")
              for body in corpus("otlp_json")]),
    Listener("influx", LISTEN, lambda at, n: ask(at.port, "POST", "/write?db=a",
                                                 f"good value={n}"),
             [request(b"POST", b"/write?db=a", body) for body in corpus("influx")]),
    Listener("graphite", LISTEN,
             lambda at, n: stream(at.port).sendall(b"good.r%d %d %d\n" % (n % 40, n, time.time())),
             corpus("graphite")),
    Listener("web", LISTEN, lambda at, n: ask(at.port, "GET", "/api/1/hosts"),
             [request(b"GET", path, b"") for path in (
                 b"/", b"/api/1/series?host=good", b"/api/1/stream", b"/render?target=*",
                 b"/api/1/status", *corpus("graphite_api"))]),
    Listener("munin_node", 'Address "{here}"\nPort "{port}"\nAllow "127.0.0.0/8"',
             lambda at, n: plugins_of_munin(at.port),
             [b"list\n", b"cap multigraph\nconfig gauge\n", b"fetch gauge\n" * 50, b"nodes\n"]),
    Listener("unixsock", "", lambda at, n: put(at.port, n),
             corpus("plaintext") + [b"LISTVAL\n", b"STATUS\n", b"GETVAL good/a/gauge\n"]),
    Listener("network", LISTEN, lambda at, n: datagram(at.port, packet(n)), corpus("binary"), UDP),
    Listener("statsd", 'Host "{here}"\nPort "{port}"\nDeleteGauges true',
             lambda at, n: datagram(at.port, b"good.r%d:%d|g" % (n % 40, n)),
             corpus("statsd"), UDP),
    Listener("snmptrap", 'Host "{here}"\nPort "{port}"\nCommunity "public"\n'
             '<Sender "good">\nAddress "{here}"\n</Sender>',
             lambda at, n: inform(at.port, n), corpus("snmptrap"), UDP),
]
LISTENERS[-1].period = 1  # So that NoticeLimit is enough.


class Follower:
    """Follows the good values: when each was seen."""
    def __init__(self, path):
        self.seen = {}
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(path)
        self.line.sendall(b"TAP *good*\n")
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        with self.line.makefile("rb") as lines:
            for line in lines:
                if line.startswith(b"PUTVAL"):
                    self.seen.setdefault(line.rsplit(b":", 1)[1].strip(), time.monotonic())


def is_there(follower, number, begun):
    key = b"%d" % number
    while key not in follower.seen:
        if time.monotonic() - begun > WAIT:
            return False
        time.sleep(0.01)
    return True


def good(at, first, seconds, follower, took):
    """Asks, one request after the other; how long each took, None: in vain."""
    end, number = time.monotonic() + seconds, first
    while time.monotonic() < end:
        number += 1
        begun = time.monotonic()
        try:
            served = at.good(at, number)
            if served is None:
                served = is_there(follower, number, begun)
        except (OSError, http.client.HTTPException):
            served = False
        took.append(time.monotonic() - begun if served else None)
        time.sleep(max(0, begun + at.period - time.monotonic()))


def begin(daemon, listeners, seconds, first):
    """Good clients of all listeners: their threads, and by name how long each
    request took, None: in vain."""
    follower = Follower(daemon.socket)
    took = {at.name: [] for at in listeners}
    threads = [threading.Thread(target=good, args=(at, first + i * 10**5, seconds, follower,
                                                   took[at.name]))
               for i, at in enumerate(listeners)]
    for thread in threads:
        thread.start()
    return follower, threads, took


def tell(what, took):
    for name, times in took.items():
        served = sorted(one * 1000 for one in times if one is not None)
        if served:
            print(f"# {what}: {name}: {len(served)} of {len(times)} served, median "
                  f"{served[len(served) // 2]:.1f} ms, 99 % within "
                  f"{served[len(served) * 99 // 100]:.0f} ms, all within {served[-1]:.0f} ms",
                  flush=True)
        report(f"{what}: {name} serves {SERVED_MIN * 100:.0f} % of the good requests",
               None if times and len(served) >= SERVED_MIN * len(times)
               else f"{len(served)} of {len(times)}")
