# SPDX-License-Identifier: MIT
"""One line per figure: name, ours, the peer's from the same run, the goal."""
import sys

WIDTHS = (22, 11, 23, 11, 10)
TERMINAL = sys.stdout.isatty()
GREEN, RED, PLAIN = ("\033[32m", "\033[31m", "\033[0m") if TERMINAL else ("", "", "")


def say(what):
    """Progress: on a terminal it is gone when the next line is printed."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what} ...", end="", file=sys.stderr, flush=True)
    else:
        print(f"# {what}", file=sys.stderr, flush=True)


def erase():
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def number(value):
    """At least three digits that mean something."""
    if value is None:
        return "-"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    if 0 < abs(value) < 0.1:
        digits = 4
    return f"{value:,.{digits}f}"


class Report:
    """Prints as it goes, and counts what misses its goal."""

    def __init__(self):
        self.missed = 0

    def head(self):
        self.row("benchmark", "ours", "unit", "collectd", "goal", "")

    def row(self, name, figure, unit, peer, goal, verdict):
        n, f, u, p, g = WIDTHS
        erase()
        line = f"{name:<{n}} {figure:>{f}} {unit:<{u}} {peer:>{p}} {goal:>{g}}"
        print(f"{line}  {verdict}".rstrip(), flush=True)

    def line(self, name, figure, unit, peer=None, most=None, least=None):
        """'most' and 'least' are the goal: one of them, a peer's figure where
        the goal is the peer's, or none."""
        goal, verdict = "-", ""
        if most is not None or least is not None:
            met = figure <= most if most is not None else figure >= least
            goal = f"<= {number(most)}" if most is not None else f">= {number(least)}"
            verdict = f"{GREEN}met{PLAIN}" if met else f"{RED}MISSED{PLAIN}"
            self.missed += not met
        self.row(name, number(figure), unit, number(peer), goal, verdict)

    def skip(self, name, why):
        erase()
        print(f"{name:<{WIDTHS[0]}} {'-':>{WIDTHS[1]}} not measured: {why}", flush=True)
