# SPDX-License-Identifier: MIT
"""Interfaces of simulated SNMP devices, without a writer: CPU and requests of a pass,
beside collectd with the BulkSize that suits it best."""
import ipaddress
import os
import subprocess
import time

from collectors import COLLECTD, Ours, Peer
from tools import Skip

DEVICES, INTERFACES = 32, 3164
PASSES = 20
USER = "watcher:auth passphrase:privacy passphrase"
MANY = 2000  # Devices, of which memory is measured.
DATA = '''LoadPlugin snmp
<Plugin snmp>
  {options}
  <Data "traffic">
    Type "if_octets"
    Table true
    TypeInstanceOID ".1.3.6.1.2.1.31.1.1.1.1"
    Values ".1.3.6.1.2.1.31.1.1.1.6" ".1.3.6.1.2.1.31.1.1.1.10"
  </Data>
  <Data "clock">
    Type "gauge"
    Values ".1.3.6.1.2.1.1.3.0"
  </Data>
  {hosts}
</Plugin>
'''
SECURE = '''Version 3
    Username "watcher"
    SecurityLevel "authPriv"
    AuthProtocol "SHA"
    AuthPassphrase "auth passphrase"
    PrivacyProtocol "AES"
    PrivacyPassphrase "privacy passphrase"'''


class Agents:
    """tests/scenario/snmp_agents, with a latency in ms."""

    def __init__(self, tools, latency=0, devices=DEVICES, interfaces=INTERFACES):
        self.devices, self.interfaces = devices, interfaces
        path = tools.program("tests/scenario/snmp_agents/agents")
        if not os.path.exists(path):
            raise Skip("snmp or snmptrap is not built")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [path, "-n", str(devices), "-i", str(interfaces), "-l", str(latency), "-u", USER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Skip("the devices do not start")

    def requests(self):
        """How many came since the last time."""
        self.process.stdin.write("stats\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline().split()[1])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def hosts(version, more, devices=DEVICES):
    """'more': options of each."""
    first = int(ipaddress.ip_address("127.0.10.1"))
    access = 'Version 2\n    Community "public"' if version == 2 else SECURE
    return "".join(f'''<Host "switch{number}">
    Address "{ipaddress.ip_address(first + number)}:1161"
    {access}
    Collect "traffic"
    {more}
  </Host>
  ''' for number in range(devices))


class Run:
    """CPU ms and requests of a pass, of one collector."""

    def __init__(self, tools, agents, kind, version, spread, interval=1, passes=PASSES):
        options = f"Spread {spread}\n  HintsFile \"\"" if kind is Ours else ""
        config = DATA.format(options=options, hosts=hosts(
            version, "BulkSize 51" if kind is Peer else "", agents.devices))
        daemon = kind(tools, f"snmp-{version}-{spread}", config, interval=interval)
        try:
            time.sleep(2 + 2 * interval)
            if len(daemon.ask("LISTVAL")) < agents.interfaces:
                raise Skip(f"{kind.name} has not all values")
            agents.requests()
            cpu = daemon.process.cpu()
            time.sleep(passes * interval)
            self.cpu = (daemon.process.cpu() - cpu) * 1000 / passes
            self.requests = agents.requests() / passes
        finally:
            daemon.stop()


def first_pass(tools):
    """ms of it, with a round trip of 20 ms."""
    agents = Agents(tools, 20)
    try:
        daemon = Ours(tools, "snmp-first", DATA.format(
            options='CollectStatistics true\n  HintsFile ""', hosts=hosts(2, "")), interval=2)
        time.sleep(2.5)
        name = "bench/snmp/duration-slowest_pass"
        slowest = float(daemon.ask(f'GETVAL "{name}"')[0].split("=")[1])
        daemon.stop()
        return slowest * 1000
    finally:
        agents.stop()


def memory(tools):
    """KiB of each of many devices that do not answer."""
    sizes = []
    for number in (1, MANY + 1):
        lines = "".join(f'<Host "d{i}">\nAddress "127.1.{i // 250}.{i % 250 + 1}:1"\n'
                        'Version 2\nCommunity "public"\nCollect "clock"\n</Host>\n'
                        for i in range(number))
        daemon = Ours(tools, f"snmp-memory-{number}",
                      DATA.format(options='HintsFile ""', hosts=lines), interval=10)
        time.sleep(3)
        sizes.append(daemon.process.memory("Rss") * 1024)
        daemon.stop()
    return (sizes[1] - sizes[0]) / MANY


def snmp(tools, report, say):
    agents = Agents(tools)
    try:
        kinds = [Ours] + ([Peer] if os.path.exists(COLLECTD) else [])
        runs = {}
        for version, spread in ((2, "false"), (2, "true"), (3, "false")):
            for kind in kinds if spread == "false" else [Ours]:
                say(f"snmp: {kind.name}, version {version}")
                runs[kind, version, spread] = Run(tools, agents, kind, version, spread)
    finally:
        agents.stop()

    def line(name, figure, unit, version, spread="false", **goal):
        ours, peer = runs[Ours, version, spread], runs.get((Peer, version, spread))
        report.line(name, getattr(ours, figure), unit,
                    peer and getattr(peer, figure), **goal)
    line("snmp", "cpu", "CPU ms/pass", 2, most=5)
    line("snmp-spread", "cpu", "CPU ms/pass", 2, "true", most=5)
    line("snmp-3", "cpu", "CPU ms/pass", 3, most=3 * runs[Ours, 2, "false"].cpu)
    line("snmp-requests", "requests", "requests/pass", 2, most=136)
    say("snmp: first pass, memory")
    report.line("snmp-first", first_pass(tools), "ms, of 20 ms latency", most=150)
    report.line("snmp-memory", memory(tools), "KiB/device", most=4)
