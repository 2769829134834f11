# SPDX-License-Identifier: MIT
"""Who receives notifications in the scenarios notify_*: a mail server (aiosmtpd),
an API like that of Icinga 2, and one like Alertmanager's, which is also a webhook
of a real Alertmanager.

    notify_peers.py FOLDER

The ports are in FOLDER/ports, what came in FOLDER/mail, icinga, alerts, hook: a line
of JSON each.  Whole numbers in FOLDER/icinga.status and FOLDER/alerts.status are what
is answered then, FOLDER/mail.status is 'never' if the mail server is not to answer."""
import asyncio
import http.server
import json
import os
import ssl
import sys
import threading

try:
    from aiosmtpd.smtp import SMTP
except ImportError:
    SMTP = None

FOLDER = sys.argv[1]
LOCK = threading.Lock()


def note(name, what):
    with LOCK, open(os.path.join(FOLDER, name), "a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def status(name, preset):
    try:
        with open(os.path.join(FOLDER, name + ".status"), encoding="utf-8") as file:
            return file.read().strip() or preset
    except FileNotFoundError:
        return preset


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        name = {"/v1/actions/process-check-result": "icinga", "/api/v2/alerts": "alerts",
                "/hook": "hook"}.get(self.path, "unknown")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = int(status(name, "200"))
        note(name, {"status": code, "accept": self.headers["Accept"],
                    "authorization": self.headers["Authorization"],
                    "body": json.loads(body)})
        self.send_response(code)
        if code == 429:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Mails:
    """Takes every mail, but for one recipient."""

    async def handle_RCPT(self, _server, _session, envelope, address, _options):  # pylint: disable=invalid-name
        if address.startswith("nobody@"):
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, session, envelope):  # pylint: disable=invalid-name
        note("mail", {"from": envelope.mail_from, "to": envelope.rcpt_tos,
                      "tls": session.ssl is not None,
                      "text": envelope.content.decode("utf-8")})
        return "250 OK"


class Silent(asyncio.Protocol):
    """Accepts, and says nothing."""


async def serve_mail(port, started):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(FOLDER, "cert.pem"), os.path.join(FOLDER, "key.pem"))

    def session():
        if status("mail", "") == "never":
            return Silent()
        return SMTP(Mails(), enable_SMTPUTF8=True, tls_context=context, hostname="localhost")
    server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", port)
    started(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def main():
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()

    def started(mail_port):
        path = os.path.join(FOLDER, "ports")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(f"{web.server_address[1]} {mail_port}\n")
        os.rename(path + ".new", path)
    if SMTP is None:
        started(0)
        threading.Event().wait()
    asyncio.run(serve_mail(0, started))


main()
