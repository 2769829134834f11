/* SPDX-License-Identifier: MIT */
/* Batches that nobody needs now, kept for reuse with their memory: few of them,
 * and not many bytes.  The store's lock guards them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mc_batch;
struct mc_ctx;

struct batch_pool {             /* All zero at first. */
	struct mc_batch *first; /* Linked by 'newer'. */
	unsigned len;
	size_t bytes; /* Of their arenas. */
};

/* The one that 'ctx' made last, which has the size that it needs; else the smallest.  NULL if the
 * pool is empty. */
struct mc_batch *batch_pool_take(struct batch_pool *, const struct mc_ctx *);

/* False if there are enough: it is the caller's to free. */
bool batch_pool_put(struct batch_pool *, struct mc_batch *);

void batch_pool_done(struct batch_pool *);
