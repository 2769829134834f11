#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What every scenario about loss measures with.  It puts numbered values in,
knows which were acknowledged, finds them where they should have come to, and
says how many are lost, duplicated, wrong or misordered.  And it closes the
ledger of a collector from the collector's own counters:

    dispatched = stored + rejected + dropped{reason} + late + still spooled

Series S has the value N * SERIES + S at FIRST + N * STEP, so a value says what
it is, and RRD files with a step of STEP keep it unchanged.  What was not
acknowledged is not put in again: it may be there, or not.

    oracle.py generate SOCKET ACKED STOPFILE [SERIES [RATE]]
        puts RATE values a second in, until STOPFILE exists
    oracle.py verify csv|rrd|taken PLACE ACKED [SERIES [REPEATS]]
        compares what is in a folder of csv or rrdcached, or in the file of the
        plugin 'ledger', whose batches the plugin 'numbers' made; REPEATS of
        them may have come twice.  What is not as it should be is said, and
        the exit status then 1
    oracle.py ledger SOCKET...
        the same for the ledgers of collectors, once nothing is under way

ACKED has a line "N" for every round that was acknowledged in all series, or
"N S" for a single series."""
import dataclasses
import glob
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

FIRST, STEP = 1700000000, 10
HOST = "oracle"
CTL = os.path.join(os.path.abspath(os.environ.get("top_builddir", ".")), "collectorctl")


def name(series):
    return f"{HOST}/put-{series % 10}/gauge-{series}"


# --- Generate --------------------------------------------------------------

class Feeder(threading.Thread):
    """Puts rounds in, one after the other, whatever becomes of the collector."""

    def __init__(self, path, acked, series=100, rate=5000):
        super().__init__(daemon=True)
        self.path, self.series, self.pause = path, series, series / rate
        self.file = open(acked, "a", 1, "utf-8")  # pylint: disable=consider-using-with
        self.rounds, self.over, self.problem = 0, False, None
        self.start()

    def put_round(self, line, replies):
        number, acked = self.rounds, []
        when = FIRST + number * STEP
        line.sendall("".join(
            f"PUTVAL {name(i)} interval={STEP} {when}:{number * self.series + i}\n"
            for i in range(self.series)).encode())
        try:
            for i in range(self.series):
                reply = replies.readline()
                if reply == "":
                    raise OSError("closed")
                if reply.startswith("0 "):
                    acked.append(i)
                else:
                    self.problem = self.problem or reply.strip()
        finally:
            self.file.write(f"{number}\n" if len(acked) == self.series
                            else "".join(f"{number} {i}\n" for i in acked))

    def run(self):
        due = time.monotonic()
        while not self.over:
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    line.settimeout(10)
                    line.connect(self.path)
                    with line.makefile("r") as replies:
                        while not self.over:
                            self.rounds += 1
                            self.put_round(line, replies)
                            # What could not be put in at its time is not made up for.
                            due = max(due + self.pause, time.monotonic() - 1)
                            time.sleep(max(0, due - time.monotonic()))
            except OSError:
                time.sleep(0.01)

    def stop(self):
        self.over = True
        self.join()
        self.file.close()


def generate(path, acked, stop, series="100", rate="5000"):
    feeder = Feeder(path, acked, int(series), float(rate))
    while not os.path.exists(stop):
        time.sleep(0.02)
    feeder.stop()
    if feeder.problem:
        sys.exit(f"refused: {feeder.problem}")


# --- Verify ----------------------------------------------------------------

@dataclasses.dataclass
class Verdict:
    acked: int = 0
    stored: int = 0      # Of those that were put in, acknowledged or not.
    lost: int = 0        # Acknowledged, and not there.
    longest: int = 0     # Of those that were lost in a row, in a series.
    duplicated: int = 0  # There once more.
    wrong: int = 0       # There, and not what was put in.
    misordered: int = 0  # Behind a later one.

    def rows(self):
        """All that is there."""
        return self.stored + self.duplicated + self.wrong

    def good(self, repeats=0):
        return (self.acked > 0 and self.lost == self.wrong == self.misordered == 0 and
                self.duplicated <= repeats)

    def __str__(self):
        return " ".join(f"{key}={value}" for key, value in vars(self).items())


def read_acked(path, series):
    """The numbers that were acknowledged, for each series."""
    acked = [set() for _ in range(series)]
    if not os.path.exists(path):
        return acked
    with open(path, encoding="utf-8") as file:
        for line in file:
            number, *which = map(int, line.split())
            for one in acked if not which else [acked[which[0]]]:
                one.add(number)
    return acked


def number_of(value, series, count):
    """The number that a value tells, None if it is not one of this series."""
    return value // count if value % count == series else None


def from_csv(folder, acked):
    """The numbers of each series, as they are in its file."""
    for i in range(len(acked)):
        path = os.path.join(folder, name(i))
        rows, found = [], []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                rows = file.read().splitlines()[1:]
        for row in rows:
            match = re.fullmatch(r"(\d+)\.000,(\d+)\.000000", row)
            number = number_of(int(match[2]), i, len(acked)) if match else None
            right = number is not None and int(match[1]) == FIRST + number * STEP
            found.append(number if right else None)
        yield found


def from_rrd(folder, acked):
    """The same of RRD files.  A gauge at the end of a step is the value of that
    step; one that never came has that of the next.  The first update only begins
    the file, so it counts as found."""
    for i, numbers in enumerate(acked):
        first, last = min(numbers, default=0), max(numbers, default=0)
        text = subprocess.run(
            ["rrdtool", "fetch", f"{folder}/{name(i)}.rrd", "AVERAGE", "-r", str(STEP),
             "-s", str(FIRST), "-e", str(FIRST + last * STEP)],
            stdout=subprocess.PIPE, check=False, text=True).stdout
        found = [first] if text else []
        for when, value in re.findall(r"^(\d+): ([-+.e\d]+)$", text, re.M):
            due = (int(when) - FIRST) // STEP
            number = number_of(round(float(value)), i, len(acked))
            if due in numbers and due != first and (number is None or number <= due):
                found.append(number if number == due else None)
        yield found


def from_taken(path, samples):
    """The numbers of batches that came, whole as they were made."""
    found = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                number, came = map(int, line.split())
                found.append(number if came == samples and number >= 0 else None)
    yield found


def longest_run(numbers, lost):
    """Of those in order, the most in a row that are lost."""
    longest = run = 0
    for number in sorted(numbers):
        run = run + 1 if number in lost else 0
        longest = max(longest, run)
    return longest


def compare(acked, found):
    verdict = Verdict()
    for numbers, came in zip(acked, found):
        seen, last = set(), -1
        for number in came:
            if number is None:
                verdict.wrong += 1
            elif number in seen:
                verdict.duplicated += 1
            else:
                verdict.misordered += number < last
                last = max(last, number)
                seen.add(number)
        lost = numbers - seen
        verdict.acked += len(numbers)
        verdict.stored += len(seen)
        verdict.lost += len(lost)
        verdict.longest = max(verdict.longest, longest_run(numbers, lost) if lost else 0)
    return verdict


def verify(kind, place, acked, series=100):
    """Compares a folder of 'csv' or 'rrd', or a file of 'taken', whose batches
    have so many series, with a file of what was acknowledged."""
    if kind == "taken":
        return compare(read_acked(acked, 1), from_taken(place, series))
    numbers = read_acked(acked, series)
    return compare(numbers, {"csv": from_csv, "rrd": from_rrd}[kind](place, numbers))


# --- Ledger ----------------------------------------------------------------

def status(path):
    """What the collector at a socket says of itself; None if it does not answer."""
    run = subprocess.run([CTL, "-t", "60", "-s", path, "status", "--json"], capture_output=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def dropped(writer):
    return {key: number for key, number in writer.items()
            if key.startswith("dropped_") and number}


def open_writer(writer):
    """None, or what does not add up for a writer, which is true at any time."""
    left = (writer["accepted"] - writer["delivered"] - writer["queued"] -
            sum(dropped(writer).values()))
    return f"{writer['name']}: {left:+} of {writer}" if left else None


def open_collector(said):
    """The same for all writers, and that every sample that was dispatched was
    given to each that takes samples unasked, and those that came late to some;
    one that is durable has those of before its start as well."""
    problems = [open_writer(writer) for writer in said["writers"]]
    dispatched, late = said["collector"]["samples"], said["collector"].get("samples_late", 0)
    for writer in said["writers"]:
        more = writer["accepted"] - dispatched
        if writer["accepted"] and (more < 0 or more > late and not writer["durable"]):
            problems.append(f"{writer['name']}: {more:+} beside {dispatched} dispatched")
    return "; ".join(p for p in problems if p) or None


def ledger(path, seconds=30):
    """None if the ledger closes, within some seconds in which what is under way
    arrives, also where the journal's disk has more to do; or what does not."""
    end = time.monotonic() + seconds
    while True:
        said = status(path)
        problem = open_collector(said) if said else f"no answer at '{path}'"
        if problem is None or time.monotonic() > end:
            return problem
        time.sleep(0.05)


def row_of(rows, wanted):
    return next(row for row in rows if row["name"] == wanted)


def main(command="", *words):
    if command == "generate" and len(words) in (3, 4, 5):
        generate(*words)
        return 0
    if command == "verify" and len(words) in (3, 4, 5):
        verdict = verify(*words[:3], *map(int, words[3:4]))
        print(verdict)
        return 0 if verdict.good(*map(int, words[4:])) else 1
    if command == "ledger" and words:
        problems = [problem for problem in map(ledger, words) if problem]
        print("\n".join(problems) or "closed")
        return 1 if problems else 0
    print(__doc__, file=sys.stderr)
    return 64


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
