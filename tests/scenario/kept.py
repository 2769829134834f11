# SPDX-License-Identifier: MIT
"""What the programs of a scenario have said, kept when its folder is removed:
tests/scenario/run shows the ends of it where something is not ok."""
import contextlib
import os
import re
import signal
import sys
import tempfile

TAIL = 65536  # Bytes of a file.


def keep(folder):
    """Has what is said below the folder kept, if somebody asks for it."""
    place = os.environ.get("kept")
    if not place:
        return
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            if not re.fullmatch(r"log|out|.*\.(log|err|out)", name) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                file.seek(max(0, os.path.getsize(path) - TAIL))
                said = file.read()
            shown = os.path.join(place, os.path.relpath(path, folder).replace("/", ":"))
            if said:
                with open(shown, "wb") as file:
                    file.write(said)
                os.utime(shown, (os.path.getatime(path), os.path.getmtime(path)))


@contextlib.contextmanager
def temporary_folder(prefix="collector"):
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        try:
            yield folder
        finally:
            keep(folder)


# One that takes too long is ended: it cleans up, too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
