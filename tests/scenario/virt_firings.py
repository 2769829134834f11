# SPDX-License-Identifier: MIT
"""Thresholds on thin disks of real guests, how long after the write they are
notified, and when libvirt's own client hears of them.
"""
import re
import subprocess
import threading
import time

from virt_lab import wait_for

MIB = 1 << 20
FIRINGS = 5  # Of one disk.
OPTIONS = """
Connection "qemu:///system"
<Watermark>
  Domain "w*"
  Percent 1
</Watermark>
"""


class Notices:
    def __init__(self, collector):
        self.connection = collector.connect()
        self.lines = self.connection.makefile("r")
        self.connection.sendall(b"TAP *\n")
        self.lines.readline()

    def next(self, text, seconds=5):
        """The next with this text; and when it came."""
        end = time.monotonic() + seconds
        self.connection.settimeout(seconds)
        try:
            while time.monotonic() < end:
                line = self.lines.readline()
                if text in line:
                    return line, time.monotonic()
        except OSError:
            pass
        return None, None


def allocation(lab, name):
    text = lab.virsh("domstats", "--block", name)[1]
    return int(re.search(r"block\.0\.allocation=(\d+)", text).group(1))


def is_set(lab, name, least=1):
    return wait_for(lambda: lab.threshold(name) >= least and
                    lab.threshold(name), 20, 0.2)


class Events(threading.Thread):
    """When libvirt's own client hears of a threshold, for each guest."""

    def __init__(self):
        super().__init__(daemon=True)
        self.heard, self.virsh = {}, subprocess.Popen(
            ["stdbuf", "-oL", "virsh", "-q", "-r", "-c", "qemu:///system",
             "event", "--event", "block-threshold", "--loop"],
            stdout=subprocess.PIPE, text=True)
        self.start()

    def run(self):
        for line in self.virsh.stdout:
            now = time.monotonic()
            found = re.search(r"for domain '?([^:' ]+)'?.*\bvda\b(?!\[)", line)
            if found:
                self.heard[found.group(1)] = now

    def close(self):
        self.virsh.kill()
        self.virsh.wait()


def fire_all(lab, notices, places, events):
    """Has each disk grow beyond its threshold; milliseconds until that was
    notified, and since libvirt's own client heard of it."""
    took, later = [], []
    for name, place in places.items():
        room = place - allocation(lab, name) - 256 * 1024 >> 16 << 16
        offset = lab.written.get(name, MIB)
        if room > 0:
            lab.guest_writes(name, str(offset), str(room))
            offset += room
        lab.written[name] = offset + 512 * 1024
        events.heard.clear()
        begin = time.monotonic()
        lab.guest_writes(name, str(offset), "512k")
        line, end = notices.next("block_threshold", 3)
        while line and "host=%s " % name not in line:
            print("# told again, or late: %s" % line.rstrip(), flush=True)
            line, end = notices.next("block_threshold", 3)
        if end is None:
            print("# %s: never told" % name, flush=True)
            continue
        took.append((end - begin) * 1000)
        heard = wait_for(lambda n=name: events.heard.get(n), 1, 0.001)
        if heard:
            later.append((end - heard) * 1000)
    return took, later


def shares(numbers):
    numbers = sorted(numbers)
    return ["%.1f" % numbers[int((len(numbers) - 1) * share)] if numbers
            else "no" for share in (0.5, 0.99, 1)]


def fire_many(lab, count):
    """So many thin disks of 32 MiB, each beyond FIRINGS thresholds: what
    fire_all() returns, of all; and how often the next threshold was set, which
    it is but for the last."""
    names = ["w%d" % n for n in range(10, 10 + count)]
    for name in names:
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2",
                        lab.path(name + ".qcow2"), "32M"], check=True)
    lab.create(*names)
    lab.written = {}
    ours = lab.collector(OPTIONS, name="many")
    notices, events, took, later, again = Notices(ours), Events(), [], [], 0
    places = {name: is_set(lab, name) for name in names}
    for turn in range(FIRINGS):
        one, other = fire_all(lab, notices, places, events)
        took, later = took + one, later + other
        if turn == FIRINGS - 1:
            break  # The disk is full.
        for name, place in places.items():
            places[name] = is_set(lab, name, place + 1) or place
            again += places[name] > place
    events.close()
    ours.stop()
    return took, later, again
