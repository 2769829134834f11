/* SPDX-License-Identifier: MIT */
/* The line protocol by UDP: times are in nanoseconds. */
#pragma once

#include <collector/quota.h>

#include "kit/net/datagram_sockets.h"

#include "points.h"

struct datagrams_options { /* A block UDP. */
	const char *host, *port;
};

struct datagrams { /* All zero: none. */
	struct mc_ctx *ctx;
	struct points *points;
	struct mc_quota *quota; /* Of all senders. */
	struct mc_datagram_sockets sockets;
	_Atomic uint64_t dropped, cut;
};

/* Takes what comes until the instance must stop; by a thread of its own. */
void datagrams_run(struct datagrams *);

void datagrams_done(struct datagrams *);
