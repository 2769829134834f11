#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""receiver.py PORT FILE [relay] [release] [user] [idle] [tls=FOLDER]: a receiver of AMQP 1.0, by Proton, for the scenario of amqp1. It appends a line of
JSON to FILE for each message, then accepts it; but rejects one with "reject" in it. With "relay" it offers ANONYMOUS-RELAY, with
"release" it releases each message the first time, with "user" it wants a user, of whom it knows none; with "idle" it
ends a connection on which nothing comes for a second; with "tls" it shows server.pem of that folder, and wants a certificate of
ca.pem. Each connection is a line on standard output."""
import json
import sys

from proton import SSLDomain, symbol
from proton.handlers import MessagingHandler
from proton.reactor import Container


class Receiver(MessagingHandler):
    def __init__(self, port, path, *modes):
        super().__init__(auto_accept=False, prefetch=20)
        self.port, self.modes, self.released = port, modes, set()
        self.file = open(path, "a", encoding="utf-8")

    def on_start(self, event):
        keys = [mode[4:] for mode in self.modes if mode.startswith("tls=")]
        if keys:
            domain = event.container.ssl.server
            domain.set_credentials(f"{keys[0]}/server.pem", f"{keys[0]}/server.key", "")
            domain.set_trusted_ca_db(f"{keys[0]}/ca.pem")
            domain.set_peer_authentication(SSLDomain.VERIFY_PEER, f"{keys[0]}/ca.pem")
            event.container.listen(f"amqps://127.0.0.1:{self.port}")
        else:
            event.container.listen(f"127.0.0.1:{self.port}")

    def on_connection_bound(self, event):
        print("connection", flush=True)
        if "user" in self.modes:
            event.transport.sasl().allowed_mechs("PLAIN")
            event.transport.require_auth(True)
        if "idle" in self.modes:
            event.transport.idle_timeout = 1

    def on_connection_opening(self, event):
        if "relay" in self.modes:
            event.connection.offered_capabilities = [symbol("ANONYMOUS-RELAY")]

    def on_link_opening(self, event):
        event.link.target.copy(event.link.remote_target)

    def on_message(self, event):
        message = event.message
        body = bytes(message.body)
        self.file.write(json.dumps({"to": message.address, "target": event.link.remote_target.address, "type": message.content_type,
                                    "body": body.decode()}) + "\n")
        self.file.flush()
        if "release" in self.modes and body not in self.released:
            self.released.add(body)
            self.release(event.delivery, delivered=False)
        elif b"reject" in body:
            self.reject(event.delivery)
        else:
            self.accept(event.delivery)


Container(Receiver(*sys.argv[1:])).run()
