# SPDX-License-Identifier: MIT
"""Many senders of OTLP: what otlp_load sends for each of them, and what it prints."""
import os

from forward_lab import BUILD
from protobuf import text

LOAD = os.path.join(BUILD, "tests", "scenario", "otlp_load")


def request(values):
    """Values of the host "h00000", at the time that the loader looks for."""
    stamp = b"\x19" + (1700000000 * 10**9).to_bytes(8, "little")
    points = b"".join(
        text(1, stamp + b"\x21" + bytes(8) + text(7, text(1, b"n") + text(2, text(1, b"%d" % n))))
        for n in range(values))
    host = text(1, text(1, b"host.name") + text(2, text(1, b"h00000")))
    return text(1, text(1, host) + text(2, text(2, text(1, b"g") + text(5, points))))


def figures(line):
    return {key: float(value) for key, value in (word.split("=") for word in line.split())}
