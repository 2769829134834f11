/* SPDX-License-Identifier: MIT */
#include "engine/change/late.h"

#include <collector/serve.h>

#include "base/alloc.h"
#include "engine/change/engine_internal.h"
#include "engine/judge/copies.h"
#include "engine/write/route.h"
#include "model/rate.h"
#include "model/series.h"

/* Names of the writers that take it. */
static unsigned find_writers(const struct instance_set *set, const struct mc_sample *sample,
			     mc_time by, const char *names[JUDGE_ROUTES_MAX])
{
	unsigned len = 0;

	for (unsigned i = 0; i < set->writers_len && len < JUDGE_ROUTES_MAX; i++) {
		const char *name = route_accepts_late(set->writers[i], by);

		if (name != NULL && (sample->flags & route_of(set->writers[i])) == 0)
			names[len++] = name;
	}
	return len;
}

/* The value before it is not known, so no counter has a rate. */
static void set_rates(struct mc_sample *sample)
{
	const struct mc_type *type = mc_type(sample->series);
	union mc_value *rates = sample->values + sample->values_len;

	for (unsigned i = 0; i < sample->values_len; i++)
		rates[i].gauge =
			rate_first(&type->sources[i], sample->values[i], sample->interval * 1e-9);
}

/* False if no writer takes it. */
static bool copy(struct engine *engine, const struct instance_set *set, struct mc_batch *batch,
		 struct mc_sample *sample, struct copies *copies)
{
	const char *names[JUDGE_ROUTES_MAX];
	struct mc_copy made = { .series = sample->series, .writers = names };
	mc_time by = batch->time - sample->time;

	if (sample->values_len != mc_type(sample->series)->sources_len || by < -MC_AHEAD_MAX)
		return false;
	made.writers_len = find_writers(set, sample, by, names);
	if (made.writers_len == 0)
		return false;
	set_rates(sample);
	copies_add(&engine->judges, copies, batch, sample, &made);
	return true;
}

void late_take(struct engine *engine, const struct instance_set *set, struct mc_batch *batch,
	       struct copies *copies)
{
	for (struct mc_sample *at = batch->late, *next; at != NULL; at = next) {
		next = at->next;
		if (!copy(engine, set, batch, at, copies)) {
			batch_reject(batch, at->series, batch->late_why);
			continue;
		}
		batch->accepted--;
		engine->late++;
	}
	batch->late = batch->late_last = NULL;
}
