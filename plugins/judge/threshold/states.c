/* SPDX-License-Identifier: MIT */
/* Judges values as they come, and series without values: states and notifications. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>

#include "threshold.h"

/* --- Values -------------------------------------------------------------- */

/* Whether nothing is known of the source that was bad, so that what the others
 * say is not the end of it. */
static bool is_in_doubt(const struct alert *alert, const struct mc_sample *sample)
{
	const struct mc_type *type = mc_type(sample->series);

	for (unsigned i = 0; i < sample->values_len; i++)
		if (isnan(mc_rate(sample, i)) && strcmp(type->sources[i].name, alert->source) == 0)
			return !alert->missing;
	return false;
}

static void set_alert(struct threshold *self, struct watch *watch, const struct mc_sample *sample,
		      const struct verdict *verdict) MC_REQUIRES(self->lock)
{
	struct mc_id id = threshold_id(sample->series);
	struct alert *alert = watch->alert;

	if (alert == NULL)
		alert = watch->alert = alert_new(&self->alerts, &id);
	alert_set(&self->alerts, alert, verdict->state, false);
	alert->since = sample->time;
	alert->interval = sample->interval;
	alert->rule = verdict->rule;
	alert->by_source = verdict->rule->by_source;
	alert->value = verdict->value;
	alert->now = verdict->now;
	alert->unit = mc_type(sample->series)->unit;
	snprintf(alert->source, sizeof(alert->source), "%s",
		 mc_type(sample->series)->sources[verdict->source].name);
}

static void set_state(struct threshold *self, struct watch *watch, const struct mc_sample *sample,
		      const struct verdict *verdict) MC_REQUIRES(self->lock)
{
	watch->state = verdict->state;
	if (verdict->state != MC_STATE_OKAY) {
		set_alert(self, watch, sample, verdict);
	} else if (watch->alert != NULL) {
		series_rules_drop_alert(self, watch->alert);
		watch->alert = NULL;
	}
}

static void act(struct threshold *self, struct watch *watch, const struct mc_sample *sample,
		const struct verdict *verdict) MC_REQUIRES(self->lock)
{
	enum watch_action action = watch_step(watch, verdict, sample->time);

	if (action == WATCH_NOTHING)
		return;
	if (action != WATCH_SILENTLY)
		notifications_state(self, sample, verdict, action == WATCH_FLAPS);
	else if (watch->state != MC_STATE_UNKNOWN)
		self->suppressed++;
	if (action != WATCH_REPEATS)
		set_state(self, watch, sample, verdict);
	if (watch->alert == NULL)
		return;
	if (action != WATCH_SILENTLY)
		watch->alert->reported = sample->time;
	if (action != WATCH_REPEATS || verdict->rule->remind_after > 0)
		state_file_add(self, watch->alert, watch->state);
}

/* Good values of a series that was good: nothing comes of them. */
static inline bool is_uneventful(const struct watch *watch, const struct verdict *verdict)
{
	return verdict->state == MC_STATE_OKAY && watch->state == MC_STATE_OKAY &&
	       watch->hits == 0 && watch->times == NULL && !verdict->rule->persist_okay;
}

static void judge(struct threshold *self, struct watch *watch, const struct mc_sample *sample)
	MC_REQUIRES(self->lock)
{
	struct verdict_means means = { .trends = watch->trends };
	struct verdict verdict;

	if (watch->siblings != NULL)
		means.wholes =
			siblings_wholes(watch->siblings, watch->rules, self->reading, sample);
	verdict = verdict_of(watch->rules, watch->state, sample, mc_type(sample->series), &means);

	watch_count_unknown(watch, &verdict, mc_type(sample->series));
	if (!is_uneventful(watch, &verdict) && verdict.state != MC_STATE_UNKNOWN &&
	    !(verdict.state == MC_STATE_OKAY && watch->alert != NULL &&
	      is_in_doubt(watch->alert, sample)))
		act(self, watch, sample, &verdict);
	if (watch->alert != NULL && verdict.state == watch->state) {
		watch->alert->value = verdict.value;
		watch->alert->now = verdict.now;
		watch->alert->rule = verdict.rule;
		watch->alert->unit =
			mc_type(sample->series)->unit; /* Of before the start none is known. */
	}
	watch->is_quiet = watch_is_quiet(watch);
	mc_set_state(sample->series, (enum mc_state)watch->state);
}

/* The usual case, without a look at anything else: the series was good, and all
 * values are within the bounds of its only rule.  Unknown ones are not. */
static inline bool stays_good(const struct watch *watch, const struct mc_sample *sample)
{
	const struct rule *rule;

	if (!watch->is_quiet)
		return false;
	rule = watch->rules->items[0];
	for (unsigned i = 0; i < sample->values_len; i++)
		if (!(mc_rate(sample, i) >= rule->good_min && mc_rate(sample, i) <= rule->good_max))
			return false;
	return true;
}

