/* SPDX-License-Identifier: MIT */
/* Series by what their requests have in common: the receivers of their host (spread.h), and its
 * tenant.  Also which series were refused.  Both are in the slot of a series.  The writer's
 * thread. */
#pragma once

#include <stdbool.h>

#include <collector/kit/map.h>
#include <collector/writer.h>

#include "spread.h"

struct shard {
	struct mc_map_node node; /* By place and tenant. */
	struct shard *next;      /* In the batch. */
	uint64_t batch;          /* The last one that has some of it. */
	size_t hosts_len;
	unsigned place;     /* For spread_target(). */
	const char *tenant; /* ""; in the key. */
	char key[];
};

struct shards { /* All zero, and then shards_init(). */
	struct mc_ctx *ctx;
	const struct spread *spread;
	bool by_tenant, done;
	struct mc_map hosts, shards;
	uint64_t batch;
	size_t suspects_len; /* Series that were refused. */
};

/* 'spread' must outlive them. */
void shards_init(struct shards *, struct mc_ctx *, const struct spread *spread, bool by_tenant);

/* For stop(): the rest goes with the last slot that is forgotten. */
void shards_done(struct shards *);

/* Whether there may be several. */
static inline bool shards_are_several(const struct shards *shards)
{
	return shards->by_tenant || shards->spread->targets_len > 1;
}

/* The shards of a batch, the first in its order; NULL: it is empty.  A host stays in its shard
 * until the next batch. */
struct shard *shards_begin(struct shards *, const struct mc_batch *);

struct shard *shards_of(struct shards *, const struct mc_series *);

/* Whether a sample of the series was refused, and none was taken since. */
bool shards_is_suspect(const struct shards *, const struct mc_series *);
void shards_suspect(struct shards *, const struct mc_series *, bool refused);

/* For forget(). */
void shards_forget(struct shards *, void *slot);
