/* SPDX-License-Identifier: MIT */
/* What people ask: the rules of a series, their bounds, and what is not well.
 * Nothing is said while the lock is held: it is copied. */
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "threshold.h"

static void reason_of(const struct alert *alert, char out[TEXT_SIZE])
{
	if (alert->missing)
		snprintf(out, TEXT_SIZE,
			 "has not been updated for %.3f seconds", alert->value);
	else
		text_reason(alert->rule, alert->state, alert->source,
			    alert->value, out);
}

static void explain_rule(struct mc_answer *answer, const struct rule *rule)
{
	char text[512];

	rule_describe(rule, text, sizeof(text));
	mc_explain(answer, "%s: %s",
		   rule->source != NULL ? rule->source : "each source", text);
}

void answering_explain(struct mc_ctx *ctx, const struct mc_series *series,
		       struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	const struct rules *rules = NULL;
	const struct watch *watch;
	char reason[TEXT_SIZE] = "";
	mc_time since = 0;

	pthread_mutex_lock(&self->lock);
	watch = *mc_slot(ctx, series);
	if (watch != NULL && watch != &threshold_no_rules)
		rules = watch->rules;
	if (rules != NULL && watch->alert != NULL) {
		reason_of(watch->alert, reason);
		since = watch->alert->since;
	}
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; rules != NULL && i < rules->len; i++)
		explain_rule(answer, rules->items[i]);
	if (since != 0)
		mc_explain(answer, "for %.0f s: %s",
			   (double)(mc_wall() - since) * 1e-9, reason);
}

void answering_thresholds(struct mc_ctx *ctx, const struct mc_id *id,
			  struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	const struct rules *rules;

	pthread_mutex_lock(&self->lock);
	rules = finder_find(&self->finder, id);
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; rules != NULL && i < rules->len; i++) {
		const struct rule *rule = rules->items[i];

		mc_add_threshold(
			answer,
			&(struct mc_threshold){
				.id = { rule->host, rule->plugin,
					rule->plugin_instance, rule->type,
					rule->type_instance },
				.source = rule->source,
				.warning = rule->warning,
				.failure = rule->failure,
				.hysteresis = rule->hysteresis,
				.hits = rule->hits });
	}
}

struct copy { /* Of an alert. */
	struct mc_alert alert;
	char *series, *reason;
};

static struct copy *copy_all(const struct alerts *alerts, size_t *len)
{
	struct copy *copies = mc_alloc_array(
		alerts->living_len + alerts->gone.map.len, sizeof(*copies));
	const struct alert *alert = NULL;
	char reason[TEXT_SIZE];

	*len = 0;
	while ((alert = alert_next(alerts, alert)) != NULL) {
		struct copy *copy = &copies[(*len)++];

		reason_of(alert, reason);
		copy->series = mc_alloc_copy(alert->text);
		copy->reason = mc_alloc_copy(reason);
		copy->alert = (struct mc_alert){ .series = copy->series,
						 .state = alert->state,
						 .missing = alert->missing,
						 .since = alert->since,
						 .reason = copy->reason };
	}
	return copies;
}

void answering_alerts(struct mc_ctx *ctx, struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	struct copy *copies;
	size_t len;

	pthread_mutex_lock(&self->lock);
	copies = copy_all(&self->alerts, &len);
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; i < len; i++) {
		mc_add_alert(answer, &copies[i].alert);
		free(copies[i].series);
		free(copies[i].reason);
	}
	free(copies);
}
