# SPDX-License-Identifier: MIT
"""A device of SNMP, versions 1 and 2c, in cases:

    case_agent.py PORT

has the objects of the file "walk", as snmpwalk -On -Oe prints them, and does with its
answers what the file "mode" says: cut, silent, other (of another request), noise, error;
without it nothing.  Both are read for each request.  The file "asked" has the requests."""
import os
import re
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from bad_agents import ids_of, integer, object_id, parts, take, text, tlv  # noqa: E402

NUMBERS = {"INTEGER": 2, "Counter32": 0x41, "Gauge32": 0x42, "Timeticks": 0x43,
           "Counter64": 0x46}
VERBS = {0xa0: "get", 0xa1: "next", 0xa5: "bulk"}
GONE, END = bytes([0x81, 0]), bytes([0x82, 0])


def value_of(kind, words):
    if kind in NUMBERS:
        return integer(int(re.search(r"-?\d+", words)[0]), NUMBERS[kind])
    if kind == "OID":
        return object_id([int(part) for part in words.strip(".").split(".")])
    if kind == "Hex-STRING":
        return text(bytes.fromhex(words))
    return text(words.strip('"').encode())


def read_walk():
    found = {}
    with open("walk", encoding="utf-8") as file:
        for line in file:
            name, _, rest = line.rstrip("\n").partition(" = ")
            kind, _, words = rest.partition(": ") if ": " in rest else ("", "", rest)
            found[tuple(map(int, name[1:].split(".")))] = value_of(kind, words)
    return sorted(found.items())


def after(objects, ids):
    return next(((name, value) for name, value in objects if name > ids), (ids, END))


def find(objects, tag, asked, skip, repetitions):
    if tag == 0xa0:
        return [(ids, dict(objects).get(ids, GONE)) for ids in asked]
    found = [after(objects, ids) for ids in (asked if tag == 0xa1 else asked[:skip])]
    turn = [] if tag == 0xa1 else asked[skip:]
    for _ in range(min(repetitions, 20) if turn else 0):
        row = [after(objects, ids) for ids in turn]
        found += row
        turn = [name for name, _ in row]
    return found


def answer(data, mode):
    _, message, _ = take(data, 0)
    version, community, (tag, pdu) = parts(message)
    (_, request), (_, first), (_, second), (_, listed) = parts(pdu)
    asked = [ids_of(parts(body)[0][1]) for _, body in parts(listed)]
    with open("asked", "a", encoding="utf-8") as file:
        print(VERBS[tag], *(".".join(map(str, ids)) for ids in asked), file=file)
    found = find(read_walk(), tag, asked, int.from_bytes(first, "big"), int.from_bytes(second, "big"))
    status, index = 5 if mode == "error" else 0, 0
    lacks = [place for place, (_, value) in enumerate(found) if value in (GONE, END)]
    if version[1] == b"\0" and lacks:  # Version 1: noSuchName, and which one.
        status, index, found = 2, lacks[0] + 1, [(ids, bytes([5, 0])) for ids in asked]
    body = b"".join(tlv(0x30, object_id(name) + value) for name, value in found)
    number = integer(7) if mode == "other" else tlv(2, request)
    pdu = tlv(0xa2, number + integer(status) + integer(index) + tlv(0x30, body))
    return tlv(0x30, tlv(*version) + tlv(*community) + pdu)


def main():
    device = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    device.bind(("127.0.0.1", int(sys.argv[1])))
    while True:
        data, sender = device.recvfrom(65536)
        mode = ""
        if os.path.exists("mode"):
            with open("mode", encoding="utf-8") as file:
                mode = file.read().strip()
        reply = answer(data, mode)
        if mode == "cut":
            reply = reply[:-10]
        if mode == "noise":
            reply = b"\x30\x82\xff\xff" + bytes(range(64))
        if mode != "silent":
            device.sendto(reply, sender)


main()
