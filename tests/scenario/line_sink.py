#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Graphite that only keeps lines.

    line_sink.py FILE [PORT]

listens on the loopback by TCP and UDP, at the same port, which is free or the
one that is given; prints it; and appends each line that comes to FILE."""
import socket
import sys
import threading


def keep(file, lock, bytes_):
    with lock:
        file.write(bytes_)
        file.flush()


def take_stream(connection, file, lock):
    with connection, connection.makefile("rb") as lines:
        try:
            for line in lines:
                if line.endswith(b"\n"):
                    keep(file, lock, line.rstrip(b"\r\n") + b"\n")
        except OSError:
            pass


def take_datagrams(udp, file, lock):
    while True:
        bytes_ = udp.recv(65536).replace(b"\r\n", b"\n")
        keep(file, lock, bytes_)


def listen(port):
    tcp = socket.socket()
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    tcp.bind(("127.0.0.1", port))
    tcp.listen(64)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", tcp.getsockname()[1]))
    return tcp, udp


def main():
    lock = threading.Lock()
    with open(sys.argv[1], "ab") as file:
        tcp, udp = listen(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
        threading.Thread(target=take_datagrams, args=(udp, file, lock), daemon=True).start()
        print(tcp.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=take_stream, args=(tcp.accept()[0], file, lock),
                             daemon=True).start()


if __name__ == "__main__":
    main()
