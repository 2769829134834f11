/* SPDX-License-Identifier: MIT */
/* Batches that nobody needs now. */
#include "engine/store/batch_pool.h"

#include <stdlib.h>

#include "model/batch.h"

#define BATCHES_MAX 16 /* More are freed. */
#define BYTES_MAX ((size_t)1 << 20)

struct mc_batch *batch_pool_take(struct batch_pool *pool, const struct mc_ctx *ctx)
{
	struct mc_batch **best = &pool->first, **at = best, *batch;

	if (*best == NULL)
		return NULL;
	for (; *at != NULL && (*at)->ctx != ctx; at = &(*at)->newer)
		if ((*at)->arena.size < (*best)->arena.size)
			best = at;
	if (*at != NULL)
		best = at;
	batch = *best;
	*best = batch->newer;
	pool->len--;
	pool->bytes -= batch->arena.size;
	return batch;
}

bool batch_pool_put(struct batch_pool *pool, struct mc_batch *batch)
{
	if (pool->len >= BATCHES_MAX)
		return false;
	arena_reset(&batch->arena, pool->bytes < BYTES_MAX ? BYTES_MAX - pool->bytes : 0);
	batch->newer = pool->first;
	pool->first = batch;
	pool->len++;
	pool->bytes += batch->arena.size;
	return true;
}

void batch_pool_done(struct batch_pool *pool)
{
	struct mc_batch *newer;

	for (struct mc_batch *batch = pool->first; batch != NULL; batch = newer) {
		newer = batch->newer;
		batch_done(batch);
		free(batch);
	}
	*pool = (struct batch_pool){ 0 };
}
