# SPDX-License-Identifier: MIT
"""Resident memory of a process, and how fast it grows."""


def resident(pid):
    """KiB (proc(5), VmRSS)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def slope(rows):
    """KiB an hour, by least squares, of (seconds, KiB)."""
    mean_x, mean_y = (sum(column) / len(rows) for column in zip(*rows))
    return 3600 * sum((x - mean_x) * (y - mean_y) for x, y in rows) / \
        sum((x - mean_x) ** 2 for x, _ in rows)
