# SPDX-License-Identifier: MIT
"""A node of Munin with graphs of all kinds, for those that show them."""
import socketserver
import threading

GRAPHS = {
    "cpu": ("""graph_title CPU usage
graph_order system user idle
graph_args --base 1000 -r --lower-limit 0 --upper-limit 200
graph_vlabel %
graph_category system
graph_info What the CPU does.
system.label system
system.draw AREA
system.info Time in the kernel
system.warning 60
system.critical 100
user.label user
user.draw STACK
idle.label idle
idle.draw STACK
idle.colour 00ff00
""", "user.value 30\nidle.value 160\nsystem.value 10\n"),
    "if_eth0": ("""graph_title eth0 traffic
graph_order down up
graph_args --base 1000
graph_vlabel bits in (-) / out (+) per ${graph_period}
graph_category network
down.label received
down.graph no
down.cdef down,8,*
up.label bps
up.negative down
up.cdef up,8,*
""", "down.value 1000\nup.value 2000\n"),
    "odd": ("""graph_title <b>odd</b>
a.label a
a.cdef a,UN,0,a,IF
b.label b
b.cdef a,b,+,2,/
""", "a.value 4\nb.value 8\n"),
}


class Handler(socketserver.StreamRequestHandler):
    """One client."""

    def answer(self, words):
        if words[0] == "cap":
            return "cap multigraph\n"
        if words[0] in ("nodes", "list"):
            return "node\n.\n" if words[0] == "nodes" else " ".join(GRAPHS) + "\n"
        if words[0] in ("config", "fetch") and len(words) > 1 and words[1] in GRAPHS:
            return GRAPHS[words[1]][words[0] == "fetch"] + ".\n"
        return "# Unknown\n"

    def handle(self):
        self.wfile.write(b"# munin node at node\n")
        for line in self.rfile:
            words = line.decode().split()
            if not words or words[0] == "quit":
                return
            self.wfile.write(self.answer(words).encode())


class Node(socketserver.ThreadingTCPServer):
    """Answers until the process ends; 'conf' has the collector ask it."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.conf = f"""
LoadPlugin munin
<Plugin munin>
	<Node "node">
		Address "127.0.0.1"
		Port "{self.server_address[1]}"
		Interval 1
	</Node>
</Plugin>
"""
