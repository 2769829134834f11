# SPDX-License-Identifier: MIT
"""The counters the kernel keeps of a process (proc(5))."""
import glob
import re
import signal
import subprocess
import time


def text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class Process:
    def __init__(self, command, output):
        self.output = output
        with open(output, "w", encoding="utf-8") as file:
            self.popen = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        self.pid = self.popen.pid

    def tasks(self, name):
        return [text(path) for path in glob.glob(f"/proc/{self.pid}/task/*/{name}")]

    def cpu(self):
        """Seconds that the threads alive now have run; to the ns, unlike stat."""
        return sum(int(task.split()[0]) for task in self.tasks("schedstat") if task) / 1e9

    def switches(self):
        return sum(int(n) for task in self.tasks("status")
                   for n in re.findall(r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)", task, re.M))

    def threads(self):
        return len(glob.glob(f"/proc/{self.pid}/task/*"))

    def memory(self, what):
        """MiB of Rss or Private_Dirty."""
        kib = re.search(rf"^{what}:\s+(\d+) kB", text(f"/proc/{self.pid}/smaps_rollup"), re.M)
        return int(kib[1]) / 1024

    def written(self):
        """Bytes that it has caused to be written to disk."""
        return int(re.search(r"^write_bytes: (\d+)", text(f"/proc/{self.pid}/io"), re.M)[1])

    def system_calls(self, seconds):
        """Counts them for a while; returns calls per second."""
        log = self.output + ".strace"
        tracer = subprocess.Popen(["strace", "-f", "-c", "-o", log, "-p", str(self.pid)],
                                  stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        total = re.search(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+).*total$", text(log), re.M)
        return int(total[1]) / seconds

    def settle(self, limit=120):
        """Waits until it is idle."""
        end = time.monotonic() + limit
        last, idle = self.cpu(), 0
        while idle < 5 and time.monotonic() < end:
            time.sleep(0.1)
            used = self.cpu()
            idle = idle + 1 if used - last < 0.002 else 0
            last = used

    def stop(self, limit=120):
        if self.popen.poll() is None:
            self.popen.terminate()
        try:
            self.popen.wait(limit)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
