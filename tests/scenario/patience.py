# SPDX-License-Identifier: MIT
"""Waiting, for as many times as long as tests/patience has found that things take here."""
import os
import subprocess
import threading
import time

PATIENCE = int(os.environ.get("MC_PATIENCE") or 1)
MORE = 4  # See wait_for() in tests/checks.sh.


def wait_for(what, seconds=60, step=0.1):
    """What what() returns as soon as that is true; or its last answer, after four times as many seconds of an idle
    machine."""
    end = time.monotonic() + MORE * seconds * PATIENCE
    while True:
        result = what()
        if result or time.monotonic() > end:
            return result
        time.sleep(step)


class Lateness(threading.Thread):
    """How late the machine wakes one who sleeps for a moment, again and again."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seconds = 0  # In total.
        self.moments = []  # Those of more than a twentieth of a second: when, and how late.
        self.start()

    def recently(self, seconds=30):
        """In so many seconds until now."""
        return sum(late for when, late in self.moments if when > time.monotonic() - seconds)

    def run(self):
        while True:
            begin = time.monotonic()
            time.sleep(0.05)
            late = max(0, time.monotonic() - begin - 0.06)
            self.seconds += late
            if late > 0.05:
                self.moments.append((begin, late))


def is_busy(seconds, limit, late=0):
    """Whether the machine is why something took longer than its limit: it was late itself for that time, or things
    take that many times as long now."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "patience")
    now = int(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout)
    return seconds <= limit + 3 * late or seconds <= limit * now
