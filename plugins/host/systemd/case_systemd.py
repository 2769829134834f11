# SPDX-License-Identifier: MIT
"""A bus with a systemd on it, in cases (dbus-specification, org.freedesktop.systemd1(5)):

    case_systemd.py serve            at the socket "bus"
    case_systemd.py tell WORD...     has that one do something, by the socket "control"

has the units of the file "units", a line each: name, load, active and sub state, microseconds since
1970 when it became active, restarts, result, code and status of its main process.  It does what the
file "mode" says, which is read for each question: absent (no systemd), deaf, cut, wrong (a list of
another form), noise, refused (no signals are forwarded), a number (so many generated units).  The file
"asked" has its questions.  It is told

    changes         what has changed in the file "units"
    reload          that all units are read anew
    forged NAME     that NAME has failed, as another client could
    leave           that it is off the bus
    odd WORD        a signal that is none: cut, empty, path, type
"""
import select
import socket
import struct
import sys

UNIT = "org.freedesktop.systemd1.Unit"
SERVICE = "org.freedesktop.systemd1.Service"
MANAGER = "org.freedesktop.systemd1.Manager"
PROPERTIES = "org.freedesktop.DBus.Properties"
FIELDS = {1: "path", 2: "interface", 3: "member", 7: "sender"}


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def text(data, word):
    word = word.encode()
    return pad(data, 4) + struct.pack("<I", len(word)) + word + b"\0"


def variant(data, kind, value):
    data += bytes([1]) + kind.encode() + b"\0"
    if kind in "so":
        return text(data, value)
    form, size = {"u": ("<I", 4), "i": ("<i", 4), "t": ("<Q", 8)}[kind]
    return pad(data, size) + struct.pack(form, value)


def array(items, before=b""):
    """Of structs or entries, each made by a function that appends it."""
    data = pad(before, 4)
    start = len(data)
    data = pad(data + b"\0\0\0\0", 8)
    first = len(data)
    for item in items:
        data = item(pad(data, 8))
    return data[:start] + struct.pack("<I", len(data) - first) + data[start + 4:]


def message(kind, fields, signature="", body=b"", serial=[0]):
    serial[0] += 1

    def field(code, form, value):
        def add(data):
            data += bytes([code, 1]) + form.encode() + b"\0"
            if form == "u":
                return pad(data, 4) + struct.pack("<I", value)
            if form == "g":
                return data + bytes([len(value)]) + value.encode() + b"\0"
            return text(data, value)
        return add

    known = [field(*item) for item in fields]
    if signature:
        known.append(field(8, "g", signature))
    head = struct.pack("<cBBBII", b"l", kind, 0, 1, len(body), serial[0])
    return pad(array(known, head), 8) + body


def path_of(name):
    kept = "".join(c if c.isalnum() and (i or not c.isdigit()) else f"_{ord(c):02x}"
                   for i, c in enumerate(name))
    return "/org/freedesktop/systemd1/unit/" + kept


