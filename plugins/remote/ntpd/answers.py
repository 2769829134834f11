# SPDX-License-Identifier: MIT
"""Answers in the place of an ntpd, as NTPsec 1.2 and NTP 4.2.8 give them: in parts, out of order and
twice, with packets in between that belong to no question or come from elsewhere.  A file "refuse"
in the folder has it refuse.  Arguments: port, folder."""
import os, socket, struct, sys

LOOP = ("offset=0.125000, frequency=-12.345, clk_jitter=0.000119, koffset=0.250000,\r\n"
        "kfreq=-12.500000, kesterr=1.500000\r\n")
PEERS = {
    1001: "srcadr=127.127.1.0, reach=0x1, delay=0.000000, offset=0.000000,\r\ndispersion=7.500000\r\n",
    1002: "srcadr=192.0.2.7, reach=0xff, delay=12.500000, offset=-1.750000,\r\ndispersion=0.500000\r\n",
    1003: "srcadr=2001:db8::7, reach=0xfe, delay=1.0, offset=1.0, dispersion=1.0\r\n",
    1004: "srcadr=0.0.0.0, reach=0x0, delay=0.0, offset=0.0, dispersion=16000.0\r\n",
    1005: "srcadr=127.127.20.0, reach=1, delay=0.0, offset=4.0, dispersion=2.0\r\n",
    1006: "srcadr=127.127.20.1, reach=1, delay=0.0, offset=5.0, dispersion=3.0\r\n",
}
GONE = 1007  # It has gone when it is asked.


def answer(question, folder):
    op, sequence, _, association, _, count = struct.unpack(">BHHHHH", question[1:12])
    head = lambda flags, status, offset, size, seq=sequence: struct.pack(
        ">BBHHHHH", question[0], 0x80 | flags | op, seq, status, association, offset, size)
    if os.path.exists(f"{folder}/refuse"):
        return [head(0x40, 0x0100, 0, 0)]
    if op == 1:
        data = b"".join(struct.pack(">HH", peer, 0x9014) for peer in [*PEERS, GONE])
    elif association == 0:
        data = LOOP.encode()
    elif association in PEERS:
        data = PEERS[association].encode()
    else:
        return [head(0x40, 0x0400, 0, 0)]
    middle = len(data) // 8 * 4
    pad = lambda part: part + bytes(-len(part) % 4)
    first = head(0x20, 0x9014, 0, middle) + pad(data[:middle])
    last = head(0, 0x9014, middle, len(data) - middle) + pad(data[middle:])
    stranger = head(0, 0x9014, 0, 12, sequence ^ 1) + b"srcadr=1.2.3"
    return [b"", b"\x16", stranger, last, last, first]


port, folder = int(sys.argv[1]), sys.argv[2]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, \
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
    server.bind(("127.0.0.1", port))
    print("ready", flush=True)
    while True:
        question, peer = server.recvfrom(2048)
        packets = answer(question, folder)
        # One that is whole, and from elsewhere.
        other.sendto(packets[0] or b"\x16\x82" + question[2:4] + bytes(7) + b"\x10offset=999999.0,", peer)
        for packet in packets:
            server.sendto(packet, peer)
