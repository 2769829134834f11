# SPDX-License-Identifier: MIT
"""OTLP: what a value costs to write and to read, and its bytes on the wire."""
import gzip
import os
import shutil
import subprocess

from tools import instructions, together, valgrind

FEW, MANY = 5, 25  # Rounds of the two runs whose difference counts.


def count(tools, load, *options):
    """Instructions per value: start and the making of the batch cancel."""
    def job(rounds):
        out = os.path.join(tools.folder, f"callgrind.otlp.{load}.{len(options)}.{rounds}")
        run = tools.figures("bench_otlp", "-n", rounds, *options, load, before=valgrind(out))
        return instructions(out), run["values"]
    (least, values), (most, _) = together([lambda: job(FEW), lambda: job(MANY)])
    return (most - least) / ((MANY - FEW) * values)


def zstd_size(path):
    """Bytes after zstd -3; None without the program."""
    if shutil.which("zstd") is None:
        return None
    return len(subprocess.run(["zstd", "-3", "-q", "-c", path], check=True,
                              stdout=subprocess.PIPE).stdout)


def otlp(tools, report, say):
    for load in ("vms", "host"):
        say(f"otlp: {load}, callgrind")
        write = count(tools, load)
        both = count(tools, load, "-r")
        report.line(f"otlp-{load}-write", write, "instructions/value", most=300)
        report.line(f"otlp-{load}-read", both - write, "instructions/value")
        path = os.path.join(tools.folder, f"otlp.{load}")
        values = tools.figures("bench_otlp", "-o", path, load)["values"]
        with open(path, "rb") as file:
            request = file.read()
        report.line(f"otlp-{load}", len(request) / values, "bytes/value")
        report.line(f"otlp-{load}-gzip", len(gzip.compress(request, 4)) / values, "bytes/value")
        packed = zstd_size(path)
        if packed is not None:
            report.line(f"otlp-{load}-zstd", packed / values, "bytes/value", most=8)