def read(name):
    try:
        with open(name, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except FileNotFoundError:
        return ""


class Unit:
    def __init__(self, line):
        (self.name, self.load, self.active, self.sub, entered, restarts, self.result, code,
         status) = line.split()
        self.line = line
        self.entered, self.restarts = int(entered), int(restarts)
        self.code, self.status = int(code), int(status)
        self.path = path_of(self.name)

    def properties(self):
        return {"ActiveState": ("s", self.active), "SubState": ("s", self.sub),
                "ActiveEnterTimestamp": ("t", self.entered), "NRestarts": ("u", self.restarts),
                "Result": ("s", self.result), "ExecMainCode": ("i", self.code),
                "ExecMainStatus": ("i", self.status)}

    def row(self, data):
        for word in self.name, "A unit", self.load, self.active, self.sub, "":
            data = text(data, word)
        data = text(data, self.path)
        data = pad(data, 4) + struct.pack("<I", 0)
        return text(text(data, ""), "/")


class Bus:
    def __init__(self):
        self.units = self.read_units()
        self.clients = {}  # Of each the bytes that have come, and whether it is greeted.
        self.asked = {}

    def read_units(self):
        mode = read("mode")
        lines = read("units").splitlines()
        if mode.isdigit():
            lines = [f"unit{i}.service loaded active running 1 0 success 0 0"
                     for i in range(int(mode))]
        return {unit.name: unit for unit in map(Unit, lines)}

    def signal(self, interface, member, signature, body, path="/org/freedesktop/systemd1",
               sender=":1.1"):
        data = message(4, [(1, "o", path), (2, "s", interface), (3, "s", member),
                           (7, "s", sender)], signature, body)
        for client in self.clients:
            client.sendall(data)

    def changed(self, unit, sender=":1.1"):
        properties = unit.properties()

        def part(names):
            def entry(name):
                return lambda data: variant(text(data, name), *properties[name])
            return [entry(name) for name in names]

        parts = [(UNIT, ["ActiveState", "SubState", "ActiveEnterTimestamp"])]
        if unit.name.endswith(".service"):
            parts.insert(0, (SERVICE, ["NRestarts", "Result", "ExecMainCode", "ExecMainStatus"]))
        for interface, names in parts:
            body = array(part(names), text(b"", interface))
            self.signal(PROPERTIES, "PropertiesChanged", "sa{sv}as",
                        pad(body, 4) + struct.pack("<I", 0), unit.path, sender)

    def named(self, member, unit):
        self.signal(MANAGER, member, "so", text(text(b"", unit.name), unit.path))

    def tell(self, words):
        before, self.units = self.units, self.read_units()
        if words[0] == "changes":
            for name, unit in before.items():
                if name not in self.units:
                    self.named("UnitRemoved", unit)
            for name, unit in self.units.items():
                if name not in before:
                    self.named("UnitNew", unit)
                elif unit.line != before[name].line:
                    self.changed(unit)
        elif words[0] == "reload":
            self.signal(MANAGER, "Reloading", "b", struct.pack("<I", 1))
            for unit in before.values():
                self.named("UnitRemoved", unit)
            self.signal(MANAGER, "Reloading", "b", struct.pack("<I", 0))
            for unit in self.units.values():
                self.named("UnitNew", unit)
        elif words[0] == "forged":
            self.changed(Unit(f"{words[1]} loaded failed failed 0 9 signal 2 11"), ":1.66")
        elif words[0] == "leave":
            body = text(text(text(b"", "org.freedesktop.systemd1"), ":1.1"), "")
            self.signal("org.freedesktop.DBus", "NameOwnerChanged", "sss", body,
                        "/org/freedesktop/DBus", "org.freedesktop.DBus")
        elif words[0] == "odd":
            self.odd(words[1])

    def odd(self, how):
        path, signature, body = path_of("a.service"), "sa{sv}as", text(b"", UNIT)
        if how == "empty":
            signature, body = "", b""
        elif how == "path":
            path = "/org/freedesktop/systemd1/unit/_zz"
        elif how == "type":
            body = array([lambda data: variant(text(data, "ActiveState"), "u", 7)], body)
            body = pad(body, 4) + struct.pack("<I", 0)
        self.signal(PROPERTIES, "PropertiesChanged", signature, body, path)

    # --- Questions ---------------------------------------------------------------------

    def answer(self, client, ask, signature="", body=b"", sender=":1.1"):
        client.sendall(message(2, [(5, "u", ask["serial"]), (7, "s", sender)], signature, body))

    def refuse(self, client, ask, name, why):
        client.sendall(message(3, [(5, "u", ask["serial"]), (7, "s", ":1.1"), (4, "s", name)],
                               "s", text(b"", why)))

    def take(self, client, ask):
        mode, member = read("mode"), ask["member"]
        self.asked[member] = self.asked.get(member, 0) + 1
        if ask["interface"] == "org.freedesktop.DBus":
            if mode == "refused" and member == "AddMatch":
                self.refuse(client, ask, "org.freedesktop.DBus.Error.LimitsExceeded", "too many")
            elif member == "Hello":
                self.answer(client, ask, "s", text(b"", ":1.5"), "org.freedesktop.DBus")
            else:
                self.answer(client, ask, sender="org.freedesktop.DBus")
        elif mode == "absent":
            self.refuse(client, ask, "org.freedesktop.DBus.Error.ServiceUnknown",
                        "The name is not known")
        elif mode == "deaf":
            pass
        elif member == "Get":
            self.take_get(client, ask)
        elif member in ("ListUnits", "ListUnitsByNames"):
            self.take_list(client, ask, mode)
        else:
            self.answer(client, ask)

    def take_list(self, client, ask, mode):
        if mode == "cut":
            client.shutdown(socket.SHUT_RDWR)
        elif mode == "noise":
            client.sendall(b"\xff" * 64)
        elif mode == "wrong":
            self.answer(client, ask, "s", text(b"", "none"))
        elif ask["member"] == "ListUnits":
            self.answer(client, ask, "a(ssssssouso)",
                        array([unit.row for unit in self.units.values()]))
        else:
            names, at = [], 4
            while at < len(ask["body"]):
                at += -at % 4
                size, = struct.unpack_from("<I", ask["body"], at)
                names.append(ask["body"][at + 4:at + 4 + size].decode())
                at += 4 + size + 1
            absent = "{} not-found inactive dead 0 0 success 0 0"
            self.answer(client, ask, "a(ssssssouso)", array(
                [self.units.get(name, Unit(absent.format(name))).row for name in names]))

    def take_get(self, client, ask):
        size, = struct.unpack_from("<I", ask["body"])
        at = 4 + size + 1
        name = ask["body"][at + -at % 4 + 4:-1].decode()
        unit = next((one for one in self.units.values() if one.path == ask["path"]), None)
        if unit is None:
            self.refuse(client, ask, "org.freedesktop.DBus.Error.UnknownObject", "no such unit")
        else:
            kind, value = unit.properties()[name]
            self.answer(client, ask, "v", variant(b"", kind, value))

    # --- Bytes -------------------------------------------------------------------------

    def greet(self, client, data):
        """SASL, as sd-bus begins it; returns what follows."""
        while b"\r\n" in data:
            line, _, data = data.partition(b"\r\n")
            words = line.lstrip(b"\0").split()
            if words[0] == b"BEGIN":
                self.clients[client][1] = True
                break
            client.sendall({b"AUTH": b"DATA\r\n" if len(words) == 2 else b"OK " + b"0" * 32 + b"\r\n",
                            b"DATA": b"OK " + b"0" * 32 + b"\r\n",
                            b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD\r\n"}.get(words[0], b"ERROR\r\n"))
        return data

    def split(self, data):
        """The first message, and what follows; None: it is not whole."""
        if len(data) < 16:
            return None
        body_size, serial, fields_size = struct.unpack_from("<III", data, 4)
        start = 16 + fields_size + -fields_size % 8
        if len(data) < start + body_size:
            return None
        ask = {"serial": serial, "body": data[start:start + body_size], "interface": "", "path": ""}
        at = 16
        while at < 16 + fields_size:
            at += -at % 8
            code, form = data[at], data[at + 2:at + 3]
            at += 4
            if form == b"g":
                at += 1 + data[at] + 1
                continue
            if form == b"u":
                at += -at % 4 + 4
                continue
            size, = struct.unpack_from("<I", data, at)
            if code in FIELDS:
                ask[FIELDS[code]] = data[at + 4:at + 4 + size].decode()
            at += 4 + size + 1
        return ask, data[start + body_size:]

    def on_bytes(self, client):
        try:
            data = client.recv(65536)
        except OSError:
            data = b""
        if not data:
            del self.clients[client]
            client.close()
            return
        data = self.clients[client][0] + data
        if not self.clients[client][1]:
            data = self.greet(client, data)
        while self.clients[client][1] and (parts := self.split(data)) is not None:
            ask, data = parts
            try:
                self.take(client, ask)
            except BrokenPipeError:
                pass
        self.clients[client][0] = data
        with open("asked", "w", encoding="utf-8") as file:
            file.writelines(f"{name} {count}\n" for name, count in sorted(self.asked.items()))

    def serve(self):
        sockets = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
        for one, name in zip(sockets, ("bus", "control")):
            one.bind(name)
            one.listen()
        bus, control = sockets
        while True:
            for one in select.select(sockets + list(self.clients), [], [])[0]:
                if one is bus:
                    self.clients[bus.accept()[0]] = [b"", False]
                elif one is control:
                    with control.accept()[0] as other:
                        self.tell(other.recv(4096).decode().split())
                elif one in self.clients:
                    self.on_bytes(one)


if sys.argv[1] == "serve":
    Bus().serve()
with socket.socket(socket.AF_UNIX) as teller:
    teller.connect("control")
    teller.sendall(" ".join(sys.argv[2:]).encode())
    teller.recv(1)  # Until it is done.
