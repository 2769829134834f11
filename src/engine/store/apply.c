/* SPDX-License-Identifier: MIT */
/* Applies a batch to its series: their last values, and its rates. */
#include "engine/store/store.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <collector/serve.h>

#include "engine/store/store_internal.h"
#include "model/rate.h"

#define PREFETCH 8 /* Samples: about the latency of memory. */

__attribute__((always_inline)) static inline void apply_values(struct mc_series *series,
							       struct mc_sample *sample)
{
	const struct mc_type *type = series->type;
	union mc_value *rates = sample->values + sample->values_len;
	union mc_value *last_rates = series_rates(series);
	double seconds = (sample->time - series->time) * 1e-9;
	bool first = series->time == 0;

	for (unsigned i = 0; i < sample->values_len; i++) {
		union mc_value value = sample->values[i];

		rates[i].gauge =
			first ? rate_first(&type->sources[i], value, sample->interval * 1e-9)
			      : rate_between(&type->sources[i], series->values[i], value, seconds);
		series->values[i] = value;
		last_rates[i] = rates[i];
	}
}

/* Work on a sample that few series need. */
static void apply_rare(struct store *store, struct mc_series *series,
		       const struct mc_sample *sample) MC_REQUIRES(store->lock)
{
	if (series->fresh) {
		series->fresh = false;
		series->first = sample->time;
		store_note_begun(store, series);
	}
	if (series->presence == SERIES_MISSING) {
		series->presence = SERIES_BACK;
		store_note_begun(store, series);
	}
	if (series->remembered)
		recent_add(store->recent, series, sample);
}

/* Why a sample is not taken; NULL: it repeats the last one, which is stored. */
static const char *fault(const struct mc_series *series, const struct mc_sample *sample)
{
	if (sample->values_len != series->type->sources_len)
		return "has not the data sources of its type";
	if (sample->time > series->time)
		return "is more than a day ahead";
	if (sample->time < series->time)
		return "is older than the last";
	if (memcmp(sample->values, series->values, sample->values_len * sizeof(*sample->values)) !=
	    0)
		return "has the time of the last and another value";
	return NULL;
}

static void reject(struct mc_batch *batch, const struct mc_series *series, struct mc_sample *sample)
{
	sample->flags |= SAMPLE_REFUSED;
	batch_reject(batch, series, fault(series, sample));
}

/* Whether judges take it as it is, and all writers get it. */
static inline bool is_plain(const struct mc_series *series, uint16_t plain)
{
	return atomic_load_explicit(&series->decision, memory_order_relaxed) == plain;
}

/* The same for all samples of a batch: two fields of a series that are next to each other, so that
 * they are written, and kept meanwhile, as one. */
struct arrival {
	mc_time seen;
	const char *maker;
};
_Static_assert(offsetof(struct mc_series, maker) ==
		       offsetof(struct mc_series, seen) + offsetof(struct arrival, maker),
	       "of struct arrival");

static inline void set_arrival(struct mc_series *series, const struct arrival *arrival)
{
	memcpy((char *)series + offsetof(struct mc_series, seen), arrival, sizeof(*arrival));
}

/* From sample 's' on; with 'judged', up to the first that is not plain, which it returns, or NULL.
 * As 'judged' is a constant there are two loops, and the one without judges has nothing of them. */
__attribute__((always_inline)) static inline struct mc_sample *apply(struct store *store,
								     struct mc_batch *batch,
								     struct mc_sample *s,
								     bool judged, uint16_t plain)
{
	mc_time latest = batch->time + MC_AHEAD_MAX;
	struct arrival arrival = { .maker = batch->ctx->name };
	struct mc_sample *ahead = s;

	for (unsigned i = 0; i < PREFETCH && ahead != NULL; i++)
		ahead = ahead->next;
	pthread_mutex_lock(&store->lock);
	arrival.seen = store_awake_now(store);
	for (; s != NULL; s = s->next) {
		struct mc_series *series = s->series;

		if (judged && !is_plain(series, plain))
			break;
		if (ahead != NULL) {
			__builtin_prefetch(ahead->series, 1);
			__builtin_prefetch((char *)ahead->series + 64, 1);
			ahead = ahead->next;
		}
		if (series->retired != 0)
			s->series = series = store_revive(store, series);
		if (s->time <= series->time || s->time > latest ||
		    s->values_len != series->type->sources_len) {
			reject(batch, series, s);
			continue;
		}
		apply_values(series, s);
		series->time = s->time;
		series->interval = s->interval;
		set_arrival(series, &arrival);
		if (series->presence != SERIES_PRESENT || series->fresh || series->remembered)
			apply_rare(store, series, s);
	}
	pthread_mutex_unlock(&store->lock);
	return s;
}

void store_apply_after(struct store *store, struct mc_batch *batch, struct mc_sample *before)
{
	apply(store, batch, before != NULL ? before->next : batch->first, false, 0);
}

void store_apply(struct store *store, struct mc_batch *batch)
{
	store_apply_after(store, batch, NULL);
}

/* Not inlined, as its loop needs every register. */
__attribute__((noinline)) static struct mc_sample *apply_plain(struct store *store,
							       struct mc_batch *batch,
							       uint16_t plain)
{
	return apply(store, batch, batch->first, true, plain);
}

bool store_apply_plain(struct store *store, struct mc_batch *batch, uint32_t plain,
		       struct mc_sample **before)
{
	struct mc_sample *rest = batch->first;

	if (plain <= UINT16_MAX)
		rest = apply_plain(store, batch, (uint16_t)plain);
	if (rest == NULL)
		return true;
	*before = NULL;
	for (struct mc_sample *s = batch->first; s != rest; s = s->next)
		*before = s;
	return false;
}
