# SPDX-License-Identifier: MIT
"""What the scenarios of the network plugin share: daemons that listen and send,
what they say, and packets."""
import ctypes
import glob
import hashlib
import hmac
import os
import re
import socket
import struct
import subprocess
import time

from patience import wait_for
from ports import free_port

BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
OURS = os.environ.get("COLLECTORD", os.path.join(BUILD, "collectord"))
PEER = os.environ.get("COLLECTD", "/usr/sbin/collectd")
PLUGINS = os.environ.get("PLUGINDIR", os.path.join(BUILD, ".libs"))
TYPES = "/usr/share/collectd/types.db"
FAMILIES = {"IPv4": ("127.0.0.1", socket.AF_INET), "IPv6": ("::1", socket.AF_INET6)}
FAILED = []

CONF = '''
Hostname "{name}"
FQDNLookup false
Interval 1
Timeout {timeout}
BaseDir "{dir}"
PIDFile "{dir}/pid"
TypesDB "{types}"
{plugindir}
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File "{dir}/log"
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{dir}/sock"
</Plugin>
LoadPlugin csv
<Plugin csv>
  DataDir "{dir}/csv"
  StoreRates false
</Plugin>
LoadPlugin network
<Plugin network>
{network}
</Plugin>
'''


def report(name, problem=None):
    if problem is not None:
        FAILED.append(name)
    print("ok " + name if problem is None else f"not ok {name}: {problem}", flush=True)


def drained(*ports):
    """Waits until the daemon has taken what was sent to these ports: the kernel drops a datagram for which the buffer
    of the socket has no room, and a busy machine does not let the daemon run at once."""
    def is_empty():
        for name in ("udp", "udp6"):
            if not os.path.exists("/proc/net/" + name):
                continue
            with open("/proc/net/" + name, encoding="ascii") as file:
                rows = [line.split() for line in file][1:]
            if any(int(row[1].rpartition(":")[2], 16) in ports and row[4].split(":")[1] != "00000000" for row in rows):
                return False
        return True
    wait_for(is_empty, step=0.001)


class Daemon:
    def __init__(self, folder, name, network, ours=True, timeout=60, more=""):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        conf = os.path.join(self.folder, "conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(more + CONF.format(
                dir=self.folder, name=name, network=network, types=TYPES, timeout=timeout,
                plugindir=f'PluginDir "{PLUGINS}"' if ours else ""))
        with open(os.path.join(self.folder, "out"), "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([OURS if ours else PEER, "-f", "-C", conf],
                                            stdout=out, stderr=out)
        if not wait_for(self.answers):
            self.stop()
            raise RuntimeError(f"{name} does not start: " + self.read("out", "log")[-600:])

    def answers(self):
        try:
            self.ask("LISTVAL")  # Only when all is started is there an answer.
            return True
        except (OSError, IndexError):
            return False

    def connect(self):
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(60)
        line.connect(os.path.join(self.folder, "sock"))
        return line

    def tell(self, *commands):
        """Gives commands that are answered with one line each."""
        with self.connect() as line, line.makefile("r") as replies:
            for command in commands:
                line.sendall(command.encode() + b"\n")
                reply = replies.readline()
                if not reply.startswith("0 "):
                    raise RuntimeError(f"{command}: {reply.strip()}")

    def ask(self, command):
        with self.connect() as line, line.makefile("r") as replies:
            line.sendall(command.encode() + b"\n")
            number = int(replies.readline().split()[0])
            return [replies.readline().rstrip("\n") for _ in range(max(0, number))]

    def read(self, *names):
        text = ""
        for name in names:
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()
        return text

    def row(self, series):
        """The last row of a series in the files of csv."""
        self.tell("FLUSH plugin=csv")
        lines = [line for path in glob.glob(glob.escape(f"{self.folder}/csv/{series}") + "-20*")
                 for line in self.read(os.path.relpath(path, self.folder)).splitlines()]
        return [float(lines[-1].split(",")[0]), *lines[-1].split(",")[1:]] if len(lines) > 1 else None

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


class Stream:
    """The numbers of ours as they are dispatched."""
    def __init__(self, daemon, names="*"):
        self.line = daemon.connect()
        self.line.sendall(f"TAP {names}\n".encode())
        self.text = b""
        wait_for(lambda: b"\n" in self.more(), 5)

    def more(self):
        self.line.setblocking(False)
        try:
            self.text += self.line.recv(1 << 20)
        except BlockingIOError:
            pass
        return self.text

    def sees(self, pattern, seconds=10):
        return wait_for(lambda: re.search(pattern.encode(), self.more(), re.M), seconds)

    def counts(self, reason, least, seconds=5):
        """Whether errors of that kind have reached a number."""
        def reached():
            seen = re.findall(rb"/network/errors-%s .* [\d.]+:(\d+)$" % reason.encode(),
                              self.more(), re.M)
            return seen and int(seen[-1]) >= least
        return wait_for(reached, seconds)


# --- Packets ------------------------------------------------------------------

def part(kind, content, size=None):
    return struct.pack(">HH", kind, 4 + len(content) if size is None else size) + content


def packet(host, ident, value, when=None, kind=1):
    when = time.time() if when is None else when
    number = struct.pack("<d", value) if kind == 1 else struct.pack(">q", value)
    return (part(0, host + b"\0") + part(8, struct.pack(">Q", int(when * (1 << 30)))) +
            part(9, struct.pack(">Q", 1 << 30)) + part(2, b"p\0") + part(4, ident + b"\0") +
            part(6, b"\0\1" + bytes([kind]) + number))


def signed(user, password, payload):
    mac = hmac.new(password, user + payload, hashlib.sha256).digest()
    return part(0x200, mac + user) + payload


def encrypted(user, password, payload):
    """By AES-256 in OFB mode, which are 9 and 5 in gcrypt.h."""
    gcrypt = ctypes.CDLL("libgcrypt.so.20")
    handle, start, key = ctypes.c_void_p(), os.urandom(16), hashlib.sha256(password).digest()
    text = ctypes.create_string_buffer(hashlib.sha1(payload).digest() + payload, 20 + len(payload))
    gcrypt.gcry_check_version(None)
    for problem in (gcrypt.gcry_cipher_open(ctypes.byref(handle), 9, 5, 0),
                    gcrypt.gcry_cipher_setkey(handle, key, 32),
                    gcrypt.gcry_cipher_setiv(handle, start, 16),
                    gcrypt.gcry_cipher_encrypt(handle, text, len(text), None, 0)):
        if problem:
            raise RuntimeError(f"libgcrypt: {problem}")
    gcrypt.gcry_cipher_close(handle)
    return part(0x210, struct.pack(">H", len(user)) + user + start + text.raw)
