/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <math.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

struct watch *watch_new(const struct rules *rules, const struct mc_type *type)
{
	struct watch *watch = mc_alloc_zero(sizeof(*watch));

	watch->rules = rules;
	if (rules->needs_times)
		watch->times = mc_alloc_zero(sizeof(*watch->times));
	if (rules->has_trends)
		watch->trends = mc_alloc_array(verdict_trends(rules, type), sizeof(*watch->trends));
	watch->siblings = siblings_new(rules);
	return watch;
}

void watch_free(struct watch *watch)
{
	free(watch->own);
	free(watch->times);
	free(watch->trends);
	siblings_free(watch->siblings);
	free(watch);
}

bool watch_is_quiet(const struct watch *watch)
{
	return watch->state == MC_STATE_OKAY && watch->hits == 0 && watch->unknowns == 0 &&
	       watch->rules->len == 1 && watch->rules->items[0]->is_plain;
}

static bool has_gauge(const struct mc_type *type)
{
	for (unsigned i = 0; i < type->sources_len; i++)
		if (type->sources[i].kind == MC_GAUGE)
			return true;
	return false;
}

/* The first value of a counter has no rate yet, which changes nothing.  A bad state stays. */
void watch_count_unknown(struct watch *watch, struct verdict *verdict, const struct mc_type *type)
{
	bool counts = watch->began || has_gauge(type);

	watch->began = true;
	if (verdict->state != MC_STATE_UNKNOWN) {
		watch->unknowns = 0;
		return;
	}
	watch->unknowns += counts && watch->unknowns < UINT32_MAX;
	if (watch->state == MC_STATE_FAILURE)
		return;
	for (size_t i = 0; i < watch->rules->len; i++) {
		const struct rule *rule = watch->rules->items[i];

		if (rule->unknown_after == 0 || watch->unknowns < (uint64_t)rule->unknown_after)
			continue;
		*verdict = (struct verdict){ .state = MC_STATE_WARNING,
					     .rule = rule,
					     .value = NAN,
					     .unknowns = watch->unknowns };
		return;
	}
}

/* Whether enough values have come.  A value in order begins the count anew, unless PersistOK; bad
 * ones of any state count, and reported ones, too: as in collectd, which only counts two more. */
static bool has_hits(struct watch *watch, const struct rule *rule, enum mc_state state)
{
	if (rule->hits == 0)
		return true;
	if ((state == MC_STATE_OKAY && !rule->persist_okay) || ++watch->hits >= rule->hits) {
		watch->hits = 0;
		return true;
	}
	return false;
}

/* Whether it has been bad, or in order, for long enough. */
static bool has_lasted(struct times *times, const struct rule *rule, bool good, mc_time now)
{
	mc_time *since = good ? &times->good_since : &times->bad_since;

	*(good ? &times->bad_since : &times->good_since) = 0;
	if (*since == 0 || *since > now)
		*since = now;
	return now - *since >= (good ? rule->clear_after : rule->hold);
}

/* Changes of the state leak away as the window goes by. */
static enum watch_action count_change(struct times *times, const struct rule *rule, mc_time now)
{
	bool was = times->flapping;

	if (times->changed != 0 && now > times->changed)
		times->changes -= (double)(now - times->changed) / (double)rule->flap_window *
				  (double)rule->flap;
	if (times->changes < 0)
		times->changes = 0;
	times->changes += 1;
	times->changed = now;
	if (!was && times->changes <= (double)rule->flap)
		return WATCH_CHANGES;
	times->flapping = true;
	return was ? WATCH_SILENTLY : WATCH_FLAPS;
}

static enum watch_action change(struct watch *watch, const struct rule *rule, enum mc_state state,
				mc_time now)
{
	if (watch->state == MC_STATE_UNKNOWN && watch->alert == NULL && state == MC_STATE_OKAY)
		return WATCH_SILENTLY;
	if (rule->flap == 0 || watch->times == NULL)
		return WATCH_CHANGES;
	return count_change(watch->times, rule, now);
}

/* The state is the one of before. */
static enum watch_action stay(struct watch *watch, const struct rule *rule, enum mc_state state,
			      mc_time now)
{
	struct times *times = watch->times;
	const struct alert *alert = watch->alert;

	if (times != NULL && times->flapping) {
		if (now - times->changed < rule->flap_window)
			return WATCH_NOTHING;
		times->flapping = false;
		times->changes = 0;
		return WATCH_REPEATS;
	}
	if (state == MC_STATE_OKAY ? rule->persist_okay : rule->persist)
		return WATCH_REPEATS;
	if (alert != NULL && rule->remind_after > 0 && now - alert->reported >= rule->remind_after)
		return WATCH_REPEATS;
	return WATCH_NOTHING;
}

/* Whose For, ClearFor and Flap count: a recovery is one from its rule. */
static const struct rule *owner_of(const struct watch *watch, const struct verdict *verdict)
{
	if (verdict->state == MC_STATE_OKAY && watch->alert != NULL && watch->alert->rule != NULL)
		return watch->alert->rule;
	return verdict->rule;
}

enum watch_action watch_step(struct watch *watch, const struct verdict *verdict, mc_time now)
{
	const struct rule *owner = owner_of(watch, verdict);
	bool good = verdict->state == MC_STATE_OKAY;
	bool was_bad = watch->alert != NULL;
	bool lasted = true;

	if (watch->times != NULL)
		lasted = has_lasted(watch->times, owner, good, now);
	if (!has_hits(watch, verdict->rule, verdict->state))
		return WATCH_NOTHING;
	if (verdict->state == watch->state && !(was_bad && watch->alert->missing))
		return stay(watch, owner, verdict->state, now);
	if (good == was_bad && !lasted)
		return WATCH_NOTHING;
	return change(watch, owner, verdict->state, now);
}
