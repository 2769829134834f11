# SPDX-License-Identifier: MIT
"""oddities.py COLLECTORD PLUGINS COLLECTD: what both say of each file in
oddities.txt.  COLLECTD may be "": it is not there to be asked."""
import os
import re
import subprocess
import sys
import tempfile
import time

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "oddities.txt")
HEAD = {"Hostname": "h", "FQDNLookup": "false", "BaseDir": '"@W@"'}
TYPES = {"broken": "foo", "kind": "foo value:GUAGE:0:U",
         "differs": "load value:GAUGE:0:U"}
LIMIT = 60  # Seconds for collectd to start or to end, on a busy machine.


def entries():
    """(name, text, what collectord says first, whether it is a mistake)"""
    with open(DATA, encoding="utf-8") as data:
        oddities, mistakes = data.read().split("# Plain mistakes")
    for mistake, part in (False, oddities), (True, mistakes):
        for entry in re.split(r"^=== ", part, flags=re.M)[1:]:
            name, rest = entry.split("\n", 1)
            text, said = rest.split("--- ", 1)
            yield name, text, said.split("\n")[0], mistake


def write(folder, name, text):
    """A file of the entry, below the folder that it calls @W@."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text.replace("@W@", folder))


def prepare(folder, text):
    """The files that an entry may name; returns the path of its own, and how
    many lines stand in front of it."""
    head = "".join(
        f"{option} {value}\n" for option, value in HEAD.items()
        if not re.search(rf"^<?{option}\b", text, re.M))
    os.mkdir(os.path.join(folder, "folder"))
    write(folder, "empty.conf", "")
    for name, line in TYPES.items():
        write(folder, name + ".db", line + "\n")
    write(folder, "conf", head + text)
    return os.path.join(folder, "conf"), head.count("\n")


def ask_ours(program, plugins, conf, folder):
    """Its exit status and the first line it says."""
    ran = subprocess.run(
        [program, "--plugin-dir", plugins, "-t", "-C", conf], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    first = ran.stdout.decode(errors="replace").split("\n")[0]
    return ran.returncode, first.replace(folder, "@W@")


def starts(program, conf, folder):
    """Whether collectd runs with it."""
    said = os.path.join(folder, "out")
    with open(said, "wb") as out:
        child = subprocess.Popen(
            [program, "-f", "-C", conf, "-P", folder + "/pid"], stdout=out,
            stderr=out, cwd=folder)
    end = time.monotonic() + LIMIT
    started = False
    while time.monotonic() < end and child.poll() is None and not started:
        for path in said, os.path.join(folder, "log"):
            if os.path.isfile(path):
                with open(path, "rb") as text:
                    started |= b"Initialization complete" in text.read()
        time.sleep(0.02)
    child.kill()
    child.wait()
    return started


def main(program, plugins, collectd):
    oddities = refused = 0
    for name, text, said, mistake in entries():
        with tempfile.TemporaryDirectory() as folder:
            conf, lines = prepare(folder, text)
            status, first = ask_ours(program, plugins, conf, folder)
            theirs = not collectd or starts(collectd, conf, folder)
        first = re.sub(r"@W@/conf:(\d+)",
                       lambda at, n=lines: f"{int(at[1]) - n}", first)
        oddities += not mistake
        refused += not mistake and status != 0
        if status != (78 if mistake else 0) or first != said:
            print(f"not ok oddities/{name}: status {status}, '{first}', "
                  f"not '{said}'")
        elif not theirs:
            print(f"not ok oddities/{name}: collectd does not start")
        else:
            print(f"ok oddities/{name}")
    print(f"# {refused} of {oddities} refused")


main(*sys.argv[1:])
