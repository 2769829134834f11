/* SPDX-License-Identifier: MIT */
/* Hosts spread over several receivers: rendezvous hashing (Thaler and Ravishankar, 1998), so that
 * each sender finds the same receiver for a host, and one more or less moves no more hosts than it
 * must.  Pure functions.
 *
 * Hosts with the same first and second receiver are a shard and share requests.  When a receiver
 * is away, its shards go to all others alike. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SPREAD_TARGETS_MAX 16

struct spread {
	const char *const *urls;
	unsigned targets_len; /* At least 1; with 1 there is one shard. */
};

static inline unsigned spread_shards_len(const struct spread *spread)
{
	return spread->targets_len * spread->targets_len;
}

/* The shard of a host. */
unsigned spread_shard(const struct spread *, const char *host);

/* The receiver of a shard that is number 'attempt', from 0 on to targets_len - 1, to be tried. */
unsigned spread_target(const struct spread *, unsigned shard, unsigned attempt);
