# SPDX-License-Identifier: MIT
"""Waiting, for as many times as long as tests/patience has found that things take here."""
import os
import time

PATIENCE = int(os.environ.get("MC_PATIENCE") or 1)


def wait_for(what, seconds=60, step=0.1):
    """What what() returns as soon as that is true; or its last answer, after as many seconds of an idle machine."""
    end = time.monotonic() + seconds * PATIENCE
    while True:
        result = what()
        if result or time.monotonic() > end:
            return result
        time.sleep(step)
