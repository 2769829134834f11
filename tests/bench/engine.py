# SPDX-License-Identifier: MIT
"""The engine alone, driven by bench_dispatch: from a batch to null writers."""
import os
import shutil

from tools import instructions, median, together, valgrind

LEAST, MOST = 100_000, 600_000  # Values of the two runs whose difference counts.
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000}


def count(tools, name, *options):
    """Instructions per value: start and first sight of a series cancel."""
    def job(values):
        out = os.path.join(tools.folder, f"callgrind.{name}.{values}")
        tools.figures("bench_dispatch", *options, "-v", values, before=valgrind(out))
        return instructions(out)
    least, most = together([lambda: job(LEAST), lambda: job(MOST)])
    return (most - least) / (MOST - LEAST)


def cpu(tools, *options):
    """CPU ns per value, of all threads."""
    run = tools.figures("bench_dispatch", *options)
    return run["cpu_ns"] / run["values"]


def dispatch(tools, report, say):
    """One value from its batch to a null writer, cache and rates included."""
    say("dispatch: callgrind")
    whole = count(tools, "whole")
    source = count(tools, "source", "-x")
    named = count(tools, "named", "-n")
    judged = count(tools, "judged", "-g")
    report.line("dispatch", whole - source, "instructions/value", most=200)
    report.line("dispatch+put", whole, "instructions/value")
    report.line("dispatch+put+name", named, "instructions/value")
    report.line("dispatch+judge", judged - whole, "instructions/value more", most=3)
    say("dispatch: time")
    report.line("dispatch+put", median([cpu(tools, "-v", 2_000_000) for _ in range(5)]),
                "CPU ns/value")


def writers(tools, report, say):
    """Values through dispatch, all threads on one core."""
    core = min(os.sched_getaffinity(0))
    for n, goal in ((1, None), (2, None), (4, 3)):
        say(f"writers: {n}")
        runs = [tools.figures("bench_dispatch", "-w", n, "-v", 4_000_000, core=core)
                for _ in range(5)]
        for kind in ("cpu", "wall"):
            rate = median([run["values"] * 1e3 / run[f"{kind}_ns"] for run in runs])
            report.line(f"writers-{n}", rate, f"M values/s ({kind})", least=goal)


def series(tools, report, say):
    """Cost of a value by the number of series: held, or looked up by name."""
    for kind, options in (("held", ()), ("named", ("-n",))):
        cost = {size: [] for size in SIZES}
        for turn in range(5):
            for size, n in SIZES.items():
                say(f"series: {kind}, {size}, {turn + 1} of 5")
                cost[size].append(cpu(tools, "-s", n, "-v", 2_000_000, *options))
        for size in SIZES:
            report.line(f"series-{size}-{kind}", median(cost[size]), "CPU ns/value")
        report.line(f"series-1M/1k-{kind}", median(cost["1M"]) / median(cost["1k"]),
                    "times the CPU", most=1.5)
    for kind, options in (("held", ()), ("named", ("-n",))):
        for size in ("1k", "100k"):
            say(f"series: {kind}, {size}, callgrind")
            report.line(f"series-{size}-{kind}",
                        count(tools, f"series.{size}.{kind}", "-s", SIZES[size], *options),
                        "instructions/value")


def journal(tools, report, say):
    """A value that goes into the journal on its way to a durable writer."""
    def folder(name):
        path = os.path.join(tools.folder, f"journal.{name}")
        shutil.rmtree(path, ignore_errors=True)
        return path
    say("journal: callgrind")
    without = count(tools, "without")
    def job(values):
        out = os.path.join(tools.folder, f"callgrind.journal.{values}")
        tools.figures("bench_dispatch", "-j", folder(values), "-v", values,
                      before=valgrind(out))
        return instructions(out)
    least, most = together([lambda: job(LEAST), lambda: job(MOST)])
    report.line("journal", (most - least) / (MOST - LEAST) - without, "instructions/value more")
    say("journal: time")
    runs = [tools.figures("bench_dispatch", "-j", folder("time"), "-v", 1_000_000)
            for _ in range(5)]
    report.line("journal", runs[0]["journal_bytes_per_value"], "bytes/value on disk")
    report.line("journal+dispatch+put", median([run["cpu_ns"] / run["values"] for run in runs]),
                "CPU ns/value")
    report.line("journal", median([run["values"] * 1e3 / run["cpu_ns"] for run in runs]),
                "M values/s per core", least=1)


def memory(tools, report, say):
    """Resident memory per series: name, last value, rate, a writer's slot."""
    for size, n, options, most in (("200k", 200_000, (), 350), ("1M", 1_000_000, (), 350),
                                   ("1M-labels", 1_000_000, ("-l",), 400)):
        say(f"memory: {size} series")
        run = tools.figures("bench_dispatch", "-s", n, "-v", n, *options)
        report.line(f"memory-{size}", run["bytes_per_series"], "bytes/series", most=most)


def churn(tools, report, say):
    """What the engine keeps of series that come and go, in hours of a clock that is stepped."""
    for kind, options in (("", ()), ("-journal", ("-j", tools.fresh("churn")))):
        say(f"churn{kind}: 5 hours")
        run = tools.figures("bench_churn", "-t", 4, *options)
        report.line(f"churn{kind}", run["used_per_hour"] / 2**20,
                    "MiB/h kept, 720 k series/h come and go", most=0.1)
        report.line(f"churn{kind}", run["resident_per_hour"] / 2**20, "MiB/h resident")


def catalogue(tools, report, say):
    """The catalogue of a million series: a new one, the file, a start, and a day in which a tenth is replaced."""
    say("catalogue: a day of a million series")
    run = tools.figures("bench_catalogue", "-f", os.path.join(tools.fresh("catalogue"), "catalogue"))
    report.line("catalogue-new", (run["noted_ns"] - run["alone_ns"]) / 1e3, "CPU us/new series more", most=2)
    report.line("catalogue-file", run["file_bytes"] / 1e6, "MB, 1 M series", most=120)
    report.line("catalogue-start", run["start_seconds"], "s to read 1 M series", most=2)
    report.line("catalogue-start", run["longest_wait_ns"] / 1e6, "ms that a look-up waits meanwhile")
    report.line("catalogue-back", run["back_ns"] / 1e3, "CPU us/series that comes back")
    report.line("catalogue-day", run["largest_bytes"] / 1e6, "MB at most, a tenth replaced", most=300)
    report.line("catalogue-day", run["day_cpu_seconds"], "CPU s of the catalogue")
    run = tools.figures("bench_catalogue", "-l", "-f", os.path.join(tools.fresh("catalogue"), "catalogue"))
    report.line("catalogue-labels", (run["noted_ns"] - run["alone_ns"]) / 1e3, "CPU us/new series more, with 11 labels", most=2.5)
    report.line("catalogue-labels", run["file_bytes"] / 1e6, "MB, 1 M series with labels", most=120)
    report.line("catalogue-labels", run["start_seconds"], "s to read 1 M series with labels", most=2)
    report.line("catalogue-search", run["search_seconds"] * 1e3, "CPU ms for 100 of 1 M series by a label", most=60)


def switches(tools, report, say):
    """Context switches of the process where a host's packet is 20 values."""
    for n in (1, 4):
        say(f"switches: {n} writers, 6 s")
        run = tools.figures("bench_dispatch", "-b", 20, "-r", 50_000, "-v", 300_000, "-w", n)
        report.line(f"switches-{n}", run["switches"] / run["values"], "switches/value at 50k/s",
                    most=0.02 if n == 1 else None)
