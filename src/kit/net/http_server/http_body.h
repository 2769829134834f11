/* SPDX-License-Identifier: MIT */
/* The body of a request, in memory that its client and the server have limits for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/inflate.h>

#include "kit/net/http_server/peer/http_clients.h"

struct http_body { /* All zero: nothing has come. */
	enum mc_inflate_encoding encoding;
	unsigned char *bytes;
	size_t size, room;
	size_t lost; /* Bytes that were too many. */
	bool busy;   /* Too many for the client, at this time. */
	struct mc_inflated inflated;
};

struct http_body_limits {
	const struct http_clients *clients;
	struct http_client *client;
	const struct mc_inflate_limits *memory;
	size_t size_max; /* As it is sent. */
};

/* Counts a piece that has come, and keeps it if there is room.  False: there is no end of it. */
bool http_body_add(struct http_body *, const struct http_body_limits *, const void *bytes,
		   size_t size);

/* The same, but keeps nothing; 'kept' is whether it is within the limit. */
bool http_body_count(struct http_body *, size_t size_max, size_t size, bool *within);

void http_body_free(struct http_body *, const struct http_body_limits *);
