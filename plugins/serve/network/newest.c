/* SPDX-License-Identifier: MIT */
/* A table of fixed size without locks, as every sample that is signed is noted in it.  Two threads
 * that note two new series of one hash at the same moment may leave one slot with the time of the
 * other: these are times of the same moment, so that does no harm.
 *
 * The hash has a secret seed: names are made by others, which could make theirs take the slots of
 * another sender's. */
#include "newest.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>

void newest_start(struct newest *newest)
{
	*newest = (struct newest){ 0 };
	/* It does not fail for so few bytes, once the system has started. */
	if (getrandom(&newest->seed, sizeof(newest->seed), 0) < 0)
		newest->seed = (uintptr_t)newest;
	newest->slots = mc_alloc_array(NEWEST_LEN, sizeof(*newest->slots));
}

void newest_stop(struct newest *newest)
{
	free(newest->slots);
	newest->slots = NULL;
}

uint64_t newest_series(const struct newest *newest, const char *name, size_t size)
{
	uint64_t hash = XXH3_64bits_withSeed(name, size, newest->seed);

	return hash != 0 ? hash : 1;
}

static struct newest_slot *row_of(const struct newest *newest, uint64_t series)
{
	return &newest->slots[series % (NEWEST_LEN / NEWEST_WAYS) * NEWEST_WAYS];
}

static uint64_t series_at(const struct newest_slot *slot)
{
	return atomic_load_explicit(&slot->series, memory_order_acquire);
}

static mc_time time_at(const struct newest_slot *slot)
{
	return atomic_load_explicit(&slot->time, memory_order_relaxed);
}

static void make_newer(struct newest_slot *slot, mc_time time)
{
	mc_time newest = time_at(slot);

	while (time > newest &&
	       !atomic_compare_exchange_weak_explicit(&slot->time, &newest, time,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

void newest_note(struct newest *newest, uint64_t series, mc_time time)
{
	struct newest_slot *row = row_of(newest, series), *oldest = row;

	for (unsigned i = 0; i < NEWEST_WAYS; i++) {
		if (series_at(&row[i]) == series) {
			make_newer(&row[i], time);
			return;
		}
		if (time_at(&row[i]) < time_at(oldest))
			oldest = &row[i];
	}
	atomic_store_explicit(&oldest->time, time, memory_order_relaxed);
	atomic_store_explicit(&oldest->series, series, memory_order_release);
}

bool newest_has(const struct newest *newest, uint64_t series, mc_time time)
{
	const struct newest_slot *row = row_of(newest, series);

	for (unsigned i = 0; i < NEWEST_WAYS; i++)
		if (series_at(&row[i]) == series)
			return time <= time_at(&row[i]);
	return false;
}
