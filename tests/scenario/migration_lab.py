# SPDX-License-Identifier: MIT
"""What the tests of guests that move have in common: collectors beside a libvirtd, a guest whose
writes they make, and a link to the aggregator that can be cut."""
import os
import re
import select
import socket
import subprocess
import threading

import virt_lab
from virt_lab import Watch, wait_for

PORT = 4318
BLOCK = 65536
AGENT = """
Hostname "%s"
Timeout 2
LoadPlugin virt
<Plugin virt>
  Connection "%s"
  HostnameFormat "name"
</Plugin>
LoadPlugin forward
<Plugin forward>
  URL "http://127.0.0.1:%d"
  BatchFlushTimeout 0.1
</Plugin>
"""
AGGREGATOR = """
Hostname "aggregator"
Timeout 2
%s
LoadPlugin otlp
<Plugin otlp>
  <Listen "127.0.0.1" "%d">
  </Listen>
</Plugin>
LoadPlugin rrdtool
<Plugin rrdtool>
  DataDir "%s"
  CacheTimeout 0
</Plugin>
"""
LIBVIRT = "qemu:///system"


class Program(virt_lab.Collector):
    """A collector, in the namespaces of a process if that is given."""

    def __init__(self, lab, name, config, beside=None):
        self.directory = lab.path(name)
        os.makedirs(self.directory, exist_ok=True)
        self.socket = os.path.join(self.directory, "socket")
        self.log = os.path.join(self.directory, "log")
        build = virt_lab.build_directory()
        path = os.path.join(self.directory, "conf")
        virt_lab.Lab.write(path, """
BaseDir "%s"
PluginDir "%s"
TypesDB "%s"
Interval 1
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "%s"
</Plugin>
%s""" % (self.directory, os.path.join(build, ".libs"),
         os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/model/types.db"),
         self.socket, config))
        enter = ["nsenter", "-m", "-u", "-t", str(beside)] if beside else []
        # The log of an agent is a file.
        self.process = subprocess.Popen(
            [*enter, os.path.join(build, "collectord"), "-f", "-C", path],
            stdout=subprocess.DEVNULL, stderr=open(self.log + ".err", "ab"),
            env=virt_lab.environment(build), preexec_fn=virt_lab.die_with_parent)
        lab.programs.append(self)
        if not wait_for(self.answers, 15):
            raise RuntimeError("no socket: " + self.messages()[-300:])
        self.watch = Watch(self, "*")


def create(lab, name, uri):
    xml = lab.xml(name, "raw")
    if name == "moving":
        xml = re.sub("<interface.*</interface>", "", xml, flags=re.S)
    lab.write(lab.path(name + ".xml"), xml)
    subprocess.run(["qemu-img", "create", "-q", "-f", "raw", lab.path(name + ".raw"), "1G"],
                   check=True)
    lab.virsh("-c", uri, "create", lab.path(name + ".xml"))


class Link(threading.Thread):
    """A relay to the aggregator, which can be cut."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.up, self.pairs = True, {}
        self.listener = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        while True:
            ready = select.select([self.listener, *self.pairs], [], [], 0.05)[0]
            for one in ready:
                if one is self.listener:
                    self.accept()
                elif one in self.pairs:
                    self.pass_on(one)
            if not self.up:
                for one in list(self.pairs):
                    self.close(one)

    def accept(self):
        client = self.listener.accept()[0]
        try:
            if not self.up:
                raise OSError
            server = socket.create_connection(("127.0.0.1", PORT))
            self.pairs[client], self.pairs[server] = server, client
        except OSError:
            client.close()

    def pass_on(self, one):
        try:
            data = one.recv(65536)
            if not data:
                raise OSError
            self.pairs[one].sendall(data)
        except OSError:
            self.close(one)

    def close(self, one):
        for end in (one, self.pairs.pop(one, one)):
            self.pairs.pop(end, None)
            end.close()
