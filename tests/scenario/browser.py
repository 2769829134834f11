# SPDX-License-Identifier: MIT
"""Chromium without a screen, told what to do by its DevTools protocol over a pipe
(--remote-debugging-pipe): JSON that ends with a zero byte, in by descriptor 3, out by 4."""
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

from patience import MORE, PATIENCE

PROGRAMS = ("chromium-headless-shell", "chromium")
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40}


def program():
    """Path of a browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def spawn(folder):
    """The process, and descriptors to write to it and to read from it."""
    inner_in, to_child = os.pipe()
    from_child, inner_out = os.pipe()
    high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 100) for one in (inner_in, inner_out)]

    def wire():
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    with open(folder + "/browser.log", "ab") as log:
        # pylint: disable=subprocess-popen-preexec-fn,consider-using-with
        child = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=False, preexec_fn=wire)
    for one in (inner_in, inner_out, *high):
        os.close(one)
    return child, to_child, from_child


class Browser:
    """A browser with one page; what it asks for, and what it complains of."""

    def __init__(self, folder):
        self.child, self.writes, self.reads = spawn(folder)
        self.number, self.rest, self.session = 0, b"", None
        self.requests = {}    # By the protocol's id: address and bytes that came.
        self.complaints = []  # Of the console, of the CSP, of scripts.
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        os.close(self.writes)  # It ends then.
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.reads)

    def call(self, method, **parameters):
        """What the browser answers; meanwhile events are taken."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60 * MORE * PATIENCE
        while time.monotonic() < end:
            answer = self.take(end - time.monotonic())
            if answer and answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"{method}: no answer")

    def take(self, seconds):
        """The next message, if one comes in time."""
        while b"\0" not in self.rest:
            if not select.select([self.reads], [], [], max(0, seconds))[0]:
                return None
            more = os.read(self.reads, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(line)
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, method, event):
        if method == "Network.requestWillBeSent":
            self.requests[event["requestId"]] = {"url": event["request"]["url"], "size": 0}
        elif method == "Network.loadingFinished" and event["requestId"] in self.requests:
            self.requests[event["requestId"]]["size"] = event["encodedDataLength"]
        elif method == "Log.entryAdded":
            self.complaints.append(event["entry"]["text"] + " " + event["entry"].get("url", ""))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(event["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{event['type']}")
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog: " + event["message"])

    def listen(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.take(end - time.monotonic())

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def go(self, url):
        self.call("Page.navigate", url=url)

    def back(self):
        """To the address before."""
        history = self.call("Page.getNavigationHistory")
        before = history["entries"][history["currentIndex"] - 1]
        self.call("Page.navigateToHistoryEntry", entryId=before["id"])

    def value(self, expression):
        """Of an expression of JavaScript; None while there is none."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    def until(self, expression, seconds=30):
        """Waits until the expression is true; whether it came to that."""
        end = time.monotonic() + seconds * MORE * PATIENCE
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            self.listen(0.05)
        return True

    def key(self, name):
        """One that is named, or a character."""
        about = {"key": name, "windowsVirtualKeyCode": KEYS.get(name, 0)}
        if name not in KEYS:
            about["text"] = name
        elif name == "Enter":
            about["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)

    def type(self, text):
        for one in text:
            self.key(one)

    def drag(self, start, end):
        """With the left button, from one point to another."""
        for kind, (x, y) in (("mouseMoved", start), ("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if (kind, x) == ("mouseMoved", start[0])
                      else "left", buttons=1 if kind != "mouseReleased" else 0, clickCount=1)
