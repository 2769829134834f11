/* SPDX-License-Identifier: MIT */
/* Which rules a series has: those of the config, and those of its metadata, which may change. */
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "source_limits.h"
#include "threshold.h"

const struct watch threshold_no_rules;

void series_rules_drop_alert(struct threshold *self, struct alert *alert) MC_REQUIRES(self->lock)
{
	state_file_add(self, alert, MC_STATE_OKAY);
	alert_free(&self->alerts, alert);
}

const struct rules *series_rules_find(struct threshold *self, const struct mc_id *id)
	MC_REQUIRES(self->lock)
{
	const struct rules *rules = finder_find(&self->finder, id);

	return rules != NULL ? rules : finder_find(&self->named, id);
}

static bool are_named(const struct rules *rules)
{
	return rules != NULL && rules->items[0]->name != NULL;
}

static const struct rules *config_rules(struct threshold *self, const struct mc_id *id)
	MC_REQUIRES(self->lock)
{
	const struct rules *rules = series_rules_find(self, id);

	for (size_t i = 0; rules != NULL && i < rules->len; i++)
		rules->items[i]->seen = true;
	return rules;
}

static struct rules *source_rules(const struct threshold *self, const struct rules *config,
				  const struct mc_series *series)
{
	if (!self->options.source_limits)
		return NULL;
	/* Limits that a series comes with are better than those of a <Rule> for many. */
	return source_limits_new(are_named(config) ? NULL : config, series);
}

static void end_alert(struct threshold *self, struct alert *alert) MC_REQUIRES(self->lock)
{
	notifications_end(self, alert, "There are no limits any more.");
	series_rules_drop_alert(self, alert);
}

static bool has_metadata(const struct mc_series *series)
{
	bool has = false;

	for (unsigned i = 0; !has && i < mc_type(series)->sources_len; i++) {
		const struct mc_metadata *metadata = mc_get_metadata(series, i);

		has = metadata != NULL;
		mc_release_metadata(metadata);
	}
	return has;
}

/* An alert of before the start whose series has no rules now.  Its limits may
 * still come, with the metadata. */
static void settle(struct threshold *self, const struct mc_series *series, struct alert *alert)
	MC_REQUIRES(self->lock)
{
	if (alert->by_source && self->options.source_limits && !has_metadata(series))
		alert_leave(&self->alerts, alert);
	else
		end_alert(self, alert);
}

struct watch *series_rules_begin(struct threshold *self, const struct mc_series *series,
				 void **slot) MC_REQUIRES(self->lock)
{
	struct mc_id id = threshold_id(series);
	const struct rules *config = config_rules(self, &id);
	struct rules *own = source_rules(self, config, series);
	struct alert *alert = alert_take(&self->alerts, &id);
	struct watch *watch;

	if (alert != NULL)
		alert->kept = false;
	if (config == NULL && own == NULL) {
		if (alert != NULL)
			settle(self, series, alert);
		return *slot = (void *)&threshold_no_rules;
	}
	watch = watch_new(own != NULL ? own : config, mc_type(series));
	watch->own = own;
	watch->alert = alert;
	if (alert != NULL && !alert->missing)
		watch->state = (uint8_t)alert->state;
	self->watches++;
	self->described += own != NULL;
	return *slot = watch;
}

/* The state of its values stays, without that of its rules. */
static void change_rules(struct threshold *self, struct watch *watch,
			 const struct mc_series *series, const struct rules *config,
			 struct rules *own) MC_REQUIRES(self->lock)
{
	const struct rules *rules = own != NULL ? own : config;
	struct watch *changed = watch_new(rules, mc_type(series));

	self->described += (own != NULL) - (size_t)(watch->own != NULL);
	if (changed->times != NULL && watch->times != NULL)
		*changed->times = *watch->times;
	free(watch->own);
	free(watch->times);
	free(watch->trends);
	siblings_free(watch->siblings);
	watch->rules = rules;
	watch->own = own;
	watch->times = changed->times;
	watch->trends = changed->trends;
	watch->siblings = changed->siblings;
	watch->is_quiet = false;
	if (watch->alert != NULL)
		watch->alert->rule = rules->items[0];
	free(changed);
}

static void end(struct threshold *self, struct watch *watch, struct mc_series *series, void **slot)
	MC_REQUIRES(self->lock)
{
	if (watch->alert != NULL)
		end_alert(self, watch->alert);
	*slot = (void *)&threshold_no_rules;
	self->watches--;
	self->described--;
	watch_free(watch);
	mc_set_state(series, MC_STATE_UNKNOWN);
}

void series_rules_renew(struct threshold *self, struct mc_series *series, void **slot)
	MC_REQUIRES(self->lock)
{
	struct watch *watch = *slot;
	struct mc_id id = threshold_id(series);
	const struct rules *config;
	struct rules *own;

	if (watch != NULL && watch->own == NULL &&
	    (!self->options.source_limits || !has_metadata(series)))
		return;
	if (watch == NULL || watch == &threshold_no_rules) {
		series_rules_begin(self, series, slot);
		return;
	}
	config = config_rules(self, &id);
	own = source_rules(self, config, series);
	if (source_limits_equal(watch->own, own))
		free(own);
	else if (own == NULL && config == NULL)
		end(self, watch, series, slot);
	else
		change_rules(self, watch, series, config, own);
}

void series_rules_forget(struct mc_ctx *ctx, void *slot)
{
	struct threshold *self = ctx->self;
	struct watch *watch = slot;

	if (slot == &threshold_no_rules)
		return;
	pthread_mutex_lock(&self->lock);
	self->watches--;
	self->described -= watch->own != NULL;
	if (watch->alert != NULL && !self->stopped) {
		if (watch->own != NULL)
			watch->alert->rule = NULL; /* It goes. */
		alert_leave(&self->alerts, watch->alert);
	}
	pthread_mutex_unlock(&self->lock);
	watch_free(watch);
}