int states_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct threshold *self = ctx->self;
	struct mc_reading *reading;
	bool changed;

	pthread_mutex_lock(&self->lock);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);
		struct watch *watch = *slot;

		if (watch == &threshold_no_rules)
			continue;
		if (watch == NULL)
			watch = series_rules_begin(self, sample->series, slot);
		if (watch == &threshold_no_rules)
			continue;
		if (stays_good(watch, sample)) {
			mc_set_state(sample->series, MC_STATE_OKAY);
			continue;
		}
		if (self->reading == NULL) /* Few batches need it. */
			self->reading = mc_read_begin(ctx);
		judge(self, watch, sample);
	}
	reading = self->reading;
	self->reading = NULL;
	changed = state_file_waits(self);
	pthread_mutex_unlock(&self->lock);
	if (reading != NULL)
		mc_read_end(reading);
	if (changed)
		state_file_append(self);
	return 0;
}

/* --- Series without values ----------------------------------------------- */

void states_set_missing(struct threshold *self, struct alert *alert, mc_time silent)
	MC_REQUIRES(self->lock)
{
	alert_set(&self->alerts, alert, MC_STATE_FAILURE, true);
	alert->since = alert->reported = mc_wall();
	alert->value = (double)silent * 1e-9;
	alert->source[0] = '\0';
	state_file_add(self, alert, MC_STATE_FAILURE);
	notifications_missing(self, alert);
}

static void miss(struct threshold *self, struct watch *watch, struct mc_series *series,
		 mc_time silent) MC_REQUIRES(self->lock)
{
	struct mc_id id = threshold_id(series);

	watch->state = MC_STATE_UNKNOWN;
	watch->hits = watch->unknowns = 0;
	watch->is_quiet = false;
	if (!watch->rules->items[0]->interesting || mc_is_end_expected(self->ctx, series)) {
		if (watch->alert != NULL && watch->rules->items[0]->name != NULL)
			notifications_end(self, watch->alert, "There are no values any more.");
		if (watch->alert != NULL)
			series_rules_drop_alert(self, watch->alert);
		watch->alert = NULL;
		return;
	}
	if (watch->alert == NULL)
		watch->alert = alert_new(&self->alerts, &id);
	watch->alert->rule = watch->rules->items[0];
	watch->alert->by_source = watch->rules->items[0]->by_source;
	states_set_missing(self, watch->alert, silent);
	mc_set_state(series, MC_STATE_FAILURE);
}

void states_ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	struct threshold *self = ctx->self;
	struct watch *watch;
	bool changed;

	if (silent == 0) /* Its value says so. */
		return;
	pthread_mutex_lock(&self->lock);
	watch = *mc_slot(ctx, series);
	if (watch != NULL && watch != &threshold_no_rules)
		miss(self, watch, series, silent);
	changed = state_file_waits(self);
	pthread_mutex_unlock(&self->lock);
	if (changed)
		state_file_append(self);
}

struct absence {
	struct threshold *self;
	mc_time passed; /* Since the start. */
};

static void tell_absent(void *argument, struct rule *rule,
			bool pattern) MC_NO_LOCK /* The caller holds it. */
{
	const struct absence *absence = argument;
	struct threshold *self = absence->self;
	struct mc_id id = { rule->host, rule->plugin, rule->plugin_instance, rule->type,
			    rule->type_instance };
	struct alert *alert;

	if (pattern || rule->absent == 0 || rule->seen || absence->passed < rule->absent)
		return;
	rule->seen = true; /* It is reported once. */
	alert = alert_take(&self->alerts, &id);
	if (alert == NULL) {
		alert = alert_new(&self->alerts, &id);
		alert->rule = rule;
		states_set_missing(self, alert, absence->passed);
	}
	alert_leave(&self->alerts, alert);
}

/* That of one that was missing before the start is found by its name. */
static const struct rule *rule_of(struct threshold *self, struct alert *alert)
	MC_REQUIRES(self->lock)
{
	const struct rules *rules = NULL;

	if (alert->rule == NULL)
		rules = series_rules_find(self, &alert->id);
	if (rules != NULL)
		alert->rule = rules->items[0];
	return alert->rule;
}

/* Reports series that are still missing again; bad values are reported when they come. */
static void remind_of_missing(struct threshold *self) MC_REQUIRES(self->lock)
{
	mc_time now = mc_wall();
	struct alert *alert = NULL;

	while ((alert = alert_next(&self->alerts, alert)) != NULL) {
		const struct rule *rule;

		if (!alert->missing)
			continue;
		rule = rule_of(self, alert);
		if (rule == NULL || rule->remind_after == 0 ||
		    now - alert->reported < rule->remind_after)
			continue;
		alert->value += (double)(now - alert->reported) * 1e-9;
		alert->reported = now;
		state_file_add(self, alert, MC_STATE_FAILURE);
		notifications_missing(self, alert);
	}
}

void states_report_absent(struct mc_ctx *ctx)
{
	struct threshold *self = ctx->self;
	struct absence absence = { self, mc_now() - self->started };
	bool changed;

	pthread_mutex_lock(&self->lock);
	options_each(&self->options, tell_absent, &absence);
	if (self->reminds)
		remind_of_missing(self);
	changed = state_file_waits(self);
	pthread_mutex_unlock(&self->lock);
	if (changed)
		state_file_append(self);
}
