# SPDX-License-Identifier: MIT
"""How soon a notification is in the log: of a daemon that ends, and of tasks that wait."""
import mmap
import os
import select
import shutil
import signal
import subprocess
import threading
import time

from collectors import Ours
from tools import Skip

DEATHS, LONG_DEATHS = 100, 300
CYCLES, LONG_CYCLES = 8, 100
WINDOW = 2  # Seconds; a multiple of 2 is allowed without CAP_SYS_RESOURCE.
GOAL = 50  # Milliseconds.
PATIENCE = 30  # Seconds.


class Log:
    """The lines that are new in a log, and when they were seen."""

    def __init__(self, path):
        self.file = open(path, encoding="utf-8", errors="replace")
        self.part = ""

    def skip(self):
        self.file.seek(0, os.SEEK_END)
        self.part = ""

    def line(self):
        """One whole line, or None."""
        self.part += self.file.readline()
        if not self.part.endswith("\n"):
            return None
        line, self.part = self.part, ""
        return line

    def wait(self, words):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            line = self.line()
            if line is None:
                time.sleep(0.0002)
            elif words in line:
                return time.monotonic()
        raise Skip(f"the log has no '{words}'")


def lines(report, name, delays):
    delays = sorted(1000 * delay for delay in delays)
    report.line(name, delays[len(delays) // 2], "ms, median")
    report.line(name, delays[max(0, -(-len(delays) * 99 // 100) - 1)], "ms, p99", most=GOAL)
    report.line(name, len(delays), "notifications")


def deaths(tools, count):
    program = os.path.join(tools.fresh("mortal"), "mortal")
    shutil.copy(shutil.which("sleep"), program)
    daemon = Ours(tools, "death", f'''LoadPlugin procwatch
<Plugin procwatch>
  <Daemon "mortal">
    ProcessMatch "^{program} "
  </Daemon>
</Plugin>
''', interval=0.1)
    log, delays = Log(os.path.join(daemon.folder, "log")), []
    try:
        log.wait("'mortal' does not run")
        for _ in range(count):
            child = subprocess.Popen([program, "1000000"])
            log.wait(f"'mortal' runs again, as process {child.pid},")
            log.skip()
            begin = time.monotonic()
            os.kill(child.pid, signal.SIGKILL)
            delays.append(log.wait(f"'mortal' has ended, which was process {child.pid}") - begin)
            child.wait()
    finally:
        daemon.stop()
    return delays


class Trigger(threading.Thread):
    """A trigger like that of the collector: when the kernel woke us."""

    def __init__(self):
        super().__init__(daemon=True)
        try:
            self.file = os.open("/proc/pressure/io", os.O_RDWR | os.O_NONBLOCK)
            os.write(self.file, f"some 50000 {WINDOW * 1000000}\0".encode())
        except OSError as error:
            raise Skip(f"the kernel allows no trigger: {error.strerror}") from error
        self.times, self.ends = [], False
        self.start()

    def run(self):
        poll = select.poll()
        poll.register(self.file, select.POLLPRI)
        while not self.ends:
            self.times += [time.monotonic() for _ in poll.poll(200)]


def wait_for_disk(path, seconds):
    buffer, end, offset = mmap.mmap(-1, 1 << 20), time.monotonic() + seconds, 0
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    while time.monotonic() < end:
        os.preadv(file, [buffer], offset)
        offset = (offset + (1 << 20)) % (64 << 20)
    os.close(file)


def pressures(tools, cycles):
    daemon = Ours(tools, "pressure", f'''LoadPlugin pressure
<Plugin pressure>
  <Trigger "io">
    Stall 0.05
    Window {WINDOW}
    Calm {WINDOW}
  </Trigger>
</Plugin>
''', interval=10)
    path = os.path.join(daemon.folder, "data")
    with open(path, "wb") as file:
        file.write(b"x" * (64 << 20))
        os.fsync(file.fileno())
    log, seen = Log(os.path.join(daemon.folder, "log")), []
    try:
        trigger = Trigger()
        for _ in range(cycles):
            readers = [threading.Thread(target=wait_for_disk, args=(path, 2.5)) for _ in range(3)]
            for reader in readers:
                reader.start()
            end = time.monotonic() + 2.5 + 2 * WINDOW + 1
            while time.monotonic() < end:
                line = log.line()
                if line is None:
                    time.sleep(0.0005)
                elif "some tasks waited for io" in line:
                    seen.append(time.monotonic())
            for reader in readers:
                reader.join()
        trigger.ends = True
    except OSError as error:
        raise Skip(f"no direct reads here: {error.strerror}") from error
    finally:
        daemon.stop()
    # Both triggers fire at the same look of the kernel, if both are due.
    near = [[at - time for time in trigger.times if -0.01 < at - time < 0.5] for at in seen]
    delays = [max(0, min(each, key=abs)) for each in near if each]
    if not delays:
        raise Skip("the disk made nobody wait")
    return delays


def notices(tools, report, say):
    count = LONG_DEATHS if tools.long else DEATHS
    say(f"notices: {count} deaths")
    lines(report, "notices-death", deaths(tools, count))
    cycles = LONG_CYCLES if tools.long else CYCLES
    say(f"notices: {cycles} times of pressure")
    lines(report, "notices-pressure", pressures(tools, cycles))
