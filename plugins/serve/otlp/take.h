/* SPDX-License-Identifier: MIT */
/* A request that has come whole: what it says is taken, once. */
#ifndef OTLP_TAKE_H
#define OTLP_TAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <collector/otlp.h>

#include "inflate.h"
#include "peer.h"
#include "server.h"

struct take {
	bool logs; /* Of log records, not of metrics. */
	enum inflate_form form;
	const unsigned char *body;
	size_t size;
	const char *stream, *numbers, *gap; /* Headers of our own, or NULL. */
	const struct peer *peer;
	char sender[PEER_NAME_SIZE];
};

/* Returns the status of HTTP to answer with; of others than 200 'why' is set.
 * Any thread. */
unsigned take_request(struct server *, const struct take *,
		      struct mc_otlp_result *);

#endif
