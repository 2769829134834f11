/* SPDX-License-Identifier: MIT */
/* Which of several daemons has a file: consistent hashing.  Each daemon has many points on a ring,
 * a file belongs to the next point after its own; so a daemon that is added takes an even part
 * from each of the others, and nothing else moves.  It depends on the daemons' addresses as
 * written, not on their order.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHARD_POINTS = 160 }; /* Of each daemon. */

struct shard_point {
	uint64_t place;
	unsigned daemon;
};

struct shard {
	struct shard_point *points;
	size_t points_len;
};

void shard_init(struct shard *, const char *const *addresses, size_t len);
void shard_done(struct shard *);

/* The index of the address that has the file. */
unsigned shard_of(const struct shard *, const char *name);
