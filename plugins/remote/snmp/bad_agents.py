# SPDX-License-Identifier: MIT
"""Devices that answer SNMPv2c wrongly, each in a way of its own, on 127.0.0.1; a good
one, too.  Prints NAME PORT of each, then serves until it is killed.

A table, 1.3.6.1.4.1.9999.20.1: column 1 has names, column 2 and 3 have numbers, of
rows 1 to 5.  Of 'jumps' and 'alike' it is
IF-MIB's."""
import os
import selectors
import socket
import time

TABLE = (1, 3, 6, 1, 4, 1, 9999, 20, 1)
UPTIME = (1, 3, 6, 1, 2, 1, 1, 3, 0)
NAME = (1, 3, 6, 1, 2, 1, 1, 5, 0)
IF_ENTRY, IF_X_ENTRY = (1, 3, 6, 1, 2, 1, 2, 2, 1), (1, 3, 6, 1, 2, 1, 31, 1, 1, 1)
BEGUN = time.monotonic()


def tlv(tag, body):
    size = len(body)
    if size < 128:
        return bytes([tag, size]) + body
    digits = size.to_bytes(3, "big").lstrip(b"\0")
    return bytes([tag, 0x80 | len(digits)]) + digits + body


def integer(value, tag=2):
    size = (value.bit_length() // 8) + 1
    return tlv(tag, value.to_bytes(size, "big", signed=True))


def object_id(ids):
    body = bytes([ids[0] * 40 + ids[1]])
    for number in ids[2:]:
        digits = [number & 0x7f]
        while number > 0x7f:
            number >>= 7
            digits.append(0x80 | number & 0x7f)
        body += bytes(reversed(digits))
    return tlv(6, body)


def counter(value):
    return integer(value, 0x41)


def wide(value):
    return integer(value, 0x46)


def text(value):
    return tlv(4, value)


def take(data, at):
    """The tag, the body, and where the next one begins."""
    tag, size, at = data[at], data[at + 1], at + 2
    if size >= 0x80:
        digits = size & 0x7f
        size = int.from_bytes(data[at:at + digits], "big")
        at += digits
    return tag, data[at:at + size], at + size


def parts(data):
    at, found = 0, []
    while at < len(data):
        tag, body, at = take(data, at)
        found.append((tag, body))
    return found


def ids_of(body):
    ids, number = [body[0] // 40, body[0] % 40], 0
    for byte in body[1:]:
        number = number << 7 | byte & 0x7f
        if byte < 0x80:
            ids.append(number)
            number = 0
    return tuple(ids)


class Agent:
    """A device with a table; ways to answer wrongly are its children's."""
    rows, error = 5, 0

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.passes = 0

    def uptime(self):
        return int((time.monotonic() - BEGUN) * 100) + 100000

    def objects(self):
        """What it has, in order."""
        found = {UPTIME: integer(self.uptime(), 0x43), NAME: text(b"agent")}
        for row in range(1, self.rows + 1):
            found[TABLE + (1, row)] = text(b"row%d" % row)
            found[TABLE + (2, row)] = counter(1000 * row)
            found[TABLE + (3, row)] = counter(2000 * row)
        return sorted(found.items())

    def next(self, objects, ids):
        for name, value in objects:
            if name > ids:
                return name, value
        return ids, bytes([0x82, 0])

    def variables(self, tag, asked, skip, repetitions):
        objects, found = self.objects(), []
        if tag == 0xa0:
            has = dict(objects)
            return [(ids, has.get(ids, bytes([0x81, 0]))) for ids in asked]
        found += [self.next(objects, ids) for ids in asked[:skip]]
        ids = asked[skip:]
        for _ in range(repetitions):
            step = [self.next(objects, one) for one in ids]
            found += step
            ids = [name for name, _ in step]
            if not ids or len(found) > 40:
                break
        return found

    def write(self, request, variables):
        body = b"".join(tlv(0x30, object_id(name) + value) for name, value in variables)
        pdu = tlv(0xa2, request + integer(self.error) + integer(0) + tlv(0x30, body))
        return tlv(0x30, integer(1) + text(b"public") + pdu)

    def answer(self, data):
        _, message, _ = take(data, 0)
        (_, _), (_, _), (tag, pdu) = parts(message)
        (_, request), (_, first), (_, second), (_, listed) = parts(pdu)
        asked = [ids_of(parts(body)[0][1]) for _, body in parts(listed)]
        self.passes += UPTIME[:-1] in asked or UPTIME in asked
        return self.write(tlv(2, request), self.variables(
            tag, asked, int.from_bytes(first, "big"), int.from_bytes(second, "big")))

    def send(self, data, to):
        self.socket.sendto(data, to)

    def serve(self):
        data, sender = self.socket.recvfrom(65536)
        self.send(self.answer(data), sender)


class NoNumbers(Agent):
    def objects(self):
        return [(name, value if value[0] != 0x41 else text(b"none"))
                for name, value in super().objects()]


class Loops(Agent):
    def next(self, objects, ids):
        if ids[:len(TABLE)] == TABLE and len(ids) == len(TABLE) + 2 and ids[-1] == 3:
            return ids[:-1] + (2,), text(b"again")
        return super().next(objects, ids)


class Endless(Agent):
    def next(self, objects, ids):
        if ids[:len(TABLE)] == TABLE and ids[len(TABLE):]:
            row = ids[len(TABLE) + 1] if len(ids) > len(TABLE) + 1 else 0
            return TABLE + (ids[len(TABLE)], row + 1), counter(1)
        return super().next(objects, ids)


class OtherRequest(Agent):
    def write(self, request, variables):
        return super().write(integer(7), variables)


class OtherAddress(Agent):
    def send(self, data, to):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(data, to)


class Half(Agent):
    def objects(self):
        return [(name, value) for name, value in super().objects()
                if name[:-1] != TABLE + (3,) or name[-1] <= 2]


class Long(Agent):
    rows = 1

    def objects(self):
        return [(name, text(b"x" * 60000) if name[:-1] == TABLE + (1,) else value)
                for name, value in super().objects()]


class TooBig(Agent):
    error = 1


class Fails(Agent):
    error = 5


class Empty(Agent):
    def variables(self, tag, asked, skip, repetitions):
        return []


class Garbage(Agent):
    def answer(self, data):
        return os.urandom(len(data))


class Cut(Agent):
    def answer(self, data):
        return super().answer(data)[:-10]


class BackInTime(Agent):
    def uptime(self):
        return max(0, 100000 - 1000 * self.passes)


class Jumps(Agent):
    """An interface of 1 Mbit/s, whose counter jumps now and then."""

    def objects(self):
        octets = int((time.monotonic() - BEGUN) * 1000)
        octets += (self.passes // 3) << 40
        return sorted({
            UPTIME: integer(self.uptime(), 0x43),
            IF_ENTRY + (2, 1): text(b"port 1"),
            IF_ENTRY + (3, 1): integer(6),
            IF_ENTRY + (8, 1): integer(1),
            IF_X_ENTRY + (1, 1): text(b"p1"),
            IF_X_ENTRY + (6, 1): wide(octets),
            IF_X_ENTRY + (10, 1): wide(octets),
            IF_X_ENTRY + (15, 1): integer(1, 0x42),
        }.items())


class Widths(Jumps):
    """Two interfaces: the 64-bit counters of one come and go, the other has none."""

    def objects(self):
        octets = (1 << 40) + int((time.monotonic() - BEGUN) * 1000)
        found = dict(super().objects())
        for column in (6, 10):
            del found[IF_X_ENTRY + (column, 1)]
            if self.passes // 2 % 2 == 1:
                found[IF_X_ENTRY + (column, 1)] = wide(octets)
        for row in (1, 2):
            for column in (10, 16):
                found[IF_ENTRY + (column, row)] = counter(octets & 0xffffffff)
        return sorted(found.items())


class Alike(Agent):
    """Interfaces with one name, and one that is called as another one is numbered."""

    def objects(self):
        found = {UPTIME: integer(self.uptime(), 0x43)}
        for row, (name, description) in enumerate((
                (b"up", b"Port 1"), (b"up", b"a/b"), (b"a_b", b"Port 3"), (b"", b"Port 4"),
                (b"6", b"Port 5"), (b"", b"")), 1):
            found[IF_ENTRY + (2, row)] = text(description)
            found[IF_ENTRY + (8, row)] = integer(row)
            found[IF_X_ENTRY + (1, row)] = text(name)
        return sorted(found.items())


class Twins(Agent):
    """Three rows have one name."""

    def objects(self):
        return [(name, text(b"twin") if name[:-1] == TABLE + (1,) and name[-1] in (2, 3, 5)
                 else value) for name, value in super().objects()]


class Moves(Agent):
    """All rows get other numbers: with those of before there are too many."""
    rows = 60

    def objects(self):
        found = super().objects()
        if self.passes <= 3:
            return found
        return [(name[:-1] + (name[-1] + 100,),
                 text(b"moved%d" % name[-1]) if name[:-1] == TABLE + (1,) else value)
                if name != UPTIME else (name, value) for name, value in found]


class Later(Jumps):
    """An interface that has no errors at first."""

    def objects(self):
        found = dict(super().objects())
        for column in (14, 20):
            if self.passes > 3:
                found[IF_ENTRY + (column, 1)] = counter(self.passes)
        return sorted(found.items())


class Closes:
    """A stream that ends when it is asked."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))

    def serve(self):
        connection, _ = self.socket.accept()
        connection.recv(65536)
        connection.close()


def main():
    ways = {
        "good": Agent, "no_numbers": NoNumbers, "loops": Loops, "endless": Endless,
        "other_request": OtherRequest, "other_address": OtherAddress, "half": Half,
        "long": Long, "too_big": TooBig, "fails": Fails, "empty": Empty,
        "garbage": Garbage, "cut": Cut, "back_in_time": BackInTime, "jumps": Jumps,
        "widths": Widths, "later": Later, "twins": Twins, "alike": Alike, "moves": Moves, "closes": Closes,
    }
    selector = selectors.DefaultSelector()
    for name, way in ways.items():
        agent = way()
        selector.register(agent.socket, selectors.EVENT_READ, agent)
        print(name, agent.socket.getsockname()[1], flush=True)
    print("end", 0, flush=True)
    while True:
        for key, _ in selector.select():
            key.data.serve()


if __name__ == "__main__":
    main()
