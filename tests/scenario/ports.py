#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ports that nobody has until a scenario uses them.

    ports.py [NUMBER]      prints so many, one after the other

The kernel gives the port of a socket that asks for any one, and that of every connection, out of
/proc/sys/net/ipv4/ip_local_port_range: such a port may be gone before a program that is started later listens
at it.  These lie below that range, and scenarios beside each other get different ones: a file that all of them
lock says which was the last."""
import errno
import fcntl
import os
import socket
import sys
import tempfile

FIRST, LAST = 26000, 32700
RESERVED = {27017}  # Of a program that listens where it is installed: MongoDB.


def is_free(port):
    """By TCP and by UDP, at all addresses."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            try:
                with socket.socket(family, kind) as probe:
                    if family == socket.AF_INET6:
                        probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    if kind == socket.SOCK_STREAM:
                        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind((address, port))
            except OSError as problem:
                if problem.errno == errno.EADDRINUSE:
                    return False
    return port not in RESERVED


def free_ports(number):
    """So many, which follow each other."""
    path = os.path.join(tempfile.gettempdir(), f"collector-ports-{os.geteuid()}")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read().strip()
        port = int(text) + 1 if text.isdigit() else FIRST
        for _ in range(LAST - FIRST):
            if port < FIRST or port + number > LAST:
                port = FIRST
            taken = [one for one in range(port, port + number) if not is_free(one)]
            if not taken:
                file.seek(0)
                file.truncate()
                file.write(str(port + number - 1))
                return list(range(port, port + number))
            port = taken[-1] + 1
    raise RuntimeError(f"no port from {FIRST} to {LAST} is free")


def free_port():
    return free_ports(1)[0]


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
