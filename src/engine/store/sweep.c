/* SPDX-License-Identifier: MIT */
/* Series that have fallen silent, or have values again. */
#include "engine/store/store.h"

#include <assert.h>
#include <stddef.h>

#include "engine/store/store_internal.h"

/* Series found at a time: the lock is not held for longer. */
#define SWEEP 256

#define PREFETCH 16 /* Places of the table, some of them free: about the latency of memory. */

struct found {
	struct mc_series *series;
	mc_time silent;             /* 0: it is back. */
	bool reported;              /* It was missing before. */
	bool stays;                 /* It is not silent any more. */
	struct metric_kept *metric; /* That it ends with, until a note has it. */
};

static bool is_silent(const struct store *store, const struct mc_series *series, mc_time now)
{
	if (series->presence == SERIES_MISSING && series->holds > 0)
		return false;
	return now - series->seen > store->settings.timeout * series->interval;
}

/* Series lie anywhere in memory, so the time goes into waiting for them. */
static void prefetch(const struct store *store, size_t left) MC_REQUIRES(store->lock)
{
	const struct mc_series *s =
		left > PREFETCH ? table_at(&store->table, left - 1 - PREFETCH) : NULL;

	if (s == NULL)
		return;
	__builtin_prefetch(&s->interval, 1);
	__builtin_prefetch((const char *)s + offsetof(struct mc_series, seen) + 32, 1);
}

/* From the end of the table, because what is removed has others move down. */
static size_t find_some(struct store *store, size_t *left, struct found found[SWEEP])
	MC_REQUIRES(store->lock)
{
	size_t len = 0, seen = 0;
	mc_time now = store_awake_now(store);

	for (; *left > 0 && seen < 16 * SWEEP && len < SWEEP; seen++) {
		struct mc_series *s;

		prefetch(store, *left);
		s = table_at(&store->table, --*left);
		if (s == NULL)
			continue;
		if (s->seen > now)
			s->seen = now; /* The sleep was known later. */
		if (is_silent(store, s, now))
			found[len++] = (struct found){ .series = s,
						       .silent = now - s->seen,
						       .reported = s->presence != SERIES_PRESENT };
		else if (s->presence == SERIES_BACK)
			found[len++] = (struct found){ .series = s };
	}
	return len;
}

/* Ends one, or has it back. */
static void change(struct store *store, struct found *found) MC_REQUIRES(store->lock)
{
	struct mc_series *s = found->series;

	if (found->silent == 0) {
		s->presence = SERIES_PRESENT;
		return;
	}
	if (!found->reported && notes_add(&store->notes, s, NOTE_ENDED, found->metric))
		found->metric = NULL;
	if (s->holds == 0 && store->clearing == 0)
		store_retire(store, s);
	else
		s->presence = SERIES_MISSING;
}

/* It may have a value since it was found: then it stays. */
static void change_all(struct store *store, struct found *found, size_t len)
	MC_REQUIRES(store->lock)
{
	mc_time now = store_awake_now(store);

	for (size_t i = 0; i < len; i++) {
		found[i].stays = found[i].silent > 0 && !is_silent(store, found[i].series, now);
		if (!found[i].stays)
			change(store, &found[i]);
	}
}

/* Metrics have a lock of their own, so they are taken between finding and ending. */
static size_t sweep_some(struct store *store, size_t *left, struct found found[SWEEP])
	MC_EXCLUDES(store->lock)
{
	size_t len;

	pthread_mutex_lock(&store->lock);
	len = find_some(store, left, found);
	pthread_mutex_unlock(&store->lock);
	for (size_t i = 0; i < len; i++)
		if (found[i].silent > 0 && !found[i].reported)
			found[i].metric = metric_hold(found[i].series);
	pthread_mutex_lock(&store->lock);
	change_all(store, found, len);
	pthread_mutex_unlock(&store->lock);
	for (size_t i = 0; i < len; i++)
		metric_let_go(found[i].metric);
	return len;
}

void store_sweep(struct store *store, struct mc_batch *batch,
		 void (*show)(void *argument, struct mc_series *, mc_time silent), void *argument)
{
	struct found some[SWEEP];
	size_t left = table_size(&store->table);

	assert(batch != NULL);
	pthread_mutex_lock(&store->lock);
	recent_sweep(store->recent, clock_now());
	quota_sweep(&store->quotas);
	pthread_mutex_unlock(&store->lock);
	while (left > 0) {
		size_t len = sweep_some(store, &left, some);

		for (size_t i = 0; i < len; i++)
			if (!some[i].reported && !some[i].stays)
				show(argument, some[i].series, some[i].silent);
	}
}
