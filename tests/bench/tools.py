# SPDX-License-Identifier: MIT
"""What all benchmarks need: where things are, the two C programs, callgrind."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
median = statistics.median


class Skip(Exception):
    """A benchmark cannot run here; says why."""


class Tools:
    """A build tree without sanitizers, and a folder for what the runs write:
    of this run alone, and left there if it fails."""

    def __init__(self, build, long):
        self.build, self.long = build, long
        self.folder = tempfile.mkdtemp(prefix="bench-run.", dir=build)

    def done(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self, name):
        path = os.path.join(self.folder, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def program(self, name):
        return os.path.join(self.build, name)

    def figures(self, name, *options, core=None, before=()):
        """Runs a program that prints key=value pairs; returns them."""
        def pin():
            os.sched_setaffinity(0, {core})
        done = subprocess.run(
            [*before, self.program(name), *map(str, options)], text=True, check=True,
            stdout=subprocess.PIPE, preexec_fn=pin if core is not None else None)
        return {key: float(value) for key, value in
                (pair.split("=") for pair in done.stdout.split())}


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Skip(f"there is no {program}")


def valgrind(out):
    need("valgrind")
    return ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]


def instructions(out):
    """User-mode instructions of all threads, from a file of callgrind's."""
    with open(out, encoding="utf-8", errors="replace") as file:
        return int(re.search(r"^(?:summary|totals):\s+(\d+)", file.read(), re.M)[1])


def together(jobs):
    """Runs functions side by side: only for what counts and does not time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [task.result() for task in [pool.submit(job) for job in jobs]]
