# SPDX-License-Identifier: MIT
"""Values to topics of Kafka, and from there."""
import os
import resource
import shutil
import subprocess
import time

from collectors import COLLECTD_PLUGINS, Ours, Peer
from tools import Skip, need
from udp import Feed, timed

TOPIC = "bench:8"     # Partitions: the mock cluster keeps 5 MiB of each.
TURNS, ROUNDS = 15, 5  # The rounds of a turn share a message: 100 values of a host.
ALONE = 200_000       # Messages of 2,000 bytes.
WRITER = '''
LoadPlugin write_kafka
<Plugin write_kafka>
  Property "metadata.broker.list" "{brokers}"
  <Topic "bench">
    Format {format}
  </Topic>
</Plugin>
'''
READER = '''
Journal on
LoadPlugin kafka
<Plugin kafka>
  Property "metadata.broker.list" "{brokers}"
  Assign fixed
  <Topic "bench">
    Partitions 0 1 2 3 4 5 6 7
  </Topic>
</Plugin>
'''


class Mock:
    """librdkafka's mock cluster."""

    def __init__(self, tools):
        self.process = subprocess.Popen([tools.program("tests/scenario/kafka_mock"), TOPIC], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.brokers = self.process.stdout.readline().strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def measure(feed, *readers):
    """Seconds of CPU for a value: of the daemon that is fed, and of readers."""
    processes = [feed.daemon.process, *(one.process for one in readers)]
    begin, values = int(time.time()), 0

    def turn(number):
        sent = feed.send(ROUNDS, begin + 10 * ROUNDS * number)
        time.sleep(1.2)  # BatchFlushTimeout.
        for process in processes:
            process.settle()
        return sent

    for number in range(3):  # Series and templates are made.
        turn(number)
    before = [process.cpu() for process in processes]
    for number in range(3, 3 + TURNS):
        values += turn(number)
    return [(process.cpu() - first) / values for process, first in zip(processes, before)]


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def alone(mock, path, *words):
    """Messages a second of one core's time, by kcat."""
    before = children()
    subprocess.run(["kcat", "-q", "-b", mock.brokers, "-t", "alone", *words, path], check=True,
                   stdout=subprocess.DEVNULL)
    return ALONE / (children() - before)


def librdkafka(tools, report, mock):
    """A hundred values of a host are about 2,000 bytes, before compression."""
    path = os.path.join(tools.folder, "messages")
    with open(path, "w", encoding="ascii") as file:
        for i in range(ALONE):
            file.write((f"{i:08d} " * 222)[:1999] + "\n")
    try:
        rate = alone(mock, path, "-P", "-z", "zstd", "-X", "enable.idempotence=true", "-l")
    except subprocess.CalledProcessError as why:
        raise Skip(f"kcat: {why}") from why
    report.line("kafka-out-alone", rate * 100 / 1e6, "M values/s/core")


def kafka(tools, report, say):
    need("kcat")
    if not os.path.exists(os.path.join(tools.build, ".libs", "kafka.so")):
        raise Skip("the plugin kafka is not built")
    mock = Mock(tools)
    try:
        say("kafka: out and in")
        receipt = 1 / (timed(tools, Ours, False) * 1e6)
        reader = Ours(tools, "kafka-in", READER.format(brokers=mock.brokers))
        feed = Feed(tools, Ours, False, more=WRITER.format(brokers=mock.brokers, format="OTLP"))
        out, back = measure(feed, reader)
        feed.stop()
        reader.stop()
        theirs = None
        if os.path.exists(os.path.join(COLLECTD_PLUGINS, "write_kafka.so")) and shutil.which("collectd"):
            feed = Feed(tools, Peer, False, more=WRITER.format(brokers=mock.brokers, format="JSON"))
            theirs = 1 / measure(feed)[0] / 1e6
            feed.stop()
        report.line("kafka-out", 1 / (out - receipt) / 1e6, "M values/s/core", least=2)
        report.line("kafka-out-with-receipt", 1 / out / 1e6, "M values/s/core", theirs)
        report.line("kafka-in", 1 / back / 1e6, "M values/s/core", least=2)
        say("kafka: librdkafka alone")
        librdkafka(tools, report, mock)
    finally:
        mock.stop()
