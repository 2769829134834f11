/* SPDX-License-Identifier: MIT */
/* Series that have fallen silent, or have values again. */
#include "engine/store/store.h"

#include <assert.h>

#include "engine/store/store_internal.h"

/* Series found at a time: the lock is not held for longer. */
#define SWEEP 256

struct found {
	struct mc_series *series;
	mc_time silent; /* 0: it is back. */
	bool reported;  /* It was missing before. */
};

static bool is_silent(const struct store *store, const struct mc_series *series, mc_time now)
{
	if (series->presence == SERIES_MISSING && series->holds > 0)
		return false;
	return now - series->seen > store->settings.timeout * series->interval;
}

/* From the end of the table, because what is removed has others move down. */
static size_t sweep_some(struct store *store, size_t *left, struct found found[SWEEP])
	MC_REQUIRES(store->lock)
{
	size_t len = 0, seen = 0;
	mc_time now = store_awake_now(store);

	for (; *left > 0 && seen < 16 * SWEEP && len < SWEEP; seen++) {
		struct mc_series *s = table_at(&store->table, --*left);

		if (s == NULL)
			continue;
		if (s->seen > now)
			s->seen = now; /* The sleep was known later. */
		if (is_silent(store, s, now))
			found[len++] =
				(struct found){ s, now - s->seen, s->presence != SERIES_PRESENT };
		else if (s->presence == SERIES_BACK)
			found[len++] = (struct found){ .series = s };
	}
	for (size_t i = 0; i < len; i++) {
		struct mc_series *s = found[i].series;

		if (found[i].silent > 0 && !found[i].reported)
			notes_add(&store->notes, s, true);
		if (found[i].silent > 0 && s->holds == 0 && store->clearing == 0)
			store_retire(store, s);
		else
			s->presence = found[i].silent > 0 ? SERIES_MISSING : SERIES_PRESENT;
	}
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
		size_t len;

		pthread_mutex_lock(&store->lock);
		len = sweep_some(store, &left, some);
		pthread_mutex_unlock(&store->lock);
		for (size_t i = 0; i < len; i++)
			if (!some[i].reported)
				show(argument, some[i].series, some[i].silent);
	}
}
