# SPDX-License-Identifier: MIT
"""Looks at what snmp_fleet has stored, for that scenario: the last argument that is
not a time says what is looked at.  See snmp_agents/objects.h for what values say.
Exit status 3: the machine was too busy for what was measured, see tests/patience."""
import glob
import os
import sys

SLACK = 2.0  # Seconds that a machine with other work may need.
PATIENCE = int(os.environ.get("MC_PATIENCE", "1"))
TOO_BUSY = 3


class Fleet:
    def __init__(self, folder, devices, interfaces, interval, versions, dead):
        self.folder, self.devices, self.interval = folder, int(devices), float(interval)
        self.each, self.more = divmod(int(interfaces), self.devices)
        self.versions = versions.split()
        self.dead = {int(number) for number in dead.split()}

    def names(self, number):
        return range(1, self.each + (number < self.more) + 1)

    def hosts(self, dead):
        for version in self.versions:
            for number in range(self.devices):
                if (number in self.dead) == dead:
                    yield f"v{version}-{number}", number

    def stored(self, host):
        """Of each interface that is stored: time, octets in, octets out."""
        found, folder = {}, f"{self.folder}/{host}/snmp"
        for name in sorted(os.listdir(folder) if os.path.exists(folder) else []):
            interface = int(name.split("-")[1].split("_")[-1])
            with open(f"{folder}/{name}", encoding="ascii") as file:
                lines = [line.split(",") for line in file if line[0] != "e"]
            found.setdefault(interface, []).extend(
                (float(time), int(rx), int(tx)) for time, rx, tx in lines)
        return found


def fail(text):
    sys.exit(text)


def in_time(seconds, limit, text):
    """Fails if that took longer than a machine that is as busy as this one needs."""
    if seconds > limit * PATIENCE:
        fail(text)
    if seconds > limit:
        print(text)
        sys.exit(TOO_BUSY)


def complete(fleet, number=1, begin=0.0):
    """All interfaces of those that live have as many values after that time."""
    for host, device in fleet.hosts(False):
        stored = fleet.stored(host)
        for interface in fleet.names(device):
            if sum(time > float(begin) for time, _, _ in stored.get(interface, [])) < int(number):
                fail(f"{host} is not complete")


def since(fleet, begin):
    """All interfaces of all have a value behind that time, the right one."""
    worst = 0.0
    for host, number in [*fleet.hosts(False), *fleet.hosts(True)]:
        stored = fleet.stored(host)
        for interface in fleet.names(number):
            found = [line for line in stored.get(interface, []) if line[0] > float(begin)]
            if not found or not is_right(number, interface, *found[0][1:]):
                fail(f"{host}, {interface} has {found[:1]}")
            worst = max(worst, found[0][0] - float(begin))
    print(f"{worst:.3f} s at most")


def beside(fleet, begin, hinted, most):
    """A host has its first values after that time at most 'most' s after another one."""
    first = {}
    for host, _ in [*fleet.hosts(False), *fleet.hosts(True)]:
        first[host] = min(line[0] for lines in fleet.stored(host).values()
                          for line in lines if line[0] > float(begin))
    late = first[hinted] - min(first.values())
    in_time(late, float(most), f"{hinted} is {late:.3f} s late")
    print(f"{late:.3f} s")


def is_right(number, interface, rx, tx):
    prefix = number << 11 | interface << 1
    return rx >> 33 == prefix and tx >> 33 == prefix | 1 and \
        rx & 0x1ffffffff == tx & 0x1ffffffff


def passes(fleet, since, until):
    """Every interface has a value of each pass, the right one, read at its time."""
    starts, total, longest = [], 0, 0.0
    for host, number in fleet.hosts(False):
        stored = fleet.stored(host)
        for interface in fleet.names(number):
            found = stored.get(interface, [])
            for time, rx, tx in found:
                if not is_right(number, interface, rx, tx):
                    fail(f"{host}, {interface}: {rx:#x} {tx:#x} are of another")
                starts.append(time - (rx & 0x1ffffffff) / 1000)
            times = [time for time, _, _ in found
                     if time >= float(since) - 1.5 * fleet.interval]
            total += len(times)
            for before, after in zip(times, times[1:] + [float(until)]):
                longest = max(longest, after - before)
            if not times:
                fail(f"{host}, {interface}: nothing")
    in_time(longest, 1.5 * fleet.interval + SLACK / 2, f"nothing for {longest:.3f} s")
    # All clocks of the devices began at the same time.
    off = max(starts) - min(starts)
    in_time(off, SLACK, f"values are {off:.3f} s off")
    print(f"{total} values, at most {off:.3f} s off")


def comings(fleet, *times):
    """'times': the dead came back, died again, came back..."""
    worst = 0.0
    for host, number in fleet.hosts(True):
        stored = fleet.stored(host)
        for interface in fleet.names(number):
            times_of = [time for time, _, _ in stored.get(interface, [])]
            for back, gone in zip(times[::2], times[1::2]):
                first = [time for time in times_of if float(back) <= time <= float(gone)]
                if not first:
                    fail(f"{host}, {interface} was not read after {back}")
                worst = max(worst, first[0] - float(back))
    in_time(worst, fleet.interval + SLACK, f"{worst:.3f} s until all is read")
    print(f"{worst:.3f} s at most")


def statistics(fleet, name="passes"):
    """The counts of each interval."""
    found = []
    for path in sorted(glob.glob(f"{fleet.folder}/here/snmp/total_operations-{name}-2*")):
        with open(path, encoding="ascii") as file:
            found += [int(line.split(",")[1]) for line in file if line[0] != "e"]
    if len(found) < 4:
        fail("there are too few statistics")
    return found


def requests(fleet):
    """Of 136 for 32 devices: 4.25 a device; by version 3 fewer rows fit into one.  But
    for what is sent again."""
    def total(name):
        found = statistics(fleet, name)
        return found[-1] - found[1]
    each = (total("requests") - total("retries")) / total("passes")
    in_time(each, 4.25 + ("3" in fleet.versions) * 0.25,
            f"{each:.2f} requests for a pass of a device")
    print(f"{each:.2f} requests a pass")


def equal(fleet, *paths):
    """'paths': what snmpbulkwalk says of a device, whose number they end with."""
    columns = {"6": 1, "10": 2}
    for path in paths:
        number, seen = int(path.rsplit(".", 1)[1]), 0
        stored = [fleet.stored(f"v{version}-{number}") for version in fleet.versions]
        with open(path, encoding="ascii") as file:
            said = [line.split() for line in file]
        for name, value, *_ in said:
            *_, column, interface = name.split(".")
            if column not in columns:
                continue
            for interfaces in stored:
                last = interfaces[int(interface)][-1]
                if last[columns[column]] != int(value):
                    fail(f"{number}, {interface}: {last}, but {value}")
                seen += 1
        if seen != 2 * len(fleet.versions) * len(fleet.names(number)):
            fail(f"{path} has {seen} values")


def main():
    fleet = Fleet(*sys.argv[1:7])
    looks = {"complete": complete, "since": since, "passes": passes, "comings": comings,
             "statistics": statistics, "requests": requests, "equal": equal, "beside": beside}
    looks[sys.argv[7]](fleet, *sys.argv[8:])


main()
