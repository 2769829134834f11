/* SPDX-License-Identifier: MIT */
/* kit/net/datagram_sockets.h - a server of datagrams, in libkit: sockets at all addresses of
 * names, and the thread that receives.
 *
 * Counts datagrams, and asks for kernel drops once a second: the reader of a plugin reports
 * them. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "kit/net/datagrams.h"
#include <collector/kit/loop.h>

#define MC_DATAGRAM_SOCKETS_MAX 64

struct mc_datagram_scoped {      /* A link-local address, "fe80::1%eth0". */
	const char *host, *port; /* NULL: the socket has another one. */
	unsigned index;          /* Of the interface that it is bound to; 0. */
	bool failing;            /* That it cannot be bound was logged. */
};

struct mc_datagram_socket {
	struct mc_loop_file file;
	struct mc_datagram_sockets *all;
	uint32_t drops; /* The kernel's count. */
	struct mc_datagram_scoped scoped;
};

struct mc_datagram_sockets { /* All zero: none. */
	struct mc_datagram_socket items[MC_DATAGRAM_SOCKETS_MAX];
	size_t len, scoped_len;
	struct mc_datagrams *room;
	_Atomic uint64_t packets, octets; /* That have come. */

	/* Of mc_datagram_sockets_run(). */
	const struct mc_datagram_calls *calls;
	struct mc_loop loop;
	struct mc_loop_timer look; /* At what the kernel has dropped, and at interfaces. */
};

/* Listens at each address of 'host'; of "::" also where IPv6 is not known. Asks for 'buffer' bytes
 * in the kernel for each.  Says where it listens, and where it cannot.  Returns 0 if there is one,
 * else what mc_fail() returned.  For start(); may be called again for other hosts.
 *
 * The interface of a link-local address, "fe80::1%eth0", need not be there yet, and may be made
 * anew: the socket follows it within a second.  'host' and 'port' must stay. */
int mc_datagram_sockets_open(struct mc_ctx *, struct mc_datagram_sockets *, const char *host,
			     const char *port, int buffer);
void mc_datagram_sockets_close(struct mc_datagram_sockets *);

struct mc_datagram_calls {
	void *argument;

	/* 'len' datagrams, of mc_datagrams_get(), that one system call has
	 * brought from the socket 'fd'. */
	void (*take)(void *argument, int fd, const struct mc_datagrams *, int len);
	void (*dropped)(void *argument, uint64_t number); /* By the kernel. */
};

/* Takes what comes until the instance must stop; sockets have turns.  Returns
 * 0, or what mc_fail() returned.  run(), or a thread that it waits for. */
int mc_datagram_sockets_run(struct mc_ctx *, struct mc_datagram_sockets *,
			    const struct mc_datagram_calls *);

/* Bytes that wait in the kernel.  Thread: any. */
uint64_t mc_datagram_sockets_waiting(const struct mc_datagram_sockets *);

/* The series if_octets and if_packets, what was received.  Thread: read()'s. */
void mc_datagram_sockets_report(const struct mc_datagram_sockets *, struct mc_batch *);
