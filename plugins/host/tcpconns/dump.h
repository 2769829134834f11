/* SPDX-License-Identifier: MIT */
/* dump: the TCP connections of this host, from the kernel by netlink (sock_diag(7)).
 *
 * /proc/net/tcp has the same, but the kernel makes a line of text of each connection, and has no
 * choice of states.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The kernel's numbers of the states (tcp_states.h) are below this. */
#define DUMP_STATES 12

struct dump_connection {
	uint8_t state;
	uint16_t local_port, remote_port;
};

/* Called for each connection, in no order. */
typedef void dump_visit(void *argument, const struct dump_connection *);

struct dump { /* All zero: not open. */
	void *buffer;
	int socket; /* Plus one, so that zero means none. */
	uint32_t sequence;
	const void *program; /* For the kernel, which connections to send; NULL: all. */
	size_t program_size;
};

/* Visits all connections, IPv4 and IPv6, whose state has its bit in 'states':
 * 1 << 10 is LISTEN.  The socket stays open between calls.  Returns 0 or a
 * negative errno, after which those visited are only some of them: -EBADMSG if
 * the kernel's answer cannot be understood. */
int dump_run(struct dump *, uint32_t states, dump_visit *, void *argument);

void dump_done(struct dump *);

/* Visits the connections in one datagram of the kernel's; messages with another
 * 'sequence' are passed over.  Returns 1 if it is the last one, 0 if more
 * follow, or a negative errno: the kernel's, or -EBADMSG.  Pure. */
int dump_parse(const void *bytes, size_t size, uint32_t sequence, dump_visit *, void *argument);
