#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spool files of performance data, and what is to become of them.

    perfdata.py fill FOLDER EXPECTED [--files N] [--events N] [--hosts N]
            [--start TIME] [--step S] [--pause S] [--odd PERCENT] [--bad PERCENT]
            [--columns] [--append] [--seed N]
        moves files into the folder, as Nagios and Icinga do, and writes to a file
        which values and which errors they have: a line of JSON for each file.
        --append: FOLDER is one file that grows
    perfdata.py check NAME TAKEN     is a check plugin: prints a text that NAME
        decides on, and adds to a file which values it has
    perfdata.py runs FOLDER HOST TAKEN...    what is in the files of the csv plugin
        of a host is what its checks have printed, but for the last ones
    perfdata.py csv FOLDER EXPECTED...     what is in the files of the csv plugin,
    perfdata.py journal FILE EXPECTED...   or in an export of a journal,
        is what was expected, each value once
    perfdata.py counts FOLDER SPOOL EXPECTED...
        what the plugin has counted, in files of the csv plugin, is what was
        expected

What a text is worth stands beside it, so nothing is parsed here."""
import argparse
import collections
import glob
import json
import os
import random
import sys
import time

LONG = "/very/long/" + "x" * 300


def long_label(text):
    """A label of more than 127 bytes ends with the FNV-1a sum of all of it."""
    number = 0xcbf29ce484222325
    for byte in text.encode():
        number = (number ^ byte) * 0x100000001b3 % 2**64
    return f"{text[:118]}~{number % 2**32:08x}"


# --- Texts, each with its items (type, label, value) and its errors ----------

def load(r):
    values = [round(r.random() * 4, 3) for _ in range(3)]
    return (" ".join(f"load{n}={v:.3f};5.000;10.000;0;" for n, v in zip((1, 5, 15), values)),
            "check_load", [("gauge", f"load{n}", v) for n, v in zip((1, 5, 15), values)], {})


def ping(r):
    rta, loss = round(r.random() * 30, 3), r.choice([0, 0, 5])
    return (f"rta={rta:.6f}ms;100.000000;500.000000;0.000000 pl={loss}%;20;60;0",
            "check-host-alive!100.0,20%!500.0,60%",
            [("duration", "rta", rta / 1000), ("percent", "pl", loss)], {})


def disk(r):
    used = [r.randint(100, 900) for _ in range(3)]
    text = "/={}MB;32000;36000;0;40000 /var={}KiB;1;2;0;9 'a b'={}GB;;;0".format(*used)
    return text, "check_disk!20%!10%!/", [
        ("bytes", "_", used[0] * 1e6), ("bytes", "_var", used[1] * 1024.0),
        ("bytes", "a b", used[2] * 1e9)], {}


def traffic(r):
    octets, packets = r.randint(10**9, 10**15), r.randint(2**53, 2**63 - 1)
    return (f"in={octets}c;;;0 out={packets}c;;;; err=0c", "check_snmp_int!eth0",
            [("derive", "in", octets), ("derive", "out", packets), ("derive", "err", 0)], {})


GOOD = [load, ping, disk, traffic]


def fixed(text, items, command="check_odd", **errors):
    return lambda r: (text, command, items, errors)


ODD = [
    fixed("'it''s a label'=1;2;3", [("gauge", "it's a label", 1)]),
    fixed("'Größe (µs)'=12us;;;0", [("duration", "Größe (µs)", 12e-6)]),
    fixed("load=1,25;5,0;10,0", [("gauge", "load", 1.25)], tolerated=1),
    fixed("a=U;;;; b=1", [("gauge", "b", 1)], unknown=1),
    fixed("temp=-3.5e+01C;10:;@-40:0", [("gauge", "temp", -35)]),
    fixed(LONG + "=5GiB;1;2;0;9", [("bytes", long_label(LONG).replace("/", "_"), 5 * 2.0**30)]),
    fixed("x =1 y= 2", [("gauge", "x", 1), ("gauge", "y", 2)], tolerated=2),
    fixed("a=1;2;3 [check_remote!x]", [("gauge", "a", 1)]),
    fixed("'with=equals'=3ms", [("duration", "with=equals", 0.003)]),
    fixed("c=18446744073709551615c", [("derive", "c", -1)]),
    fixed("k=0.1;;;;;", [("gauge", "k", 0.1)]),
    fixed("'a::check_load::load1'=0.5;5;10;0 load5=0.25 'b::check_http::time'=2s size=7B;;;0", [
        ("gauge", "a::check_load::load1", 0.5), ("gauge", "a::check_load::load5", 0.25),
        ("duration", "b::check_http::time", 2), ("bytes", "b::check_http::size", 7)]),
]
BAD = [
    fixed("=5", [], item_label=1), fixed("label", [], item_value=1),
    fixed("a= g=1", [("gauge", "g", 1)], item_value=1), fixed("a=;;; g=1", [("gauge", "g", 1)], item_value=1),
    fixed("'open=3;4 g=1", [("gauge", "g", 1)], item_label=1), fixed("a==3", [], item_number=1),
    fixed("\x01\x02", [], item_value=1), fixed("a=1e", [], item_number=1),
    fixed("a=nan g=1", [("gauge", "g", 1)], item_number=1), fixed("a=1;2;3;4;5;6;7", [], item_fields=1),
    fixed("  ", []), fixed("''=3", [], item_label=1), fixed("a=1 b", [("gauge", "a", 1)], item_value=1),
    fixed('a="3"', [], item_number=1), fixed("µ", [], item_value=1), fixed("a=0x1F", [], item_number=1),
    fixed("big=18446744073709551616c g=1", [("gauge", "g", 1)], item_range=1),
    fixed("/=1 _=2", [("gauge", "_", 1)], item_repeated=1), fixed("a=1 a=2", [("gauge", "a", 1)], item_repeated=1),
]


def bad_line(r, host, when):
    """A line that is none, or whose time cannot be."""
    return r.choice([
        ("\n", {}), ("garbage line without fields\n", {"line_form": 1}),
        (f"DATATYPE::SERVICEPERFDATA\tTIMET::notatime\tHOSTNAME::{host}\tSERVICEDESC::x\t"
         "SERVICEPERFDATA::a=1\n", {"line_time": 1}),
        (f"DATATYPE::SERVICEPERFDATA\tTIMET::{when}\tHOSTNAME::{host}\tSERVICEDE\n", {"line_form": 1}),
        (f"DATATYPE::SERVICEPERFDATA\tTIMET::{when}\tHOSTNAME::{host}\tSERVICEPERFDATA::a=1\n",
         {"line_name": 1}),
        ("\t\t\t\n", {"line_form": 1}), ("a\0b\n", {"line_form": 1}),
        ("x" * 70000 + "\n", {"line_long": 1}), ("y" * 600000 + "\n", {"line_long": 1}),
        (f"DATATYPE::HOSTPERFDATA\tTIMET::{int(time.time()) + 90000}\tHOSTNAME::{host}\tHOSTPERFDATA::a=1\n",
         {"event_future": 1, "events": 1}),
        (f"DATATYPE::HOSTPERFDATA\tTIMET::{int(time.time()) - 86400 * 365}\tHOSTNAME::{host}\tHOSTPERFDATA::a=1\n",
         {"event_old": 1, "events": 1}),
    ])


class Filler:
    def __init__(self, options):
        self.options, self.random, self.event = options, random.Random(options.seed), 0

    def line(self, when):
        """A line, its values and its errors."""
        r, options = self.random, self.options
        host = f"host{self.event % options.hosts:03}.{options.prefix}.example.net"
        service = (self.event // options.hosts) % 20
        self.event += 1
        luck = r.random() * 100
        if luck < options.bad / 3:
            text, errors = bad_line(r, host, when)
            return text, [], errors
        kind = (r.choice(BAD) if luck < options.bad else r.choice(ODD) if luck < options.bad + options.odd
                else GOOD[(self.event + service) % len(GOOD)])
        data, command, items, errors = kind(r)
        # What is odd is another service each time: its labels are none that come again.
        name = "_HOST_" if service == 0 else f"{command.split('!')[0]} {service}"
        if kind not in GOOD:
            name = f"odd {self.event}"
        is_host = name == "_HOST_"
        if options.columns:
            text = (f"[HOSTPERFDATA]\t{when}\t{host}\t0.1\tPING OK\t{data}\n" if is_host else
                    f"[SERVICEPERFDATA]\t{when}\t{host}\t{name}\t0.1\t0.2\tOK - a\tb\t{data}\n")
        elif is_host:
            text = (f"DATATYPE::HOSTPERFDATA\tTIMET::{when}\tHOSTNAME::{host}\tHOSTPERFDATA::{data}\t"
                    f"HOSTCHECKCOMMAND::{command}\tHOSTSTATE::UP\tHOSTSTATETYPE::HARD\n")
        else:
            text = (f"DATATYPE::SERVICEPERFDATA\tTIMET::{when}\tHOSTNAME::{host}\tSERVICEDESC::{name}\t"
                    f"SERVICEPERFDATA::{data}\tSERVICECHECKCOMMAND::{command}\tHOSTSTATE::UP\t"
                    "HOSTSTATETYPE::HARD\tSERVICESTATE::OK\tSERVICESTATETYPE::HARD\n")
        rows = [(f"{host}/perfdata-{name}/{kind_}-{label}", when, value) for kind_, label, value in items]
        return text, rows, {"events": 1, "items": len(items), **errors}

    def file(self, when):
        texts, rows, counts = [], [], collections.Counter()
        for _ in range(self.options.events):
            text, values, errors = self.line(when)
            texts.append(text)
            rows += values
            counts.update(errors)
        return "".join(texts).encode(), rows, counts


def fill(options):
    filler = Filler(options)
    with open(options.expected, "a", encoding="utf-8") as expected:
        for number in range(options.files):
            when = options.start + number * options.step if options.step else int(time.time())
            content, rows, counts = filler.file(when)
            expected.write(json.dumps({"rows": rows, "counts": counts}) + "\n")
            expected.flush()
            hidden = os.path.join(options.folder, f".{options.prefix}-{number}")
            if options.append:
                with open(options.folder, "ab") as file:
                    file.write(content)
                time.sleep(options.pause)
                continue
            with open(hidden, "wb") as file:
                file.write(content)
            os.rename(hidden, os.path.join(options.folder, f"{options.prefix}.{when}-{number}"))
            time.sleep(options.pause)


# --- A check of its own --------------------------------------------------------

# What Icinga leaves as it is: it takes texts apart at blanks.
CHECKS = {kind.__name__: kind for kind in GOOD} | {
    "equals": lambda r: (lambda v: (f"'with=equals'={v}ms", "", [("duration", "with=equals", v / 1000)], {}))(
        r.randint(1, 99)),
    "multi": lambda r: (lambda v: (f"'a::load::one'={v};5;10 two={v + 1}", "", [
        ("gauge", "a::load::one", v), ("gauge", "a::load::two", v + 1)], {}))(r.randint(1, 99)),
}

def check(name, taken):
    data, _, items, _ = CHECKS[name](random.Random())
    with open(taken, "a", encoding="utf-8") as file:
        file.write(json.dumps({"time": time.time(), "items": items}) + "\n")
    print(f"OK - all is well|{data}")


def runs(folder, host, paths):
    """The values of each label are those that were printed, in their order."""
    problems, total = [], 0
    for path in paths:
        service, printed = os.path.basename(path), collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                for kind, label, value in json.loads(line)["items"]:
                    printed[f"{kind}-{label}"].append(f"{value:.6f}")
        for name, values in printed.items():
            place = glob.escape(f"{folder}/{host}/perfdata-{service}/{name}") + "-????-??-??"
            found = []
            for one in sorted(glob.glob(place)):
                with open(one, encoding="utf-8") as file:
                    found += [f"{float(row.split(',')[1]):.6f}" for row in file.read().splitlines()[1:]]
            total += len(found)
            # A check that was killed at the end may not have been taken.
            if not found or len(found) < len(values) - 2 or found != values[:len(found)]:
                problems.append((service, name, values, found))
    print("values", total, "problems", problems[:2])
    return 0 if total and not problems else 1


# --- What has come -----------------------------------------------------------

def count_rows(rows, digits):
    return collections.Counter((name, when, format(value, digits)) for name, when, value in rows
                               if not name.startswith("here/"))


def read_expected(paths):
    rows, counts = [], collections.Counter()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                said = json.loads(line)
                rows += said["rows"]
                counts.update(said["counts"])
    return rows, counts


def rows_of_csv(folder):
    for path in glob.glob(f"{folder}/**/*-????-??-??", recursive=True):
        name = os.path.relpath(path, folder)[:-11]
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                when, value = line.split(",")
                yield name, round(float(when)), float(value)


def rows_of_journal(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            said = json.loads(line)
            yield said["name"], round(said["time"]), *said["values"].values()


def compare(found, expected, digits):
    """What is lost, there twice, or something else."""
    found = count_rows(found, digits)
    expected = count_rows(expected, digits)
    lost, more = expected - found, found - expected
    twice = {row: number for row, number in more.items() if row in expected}
    print(f"expected={expected.total()} lost={lost.total()} duplicated={sum(twice.values())} "
          f"wrong={more.total() - sum(twice.values())}",
          *list(lost)[:3], *list(more)[:3])
    return 0 if expected and not lost and not more else 1


def compare_counts(folder, spool, expected):
    """The last totals of the plugin, in files of the csv plugin."""
    found = collections.Counter()
    for path in glob.glob(f"{folder}/here/perfdata/*-{spool}-*-????-??-??"):
        key = os.path.basename(path).partition(f"-{spool}-")[2][:-11]
        with open(path, encoding="utf-8") as file:
            found[key] = int(float(file.read().splitlines()[-1].split(",")[1]))
    wanted = {key: expected.get(key, 0) for key in found
              if key in expected or key.startswith(("line_", "event_", "item_"))}
    wrong = {key: (found[key], number) for key, number in wanted.items() if found[key] != number}
    missing = set(expected) - set(found)
    print("found", dict(found), "wrong", wrong, "missing", missing)
    return 0 if found and not wrong and not missing else 1


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("fill")
    one.add_argument("folder")
    one.add_argument("expected")
    for name, default in (("files", 20), ("events", 440), ("hosts", 440), ("start", 0), ("step", 0), ("seed", 1)):
        one.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("pause", 0.0), ("odd", 10.0), ("bad", 10.0)):
        one.add_argument(f"--{name}", type=float, default=default)
    one.add_argument("--columns", action="store_true")
    one.add_argument("--append", action="store_true")
    one.add_argument("--prefix", default="perfdata")
    for command in ("csv", "journal"):
        one = commands.add_parser(command)
        one.add_argument("place")
        one.add_argument("expected", nargs="+")
    one = commands.add_parser("counts")
    one.add_argument("place")
    one.add_argument("spool")
    one.add_argument("expected", nargs="+")
    one = commands.add_parser("check")
    one.add_argument("name", choices=CHECKS)
    one.add_argument("taken")
    one = commands.add_parser("runs")
    one.add_argument("place")
    one.add_argument("host")
    one.add_argument("taken", nargs="+")
    options = parser.parse_args()
    if options.command == "check":
        return check(options.name, options.taken)
    if options.command == "runs":
        return runs(options.place, options.host, options.taken)
    if options.command == "fill":
        fill(options)
        return 0
    rows, counts = read_expected(options.expected)
    if options.command == "counts":
        return compare_counts(options.place, options.spool, counts)
    if options.command == "csv":
        return compare(rows_of_csv(options.place), rows, ".6f")
    return compare(rows_of_journal(options.place), rows, ".12g")


if __name__ == "__main__":
    sys.exit(main())
