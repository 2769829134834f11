# SPDX-License-Identifier: MIT
"""A collector that forwards, the agent, and one that it forwards to, the
aggregator, for scenarios with both."""
import contextlib
import glob
import os
import socket
import subprocess
import time

import oracle
from kept import temporary_folder
from patience import is_busy, wait_for
from ports import free_port

BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
OURS = os.environ.get("COLLECTORD", os.path.join(BUILD, "collectord"))
PLUGINS = os.environ.get("PLUGINDIR", os.path.join(BUILD, ".libs"))
SCENARIO_PLUGINS = os.path.join(BUILD, "tests", "scenario", "plugins", ".libs")
HERE = "127.0.0.1"
failed = []  # Names of what did.

CONF = '''
Hostname "{name}"
Interval {interval}
BaseDir "{dir}"
{plugins}
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File "{dir}/log"
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{dir}/sock"
</Plugin>
'''
CSV = '''
LoadPlugin csv
<Plugin csv>
  DataDir "csv"
  FileDate false
  StoreRates false
</Plugin>
'''


def report(name, problem=None):
    if problem is not None:
        failed.append(name)
    print("ok " + name if problem is None else f"not ok {name}: {problem}", flush=True)


def report_in_time(name, seconds, limit, problem=None, late=0):
    """The same of what is to take less than that, unless the machine is too busy; see patience.py."""
    if problem is None and seconds >= limit and is_busy(seconds, limit, late):
        print(f"skip {name}: not measured, {seconds:.1f} s: the machine is too busy", flush=True)
    else:
        report(name, problem if problem is not None or seconds < limit else f"{seconds:.1f} s")


def without_plugins(*names):
    """Those of the plugins that were not built."""
    return [name for name in names if not os.path.exists(os.path.join(PLUGINS, name + ".so"))]


def sanitized():
    """Whether memory says nothing, because a sanitizer keeps what is freed."""
    with open(OURS, "rb") as file:
        return b"libasan" in file.read()


class Daemon:
    """A collector of ours, in a folder that stays when it is started again."""
    program, places = OURS, (PLUGINS, SCENARIO_PLUGINS)

    def __init__(self, folder, name, plugins, interval=1, sink=CSV):
        self.folder = os.path.join(folder, name)
        self.name, self.interval = name, interval
        self.socket = os.path.join(self.folder, "sock")
        self.plugin_dir = os.path.join(self.folder, "plugins")
        self.conf = os.path.join(self.folder, "conf")
        os.makedirs(self.plugin_dir)
        self.link_plugins()
        self.configure(plugins + sink)
        self.start()

    def link_plugins(self):
        for place in self.places:
            for path in glob.glob(os.path.join(place, "*.so")):
                os.symlink(path, os.path.join(self.plugin_dir, os.path.basename(path)))

    def configure(self, plugins):
        """What the next start reads."""
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(CONF.format(dir=self.folder, name=self.name, plugins=plugins,
                                   interval=self.interval))

    def start(self):
        with open(os.path.join(self.folder, "out"), "a", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [self.program, "-f", "-C", self.conf, "--plugin-dir", self.plugin_dir],
                stdout=out, stderr=out)
        if not wait_for(self.answers):
            self.stop()
            raise RuntimeError("does not start: " + self.read("out")[-600:])

    def answers(self):
        return self.status() is not None

    def status(self):
        return oracle.status(self.socket)

    def writer(self, name):
        return oracle.row_of(self.status()["writers"], name)

    def ledger(self):
        """None, or what of its ledger is open."""
        return oracle.ledger(self.socket)

    def tell(self, *commands):
        """Gives commands that are answered with one line each."""
        with socket.socket(socket.AF_UNIX) as line, line.makefile("r") as replies:
            line.settimeout(60)
            line.connect(self.socket)
            for command in commands:
                line.sendall(command.encode() + b"\n")
                reply = replies.readline()
                if not reply.startswith("0 "):
                    raise RuntimeError(f"{command}: {reply.strip()}")

    def read(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def rows(self, host):
        """All rows of all files of a host: (file, row)."""
        top = os.path.join(self.folder, "csv")
        found = []
        for path in glob.glob(os.path.join(top, host, "*", "*")):
            with open(path, encoding="utf-8") as file:
                rows = [row for row in file.read().splitlines() if not row.startswith("epoch")]
            found += [(os.path.relpath(path, top), row) for row in rows]
        return sorted(found)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode


@contextlib.contextmanager
def collectors():
    """A place for collectors, which end with it."""
    running = []
    try:
        with temporary_folder() as folder:
            yield folder, running
            for daemon in running:
                daemon.stop()
    finally:
        for daemon in running:
            if daemon.process.poll() is None:
                daemon.kill()


def aggregator(folder, running, port, listen="", interval=10, before="", sink=CSV):
    daemon = Daemon(folder, "aggregator", f'''{before}
LoadPlugin otlp
<Plugin otlp>
  <Listen "{HERE}" "{port}">
    {listen}
  </Listen>
</Plugin>''', interval, sink)
    running.append(daemon)
    return daemon


def agent(folder, running, url, more="", measures="", name="agent", before="", sink=CSV):
    urls = "\n".join(f'URL "{one}"' for one in ([url] if isinstance(url, str) else url))
    daemon = Daemon(folder, name, f'''{before}
{measures}
LoadPlugin forward
<Plugin forward>
  {urls}
  {more}
</Plugin>''', sink=sink)
    running.append(daemon)
    return daemon


def certificates(folder):
    """An authority, what the two sides show, and a stranger with its own."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    for ca in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", f"{ca}.key", "-out", f"{ca}.pem", "-subj", f"/CN={ca}", "-days", "2")
    for name, ca in (("server", "ca"), ("agent", "ca"), ("stranger", "other")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        with open(os.path.join(folder, "ext"), "w", encoding="utf-8") as file:
            file.write(f"subjectAltName=IP:{HERE},DNS:{name}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key",
                "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", f"{name}.pem")


def listen_tls(keys):
    """What a Listen of otlp says of the certificates in a folder."""
    return (f'TLSCertificate "{keys}/server.pem"\nTLSKey "{keys}/server.key"\n'
            f'TLSClientCA "{keys}/ca.pem"')


def feed(daemon, **more):
    """Puts numbered values in; which were acknowledged is in a file beside it."""
    return oracle.Feeder(daemon.socket, daemon.folder + ".acked", **more)


def all_sent(here, there):
    return here.writer("forward")["queued"] == 0 and there.writer("csv")["queued"] == 0


def arrived(here, there):
    """What became of what was put into one, in the files of the other."""
    return oracle.verify("csv", os.path.join(there.folder, "csv"), here.folder + ".acked")


def close_books(*daemons):
    """None if the ledger of each closes."""
    return "; ".join(filter(None, (daemon.ledger() for daemon in daemons))) or None
