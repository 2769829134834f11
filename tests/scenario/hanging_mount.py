#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hanging_mount.py DIRECTORY: mounts a file system there that answers nothing,
as one does whose server is gone, until SIGUSR1; from then on it says how full
it is.  Speaks the kernel's FUSE protocol by itself (linux/fuse.h, fuse(4)), so
it needs root and /dev/fuse and nothing else."""

import ctypes
import os
import signal
import struct
import sys

GETATTR, STATFS, INIT = 3, 17, 26
directory = sys.argv[1].encode()
device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % device

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
if libc.mount(b"hanging", directory, b"fuse.hanging", 0, options) != 0:
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))
print("mounted", flush=True)
signal.sigwait([signal.SIGUSR1])

answers = {
    # Version 7.31, no flags, requests of one page.
    INIT: struct.pack("<IIIIHHIIHH28x", 7, 31, 4096, 0, 0, 0, 4096, 1, 0, 0),
    # Inode 1, a directory.
    GETATTR: struct.pack("<QII6Q10I", 1, 0, 0, 1, 0, 0, 0, 0, 0,
                         0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0),
    # 1,000 blocks of 4 KiB: 300 for everybody, 100 more for root.
    STATFS: struct.pack("<5Q4I24x", 1000, 400, 300, 50, 20, 4096, 255, 4096, 0),
}
while True:
    try:
        request = os.read(device, 1 << 17)
    except OSError:  # ENODEV: it is unmounted.
        break
    operation, unique = struct.unpack_from("<IQ", request, 4)
    answer = answers.get(operation, b"")
    error = 0 if answer else -38  # ENOSYS
    os.write(device, struct.pack("<IiQ", 16 + len(answer), error, unique)
             + answer)
