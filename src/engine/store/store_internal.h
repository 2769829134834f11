/* SPDX-License-Identifier: MIT */
/* The inside of the store, for store.c, and for slot.c, which clears slots. */
#ifndef COLLECTOR_ENGINE_STORE_STORE_INTERNAL_H
#define COLLECTOR_ENGINE_STORE_STORE_INTERNAL_H

#include <collector/writer.h>

#include <pthread.h>

#include "engine/store/batch_pool.h"
#include "engine/store/store.h"
#include "engine/store/table.h"

struct store {
	struct store_settings settings;
	pthread_mutex_t lock; /* Guards all below. */
	struct table table;
	uint64_t refused;
	mc_time slept;                    /* Of store_slept(), in all. */
	uint64_t serial;                  /* Of the newest batch. */
	struct mc_batch *oldest, *newest; /* Living batches by serial. */
	struct batch_pool batch_pool;
	struct mc_series *retired, **retired_end; /* In order of retirement. */
	unsigned freeing;     /* Threads that free what was forgotten. */
	pthread_cond_t freed; /* One of them has done so. */
};

/* Needs the lock.  As store_all(). */
size_t store_copy(struct store *, struct mc_series ***out);

#endif
