# SPDX-License-Identifier: MIT
"""A socket where no collector is: no_collector.py PATH MANNER.  It prints
"listening", and answers everybody in that manner until it is killed."""
import socket
import sys
import threading
import time

ESCAPES = (b"2 Lines \033]0;owned\007\n"
           b"collector version=\033[31m0 host=\xc2\x9b31m\007\n"
           b"1182204284.000 h/\033[31m\xc2\x9b31m\xe2\x80\xaeegnaro\xe2\x80\xa8/c\007\n")


def answer(client, manner):
    """What one client gets, after its first line."""
    client.recv(65536)
    if manner == "silent":
        time.sleep(3600)
    elif manner == "no_newline":
        while True:
            client.sendall(b"9")
            time.sleep(0.2)
    elif manner == "endless":
        client.sendall(b"2000000000 Values found\n")
        while True:
            client.sendall(b"1182204284.000 a/b/c\n" * 4096)
    elif manner == "endless_line":
        while True:
            client.sendall(b"x" * 65536)
    elif manner == "garbage":
        client.sendall(bytes(range(1, 256)) + b"\n")
    elif manner == "escapes":
        client.sendall(ESCAPES)


def serve(client, manner):
    try:
        answer(client, manner)
        client.close()
    except OSError:
        pass


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(16)
    print("listening", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, sys.argv[2]), daemon=True).start()


main()
