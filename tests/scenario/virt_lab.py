# SPDX-License-Identifier: MIT
"""A libvirtd with tiny QEMU guests, apart from the machine's own.

It runs in a mount and a network namespace of its own: its sockets, its
configuration, its state and its taps are nobody else's, and are gone with it.
Guests have 16 MiB, one processor, one thin disk and one tap, and a firmware
that halts at once, so that they run and use nothing.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from kept import keep
from patience import PATIENCE, Lateness, is_busy, wait_for

PEER = "/usr/sbin/collectd"
PROGRAMS = ("libvirtd", "virtlogd", "virsh", "qemu-system-x86_64",
            "qemu-img", "unshare", "mount", "ip")
# Labs beside each other have guests of the same name and number, and one tree of
# control groups: one may remove a group when another has just made it.  Who tries
# again has the next number.
CROSSED, TRIES = "/sys/fs/cgroup", 5
failed = []
MACHINE = Lateness()


class TooBusy(str):
    """Why something is not measured."""


def within(seconds, limit):
    """What report() takes of something that has just taken so long, and is to take less than that."""
    if seconds < limit:
        return None
    busy = is_busy(seconds, limit, MACHINE.recently())
    return (TooBusy if busy else str)("%.2f s" % seconds)


def report(name, problem=None):
    if isinstance(problem, TooBusy):
        print("skip %s: not measured, %s: the machine is too busy" % (name, problem), flush=True)
    elif problem is None:
        print("ok %s" % name, flush=True)
    else:
        print("not ok %s: %s" % (name, problem), flush=True)
        failed.append(name)


def build_directory():
    places = [word for word in sys.argv[1:] if not word.startswith("-")]
    return os.path.abspath(places[0] if places else
                           os.environ.get("top_builddir", "."))


def is_long():
    """Whether the form is wanted that takes as long as the claim does."""
    return "--long" in sys.argv[1:]


def end_without_lab(name):
    """Ends here if there can be none."""
    build = build_directory()
    missing = [p for p in PROGRAMS if shutil.which(p) is None]
    if os.geteuid() != 0:
        missing.append("root")
    if not os.path.exists(os.path.join(build, ".libs", "virt.so")):
        missing.append("the plugin virt")
    if missing:
        print("skip %s: no %s" % (name, ", ".join(missing)))
        sys.exit(0)


def isolate(name):
    """Goes on in namespaces of its own; ends here if that cannot be.  Guests
    are nobody's children, but end with their namespace, however this does; a
    shell is its first process, and buries them."""
    end_without_lab(name)
    if os.environ.get("VIRT_LAB") != "1":
        os.environ["VIRT_LAB"] = "1"
        os.execvp("unshare", [
            "unshare", "-m", "-n", "-p", "--fork", "--kill-child",
            "--mount-proc", "--propagation", "private",
            "sh", "-c", '"$@"; exit $?', "sh", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def kill(process, how=signal.SIGTERM):
    if process is None or process.poll() is not None:
        return
    process.send_signal(how)
    try:
        process.wait(10 * PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Lab:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="virt")
        self.names, self.programs = [], []
        self.libvirtd, self.other = None, None
        self.open_files = []
        for place in ("/run/libvirt", "/etc/libvirt", "/var/lib/libvirt",
                      "/var/cache/libvirt", "/var/log/libvirt"):
            os.makedirs(place, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "lab",
                            place], check=True)
        os.makedirs("/var/log/libvirt/qemu")
        self.add_account("passwd", "libvirt-qemu:x:64055:64055::/:/bin/false")
        self.add_account("group", "libvirt-qemu:x:64055:")
        self.write("/etc/libvirt/qemu.conf",
                   'user = "root"\ngroup = "root"\ndynamic_ownership = 0\n'
                   'remember_owner = 0\nsecurity_driver = "none"\n'
                   "security_default_confined = 0\nnamespaces = [ ]\n")
        self.write(self.path("libvirtd.conf"),
                   'unix_sock_group = "root"\nauth_unix_ro = "none"\n'
                   'auth_unix_rw = "none"\nlog_level = 3\n'
                   'log_outputs = "3:file:%s"\n' % self.path("libvirtd.log"))
        rom = bytearray(b"\xf4" * 65536)
        rom[0xfff0:0xfff4] = b"\xfa\xf4\xeb\xfd"  # cli; hlt; again
        with open(self.path("halt.bin"), "wb") as f:
            f.write(rom)
        self.virtlogd = self.start("virtlogd", ["-p", self.path("log.pid")])
        self.start_libvirtd()

    def path(self, name):
        return os.path.join(self.directory, name)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="ascii") as f:
            f.write(text)

    def add_account(self, name, line):
        """The driver looks its account up, and does not use it here."""
        with open("/etc/" + name, encoding="utf-8") as f:
            text = f.read()
        if "libvirt-qemu:" not in text:
            self.write(self.path(name), text + line + "\n")
            subprocess.run(["mount", "--bind", self.path(name),
                            "/etc/" + name], check=True)

    def start(self, program, arguments):
        path = shutil.which(program)
        return subprocess.Popen([path] + arguments,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL,
                                preexec_fn=die_with_parent)

    def start_libvirtd(self):
        self.libvirtd = self.start(
            "libvirtd", ["-f", self.path("libvirtd.conf"),
                         "-p", self.path("libvirtd.pid")])
        if not wait_for(lambda: self.virsh("uri", check=False)[0] == 0, 30):
            raise RuntimeError("libvirtd does not answer")

    def stop_libvirtd(self):
        kill(self.libvirtd)

    @staticmethod
    def virsh(*arguments, check=True, limit=60):
        for _ in range(TRIES):
            done = subprocess.run(["virsh", "-q", "-c", "qemu:///system",
                                   *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True,
                                  check=False, timeout=limit * PATIENCE)
            if CROSSED not in done.stdout:
                break
        if check and done.returncode != 0:
            raise RuntimeError("virsh %s: %s" % (" ".join(arguments),
                                                 done.stdout))
        return done.returncode, done.stdout

    def xml(self, name, kind):
        disk = self.path(name + "." + kind)
        return """
