#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""munin_nodes.py PORT NODES PLUGINS FIELDS [HANGS]: nodes of Munin at 127.78.0.1
and so on, whose values come five minutes after each other, however often they are
asked.  The first HANGS of them answer no config and no fetch."""
import asyncio
import sys
import time

PORT, NODES, PLUGINS, FIELDS = map(int, sys.argv[1:5])
HANGS = int(sys.argv[5]) if len(sys.argv) > 5 else 0
START = int(time.time()) // 300 * 300 - 30 * 86400
NAMES = [f"plugin{i}" for i in range(PLUGINS)]
CONFIG = "graph_title Some title\ngraph_vlabel bytes\ngraph_category system\n" + "".join(
    f"field{i}.label Field {i}\nfield{i}.type GAUGE\nfield{i}.draw LINE1\nfield{i}.min 0\n"
    f"field{i}.info What the field is about\n" for i in range(FIELDS)) + ".\n"


def fetched(turn):
    at = START + 300 * turn
    return "".join(f"field{i}.value {at}:{1000 * turn + i}.25\n" for i in range(FIELDS)) + ".\n"


def node(number):
    turns = dict.fromkeys(NAMES, 0)

    async def talk(reader, writer):
        writer.write(f"# munin node at n{number}.lab\n".encode())
        while line := await reader.readline():
            words = line.decode().split()
            if words[0] == "cap":
                writer.write(b"cap multigraph dirtyconfig\n")
            elif words[0] == "list":
                writer.write((" ".join(NAMES) + "\n").encode())
            elif words[0] == "quit":
                break
            elif number < HANGS:
                await asyncio.sleep(1e6)
            elif words[0] == "config":
                writer.write(CONFIG.encode())
            else:
                turns[words[1]] += 1
                writer.write(fetched(turns[words[1]]).encode())
        writer.close()
    return talk


async def main():
    for number in range(NODES):
        await asyncio.start_server(node(number), f"127.78.0.{number + 1}", PORT)
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
