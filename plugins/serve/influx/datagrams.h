/* SPDX-License-Identifier: MIT */
/* The line protocol by UDP: times are in nanoseconds. */
#ifndef INFLUX_DATAGRAMS_H
#define INFLUX_DATAGRAMS_H

#include <poll.h>

#include <collector/kit/address.h>
#include <collector/kit/datagrams.h>
#include <collector/kit/sender_limit.h>

#include "points.h"

struct datagrams_options { /* A block UDP. */
	const char *host, *port;
};

enum { DATAGRAMS_SOCKETS_MAX = 64 };

struct datagrams { /* All zero: none. */
	struct mc_ctx *ctx;
	struct points *points;
	struct mc_quota *quota; /* Of all senders; NULL: none. */
	struct pollfd sockets[DATAGRAMS_SOCKETS_MAX];
	uint32_t drops[DATAGRAMS_SOCKETS_MAX]; /* The kernel's, of before. */
	size_t sockets_len;
	struct mc_datagrams *room;
	_Atomic uint64_t packets, dropped, cut;
};

/* Listens there.  0, or what mc_fail() returned. */
int datagrams_listen(struct datagrams *, const struct datagrams_options *,
		     int buffer_size);

/* Takes what comes until the instance must stop; by a thread of its own. */
void datagrams_run(struct datagrams *);

void datagrams_done(struct datagrams *);

#endif