<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
  <name>%s</name>
  <memory unit='MiB'>16</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type>
    <loader readonly='yes' type='rom'>%s</loader></os>
  <clock offset='utc'><timer name='hpet' present='no'/></clock>
  <devices>
    <emulator>%s</emulator>
    <disk type='file' device='disk'>
      <driver name='qemu' type='%s' cache='none' io='threads'/>
      <source file='%s'/><target dev='vda' bus='virtio'/></disk>
    <interface type='ethernet'><target dev='%st0'/><model type='virtio'/>
      <rom enabled='no'/></interface>
    <controller type='usb' model='none'/>
    <memballoon model='virtio'><stats period='10'/></memballoon>
  </devices>
  <qemu:commandline><qemu:arg value='-machine'/><qemu:arg value='pit=off'/>
    <qemu:arg value='-qmp'/>
    <qemu:arg value='unix:%s,server=on,wait=off'/></qemu:commandline>
</domain>""" % (name, self.path("halt.bin"),
                shutil.which("qemu-system-x86_64"), kind, disk, name,
                self.path(name + ".qmp"))

    def create(self, *names, define=False, kind="qcow2"):
        commands = {}
        for name in names:
            disk, xml = self.path(name + "." + kind), self.path(name + ".xml")
            if not os.path.exists(disk):
                subprocess.run(["qemu-img", "create", "-q", "-f", kind,
                                disk, "1G"], check=True)
            self.write(xml, self.xml(name, kind))
            commands[xml] = "%s %s\n" % ("define" if define else "create",
                                         xml)
        self.run_commands(commands)
        if not define:
            self.names += names

    @staticmethod
    def run_commands(commands):
        """Of virsh, by the file with the XML of a guest."""
        for _ in range(TRIES):
            # One shell for all: there may be hundreds.
            done = subprocess.run(["virsh", "-q", "-c", "qemu:///system"],
                                  input="".join(commands.values()), text=True,
                                  check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if CROSSED not in done.stdout:
                break
            commands = {xml: command for xml, command in commands.items()
                        if "domain from %s\n" % xml in done.stdout}
        if "error:" in done.stdout:
            raise RuntimeError(done.stdout[-300:])

    @staticmethod
    def pid(name):
        with open("/run/libvirt/qemu/%s.pid" % name, encoding="ascii") as f:
            return int(f.read())

    def guest_writes(self, name, offset, size, how="write"):
        """As if the guest had written to its disk; by a monitor of our own,
        so also when there is no libvirtd.  Only "aio_write" is counted."""
        command = {"execute": "human-monitor-command", "arguments": {
            "command-line": 'qemu-io -d /' 'machine/peripheral/virtio-disk0/'
                            'virtio-backend "%s -P 1 %s %s"' %
                            (how, offset, size)}}
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(30 * PATIENCE)
            # It takes one client at a time.
            wait_for(lambda: monitor.connect_ex(
                self.path(name + ".qmp")) == 0, 10)
            with monitor.makefile("rw") as lines:
                lines.readline()
                for asked in ({"execute": "qmp_capabilities"}, command):
                    lines.write(json.dumps(asked) + "\n")
                    lines.flush()
                    while "return" not in (said := json.loads(
                            lines.readline())):
                        if "error" in said:
                            raise RuntimeError(str(said))

    def threshold(self, name, disk=0):
        """Of the guest's disk, in bytes; 0: none is set."""
        text = self.virsh("domstats", "--block", name)[1]
        found = re.search(r"block\.%d\.threshold=(\d+)" % disk, text)
        return int(found.group(1)) if found else 0

    def start_other(self, name="other"):
        """Another host, as far as libvirt can tell, with the same files and the
        same network.  Returns the way to it, which is self.other, too."""
        place = self.path(name)
        os.makedirs(place)
        self.write(place + "/libvirtd.conf",
                   'unix_sock_dir = "%s"\nauth_unix_rw = "none"\n'
                   'auth_unix_ro = "none"\nhost_uuid = "%s"\n' %
                   (place, uuid.uuid5(uuid.NAMESPACE_DNS, name)))
        with open("/etc/libvirt/qemu.conf", encoding="ascii") as f:
            self.write(place + "/qemu.conf",
                       f.read() + 'stdio_handler = "file"\n')
        self.write(place + "/start", """
hostname %s
for name in /run /etc /var/lib /var/cache /var/log; do
    mount -t tmpfs -o mode=755 lab $name/libvirt || exit
done
mkdir /var/log/libvirt/qemu
cp %s/qemu.conf /etc/libvirt
# For programs beside it, its sockets are in their usual place.
ln -s %s/libvirt-sock %s/libvirt-sock-ro /run/libvirt
exec libvirtd -f %s/libvirtd.conf -p %s/pid
""" % (name, place, place, place, place, place))
        self.start("unshare", ["-m", "-u", "sh", place + "/start"])
        self.other = "qemu+unix:///system?socket=%s/libvirt-sock" % place
        other = self.other
        if not wait_for(lambda: self.virsh("-c", other, "uri",
                                           check=False)[0] == 0, 30):
            raise RuntimeError("the libvirtd '%s' does not answer" % name)
        return other

    def collector(self, virt, interval=1, peer=False, name=None, by=()):
        """'by' is a program that starts it, and its arguments."""
        program = Collector(self, virt, interval, peer, name, by)
        self.programs.append(program)
        return program

    def close(self):
        for program in self.programs:
            program.stop()
        pids = []
        for name in self.names:
            try:
                pids.append(self.pid(name))
                os.kill(pids[-1], signal.SIGKILL)
            except OSError:
                pass
        wait_for(lambda: not any(os.path.exists("/proc/%d" % pid)
                                 for pid in pids), 10)
        kill(self.libvirtd)
        kill(self.virtlogd)
        keep(self.directory)
        shutil.rmtree(self.directory)


