/* SPDX-License-Identifier: MIT */
/* Alerts from before the start, or of other collectors, whose series do not come are judged by
 * the present rules.  If the series comes, its values decide (series_rules.c). */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include <collector/serve.h>

#include "threshold.h"

/* For series whose record lacks the interval. */
#define USUAL_INTERVAL (300 * MC_SECOND)

struct look {
	mc_time now;    /* mc_now() */
	double timeout; /* Intervals. */
};

static bool is_due(const struct look *look, const struct alert *alert)
{
	mc_time interval = alert->interval > 0 ? alert->interval : USUAL_INTERVAL;

	return (double)(look->now - alert->kept_since) >= look->timeout * (double)interval;
}

static bool is_bad_by(const struct rule *rule, const struct alert *alert)
{
	if (rule->source != NULL && strcmp(rule->source, alert->source) != 0)
		return false;
	if (isnan(alert->value))
		return rule->unknown_after > 0;
	return rule_compare(rule, alert->state, alert->value) > MC_STATE_OKAY;
}

/* Why the alert ends, a sentence; NULL: it goes on.  Limits from metadata are
 * unknown until the series comes, so its last value stays bad. */
static const char *end_of(const struct threshold *self, const struct alert *alert,
			  const struct rules *rules)
{
	bool by_source = alert->by_source && self->options.source_limits;
	bool is_bad = alert->missing || by_source;

	if (rules == NULL && !by_source)
		return "There are no limits any more.";
	for (size_t i = 0; !is_bad && i < rules->len; i++)
		is_bad = is_bad_by(rules->items[i], alert);
	if (!is_bad)
		return "The last value is within the present limits.";
	if (rules != NULL && !rules->items[0]->interesting && rules->items[0]->absent == 0)
		return "There have been no values since the start.";
	return NULL;
}

static void judge(struct threshold *self, struct alert *alert, mc_time passed)
	MC_REQUIRES(self->lock)
{
	const struct rules *rules = series_rules_find(self, &alert->id);
	const char *end = end_of(self, alert, rules);

	alert->kept = false;
	if (end != NULL) {
		notifications_end(self, alert, end);
		series_rules_drop_alert(self, alert);
	} else if (!alert->missing) {
		states_set_missing(self, alert, passed);
	}
}

/* Returns whether there are alerts that are not due yet. */
static bool judge_all(struct threshold *self, const struct look *look) MC_REQUIRES(self->lock)
{
	struct alert *alert = alert_next(&self->alerts, NULL), *next;
	bool left = false;

	for (; alert != NULL; alert = next) {
		next = alert_next(&self->alerts, alert);
		if (alert->kept && is_due(look, alert))
			judge(self, alert, look->now - alert->kept_since);
		else
			left |= alert->kept;
	}
	return left;
}

void old_alerts_check(struct mc_ctx *ctx)
{
	struct threshold *self = ctx->self;
	const struct look look = { mc_now(), mc_timeout(ctx) };
	bool changed;

	pthread_mutex_lock(&self->lock);
	if (self->keeps)
		self->keeps = judge_all(self, &look);
	changed = state_file_waits(self);
	pthread_mutex_unlock(&self->lock);
	if (changed)
		state_file_append(self);
}

void old_alerts_forget(struct mc_ctx *ctx, const char *glob)
{
	struct threshold *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	for (struct alert *alert = alert_next(&self->alerts, NULL), *next; alert != NULL;
	     alert = next) {
		next = alert_next(&self->alerts, alert);
		if (alert->lives || fnmatch(glob, alert->text, 0) != 0)
			continue;
		notifications_end(self, alert, "It was taken out of service.");
		series_rules_drop_alert(self, alert);
	}
	pthread_mutex_unlock(&self->lock);
	state_file_append(self);
}
