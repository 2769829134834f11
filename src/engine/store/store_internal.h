/* SPDX-License-Identifier: MIT */
/* The inside of the store, for store.c, its series and batches, apply.c, their
 * values, sweep.c, their silence, and for slot.c, which clears slots. */
#pragma once

#include <collector/judge.h>
#include <collector/kit/lock.h>
#include <collector/writer.h>

#include <pthread.h>

#include "base/clock.h"
#include "engine/store/batch_pool.h"
#include "engine/store/metric.h"
#include "engine/store/notes.h"
#include "engine/store/quota/quota.h"
#include "engine/store/recent.h"
#include "engine/store/store.h"
#include "engine/store/table.h"

struct listing { /* Of all series: see listing.h. */
	struct mc_series **series;
	size_t len;

	/* The lock of the store guards these. */
	unsigned users;
	uint64_t changes; /* Of the table, when it was made. */
	mc_time used;
};

struct store {
	struct store_settings settings;
	_Atomic uint64_t states[MC_STATES]; /* Series in each; not unknown. */
	pthread_mutex_t lock;
	struct table table MC_GUARDED_BY(lock);
	uint64_t refused MC_GUARDED_BY(lock);
	mc_time slept MC_GUARDED_BY(lock);   /* Of store_slept(), in all. */
	uint64_t serial MC_GUARDED_BY(lock); /* Of the newest batch. */
	/* Living batches by serial. */
	struct mc_batch *oldest MC_GUARDED_BY(lock);
	struct mc_batch *newest MC_GUARDED_BY(lock);
	struct batch_pool batch_pool MC_GUARDED_BY(lock);
	struct recent *recent; /* The lock guards its target. */
	/* In order of retirement. */
	struct mc_series *retired MC_GUARDED_BY(lock);
	struct mc_series **retired_end MC_GUARDED_BY(lock);
	/* Threads that free what was forgotten. */
	unsigned freeing MC_GUARDED_BY(lock);
	pthread_cond_t freed; /* One of them has done so. */
	/* Threads that look for all series: meanwhile none is retired, and none
	 * that is retired is freed. */
	unsigned clearing MC_GUARDED_BY(lock);
	_Atomic uint32_t *retirements;   /* Of series by STORE_HOSTS; written with the lock. */
	struct metadata_table *metadata; /* Of some series. */
	struct metric_table *metrics;    /* The same. */
	struct quotas quotas MC_GUARDED_BY(lock);
	struct notes notes MC_GUARDED_BY(lock);
	struct notes metric_notes MC_GUARDED_BY(lock); /* NOTE_METRIC */
	struct listing *listing MC_GUARDED_BY(lock);   /* Kept; or NULL. */
	bool metrics_taken MC_GUARDED_BY(lock);        /* Those of notes, but not written yet. */
};

/* Hosts are counted by a hash: two of one count cost each other a look-up. */
#define STORE_HOSTS 65536

#define STORE_UNUSED (60 * MC_SECOND) /* Interval of a series without a sample. */

/* No batch that is begun from now on can find it. */
void store_list_retired(struct store *store, struct mc_series *) MC_REQUIRES(store->lock);

/* Takes a series out of the table, to be freed some day. */
void store_retire(struct store *store, struct mc_series *) MC_REQUIRES(store->lock);

/* A retired series got a sample after all.  Returns the series of that name
 * that is in the store from now on: itself, unless another was made since. */
struct mc_series *store_revive(struct store *store, struct mc_series *) MC_REQUIRES(store->lock);

/* Has the catalogue note that a series has a first value, or one again. */
void store_note_begun(struct store *store, struct mc_series *) MC_REQUIRES(store->lock);

/* The time during which clients could have come. */
static inline mc_time store_awake_now(const struct store *store) MC_REQUIRES(store->lock)
{
	return clock_now() - store->slept;
}