class Collector:
    """collectord, or collectd, with the plugin and a unix socket."""

    def __init__(self, lab, virt, interval, peer, name, by=()):
        name = name or ("peer" if peer else "ours")
        build = build_directory()
        self.directory = lab.path(name)
        os.makedirs(self.directory, exist_ok=True)
        self.socket = os.path.join(self.directory, "socket")
        self.log = os.path.join(self.directory, "log")
        plugins, types = os.path.join(build, ".libs"), os.path.join(
            os.path.dirname(os.path.abspath(__file__)),
            "../../src/model/types.db")
        if peer:
            plugins, types = "/usr/lib/collectd", \
                "/usr/share/collectd/types.db"
        config = os.path.join(self.directory, "conf")
        Lab.write(config, """
Hostname "lab"
FQDNLookup false
BaseDir "%s"
PIDFile "%s/pid"
PluginDir "%s"
TypesDB "%s"
Interval %g
LoadPlugin logfile
<Plugin logfile>
  LogLevel notice
  File "%s"
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "%s"
</Plugin>
%s
""" % (self.directory, self.directory, plugins, types, interval, self.log,
       self.socket, virt if "<Plugin" in virt or "Include" in virt else
            "LoadPlugin virt\n<Plugin virt>\n%s\n</Plugin>" % virt))
        self.interval = interval
        self.process = subprocess.Popen(
            [*by, PEER if peer else os.path.join(build, "collectord"), "-f", "-C",
             config], stdout=subprocess.DEVNULL,
            stderr=open(self.log + ".err", "wb"), env=environment(build),
            preexec_fn=die_with_parent)
        if not wait_for(self.answers, 10):
            raise RuntimeError("no socket: " + self.messages()[-300:])

    def answers(self):
        with socket.socket(socket.AF_UNIX) as connection:
            return connection.connect_ex(self.socket) == 0

    def messages(self):
        text = ""
        for path in (self.log, self.log + ".err"):
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    text += f.read()
        return text

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(10 * PATIENCE)
        connection.connect(self.socket)
        return connection

    def ask(self, command):
        with self.connect() as connection, \
                connection.makefile("r") as lines:
            connection.sendall((command + "\n").encode())
            first = lines.readline()
            count = re.match(r"-?\d+", first)
            return [first.rstrip("\n")] + [
                lines.readline().rstrip("\n")
                for _ in range(max(0, int(count.group())))]

    def names(self):
        return sorted(line.split(" ", 1)[1]
                      for line in self.ask("LISTVAL")[1:])

    def times(self):
        return {line.split(" ", 1)[1]: float(line.split(" ", 1)[0])
                for line in self.ask("LISTVAL")[1:]}

    def value(self, name):
        lines = self.ask('GETVAL "%s"' % name)[1:]
        return {k: float(v) for k, v in (line.split("=") for line in lines)}

    def stop(self):
        kill(self.process)
        return self.process.returncode


