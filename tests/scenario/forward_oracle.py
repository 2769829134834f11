# SPDX-License-Identifier: MIT
"""Feeds numbered values into a collector, knows which were acknowledged, and
says what of them is missing, doubled or wrong in the files of another."""
import os
import re
import socket
import threading
import time

SERIES = 100
ROUNDS_PER_SECOND = 50
FIRST = 1700000000


class Feeder(threading.Thread):
    """Puts the same number into all series, then the next, and knows which were
    acknowledged.  What was not is not sent again: it may be there, or not."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.stopped = path, False
        self.rounds = 0
        self.acked = [set() for _ in range(SERIES)]
        self.start()

    @staticmethod
    def line(series, number):
        when = FIRST + number / ROUNDS_PER_SECOND
        return f"PUTVAL put/x/gauge-{series} interval=1 {when:.3f}:{number}\n"

    def put_round(self, line, replies):
        line.sendall("".join(self.line(i, self.rounds) for i in range(SERIES)).encode())
        for i in range(SERIES):
            reply = replies.readline()
            if reply.startswith("0 "):
                self.acked[i].add(self.rounds)
            elif reply == "":
                raise OSError("closed")
            else:
                raise ValueError(reply)

    def run(self):
        begin = time.monotonic()
        while not self.stopped:
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    line.settimeout(10)
                    line.connect(self.path)
                    with line.makefile("r") as replies:
                        while not self.stopped:
                            self.rounds += 1
                            self.put_round(line, replies)
                            due = begin + self.rounds / ROUNDS_PER_SECOND
                            time.sleep(max(0, due - time.monotonic()))
            except OSError:
                time.sleep(0.01)

    def stop(self):
        self.stopped = True
        self.join()


def verify(there, feeder):
    """Counts what is lost, there twice, and wrong, and what of all is there."""
    lost = twice = wrong = rows = 0
    for i in range(SERIES):
        path = os.path.join(there.folder, "csv", "put", "x", f"gauge-{i}")
        text = there.read(os.path.relpath(path, there.folder)).splitlines()
        seen = set()
        for row in text[1:]:
            rows += 1
            match = re.fullmatch(r"(\d+\.\d{3}),(\d+)\.000000", row)
            number = int(match[2]) if match else -1
            if match is None or match[1] != f"{FIRST + number / ROUNDS_PER_SECOND:.3f}":
                wrong += 1
            twice += number in seen
            seen.add(number)
        lost += len(feeder.acked[i] - seen)
    return {"lost": lost, "twice": twice, "wrong": wrong, "rows": rows}


def settled(here, there):
    return here.writer("forward")["queued"] == 0 and there.writer("csv")["queued"] == 0
