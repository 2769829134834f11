#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples that can be found again: series S has the value N at FIRST + N * 10 s,
where files with a step of 10 s keep it unchanged, so a hole is a loss and a wrong
number is a mix-up.

   rrd_oracle.py feed SOCKET SERIES RATE STOPFILE   until STOPFILE exists; prints
                                                    how many rounds were put
   rrd_oracle.py verify DIRECTORY SERIES ROUNDS     prints lost=N wrong=N"""
import os
import re
import socket
import subprocess
import sys
import time

FIRST, STEP = 1700000000, 10


def name(series):
    return f"here/oracle-{series % 10}/gauge-{series}"


def feed(path, series, rate, stop):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        stream = line.makefile("rw")
        begun, rounds = time.monotonic(), 0
        while not os.path.exists(stop):
            stream.write("".join(
                f"PUTVAL {name(i)} interval={STEP} {FIRST + rounds * STEP}:{rounds}\n"
                for i in range(series)))
            stream.flush()
            for _ in range(series):
                answer = stream.readline()
                if not answer.startswith("0 "):
                    sys.exit(f"refused: {answer}")
            rounds += 1
            time.sleep(max(0, begun + rounds * series / rate - time.monotonic()))
        print(rounds)


def compare(directory, series, rounds):
    """Returns how many values are lost, and wrong.  A gauge at the end of a step
    is the value of that step; the first update only begins the file."""
    lost = wrong = 0
    for i in range(series):
        text = subprocess.run(
            ["rrdtool", "fetch", f"{directory}/{name(i)}.rrd", "AVERAGE", "-r", str(STEP),
             "-s", str(FIRST), "-e", str(FIRST + (rounds - 1) * STEP)],
            stdout=subprocess.PIPE, check=False, text=True).stdout
        found = dict(re.findall(r"^(\d+): (\S+)$", text, re.M))
        for n in range(1, rounds):
            value = found.get(str(FIRST + n * STEP), "nan")
            if "nan" in value:
                lost += 1
            elif float(value) != n:
                wrong += 1
    return lost, wrong


def verify(directory, series, rounds):
    lost, wrong = compare(directory, series, rounds)
    print(f"lost={lost} wrong={wrong}")


if __name__ == "__main__":
    if sys.argv[1] == "feed":
        feed(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
    else:
        verify(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