class Watch(threading.Thread):
    """Follows series, and knows the longest silence of each."""

    def __init__(self, collector, glob):
        super().__init__(daemon=True)
        self.connection = collector.connect()
        self.connection.settimeout(120 * PATIENCE)
        self.lines = self.connection.makefile("r")
        self.connection.sendall(("TAP %s\n" % glob).encode())
        self.lines.readline()
        self.arrived, self.raw, self.every, self.notices = {}, {}, {}, []
        self.start()

    def run(self):
        try:
            for line in self.lines:
                now = time.monotonic()
                if line.startswith("PUTVAL"):
                    name = line.split(" ")[1].strip('"')
                    self.arrived.setdefault(name, []).append(now)
                    self.raw[name] = line.split(" ")[-1]
                    self.every.setdefault(name, []).append(self.raw[name])
                elif line.startswith("PUTNOTIF"):
                    self.notices.append((now, line))
        except (OSError, ValueError):
            pass

    def gap(self, part, begin, end):
        """The longest silence of any series whose name has this part."""
        silences = []
        for name, times in list(self.arrived.items()):
            if part in name:
                marks = [begin] + [t for t in times if begin < t < end] + [end]
                silences += [b - a for a, b in zip(marks, marks[1:])]
        return max(silences, default=end - begin)

    def count(self, name, begin, end):
        """How many values came of the series with this part in its name."""
        return sum(begin < t < end for n, times in self.arrived.items()
                   if name in n for t in times)

    def saw(self, text):
        return [line for _, line in self.notices if text in line]

    def close(self):
        self.connection.close()


def environment(build):
    """A program with the address sanitizer must find libvirt's XDR functions
    before libvirt is loaded."""
    variables = dict(os.environ)
    libraries = variables.pop("VIRT_PRELOAD", "").split()
    with open(os.path.join(build, "collectord"), "rb") as f:
        sanitized = b"libasan" in f.read()
    if sanitized:
        libraries = [os.path.realpath(subprocess.run(
            ["gcc", "-print-file-name=libasan.so"], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()),
            "libtirpc.so.3"] + libraries
        variables["ASAN_OPTIONS"] = "detect_leaks=0"
    variables["LD_PRELOAD"] = " ".join(libraries)
    return variables


def run_beside(name, *parts):
    """Runs parts beside each other, each in a lab of its own: most of what they
    do is wait.  A part is a list of steps."""
    chosen = [word[7:] for word in sys.argv if word.startswith("--part=")]
    if chosen:
        run(name, *parts[int(chosen[0])])
    end_without_lab(name)
    programs = [subprocess.Popen(
        [sys.executable, *sys.argv, "--part=%d" % number], text=True,
        stdout=subprocess.PIPE, preexec_fn=die_with_parent)
        for number in range(len(parts))]
    for program in programs:
        print(program.communicate()[0], end="", flush=True)
    sys.exit(max(program.returncode for program in programs))


def run(name, *steps):
    """Runs the steps one after the other, each with the lab."""
    isolate(name)
    lab = None
    try:
        lab = Lab()
        for step in steps:
            try:
                step(lab)
            except Exception as problem:  # pylint: disable=broad-except
                report(step.__name__, repr(problem))
    finally:
        if lab is not None:
            lab.close()
    sys.exit(1 if failed else 0)
