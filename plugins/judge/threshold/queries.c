/* SPDX-License-Identifier: MIT */
/* Answers EXPLAIN, GETTHRESHOLD and ALERTS: the rules of a series, their bounds, and the alerts.
 * Copies them under the lock, and calls back without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "threshold.h"

static void reason_of(const struct alert *alert, char out[MESSAGE_SIZE])
{
	if (alert->missing)
		snprintf(out, MESSAGE_SIZE, "has not been updated for %.3f seconds", alert->value);
	else
		message_reason(alert->rule, alert->state, alert->source, alert->value, out);
}

struct answer { /* Copies of rules, which may go at any time. */
	struct rule *rules;
	size_t len;
};

/* NULL is fine.  The names in a rule live as long as the series, or the options. */
static struct answer copy_rules(const struct rules *rules)
{
	struct answer answer = { NULL, rules != NULL ? rules->len : 0 };

	answer.rules = mc_alloc_array(answer.len, sizeof(*answer.rules));
	for (size_t i = 0; i < answer.len; i++)
		answer.rules[i] = *rules->items[i];
	return answer;
}

static const struct watch *watch_of(struct mc_ctx *ctx, const struct mc_series *series)
{
	const struct watch *watch = *mc_slot(ctx, series);

	return watch != &threshold_no_rules ? watch : NULL;
}

static void explain_rule(struct mc_answer *answer, const struct rule *rule)
{
	char text[512];

	rule_describe(rule, text, sizeof(text));
	mc_explain(answer, "%s: %s%s", rule->source != NULL ? rule->source : "each source", text,
		   rule->by_source ? ", as the series comes with it" : "");
}

void queries_explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	const struct watch *watch;
	struct answer copy;
	char reason[MESSAGE_SIZE] = "";
	mc_time since = 0;

	pthread_mutex_lock(&self->lock);
	watch = watch_of(ctx, series);
	copy = copy_rules(watch != NULL ? watch->rules : NULL);
	if (watch != NULL && watch->alert != NULL) {
		reason_of(watch->alert, reason);
		since = watch->alert->since;
	}
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; i < copy.len; i++)
		explain_rule(answer, &copy.rules[i]);
	if (since != 0)
		mc_explain(answer, "for %.0f s: %s", (double)(mc_wall() - since) * 1e-9, reason);
	free(copy.rules);
}

/* Those of the series of that name, or without one, of the config. */
static struct answer rules_of(struct mc_ctx *ctx, struct mc_reading *reading,
			      const struct mc_id *id)
{
	struct threshold *self = ctx->self;
	char name[ALERT_NAME_SIZE];
	size_t size = alert_name(id, name);
	const struct mc_series *series = mc_find(reading, name, size);
	const struct watch *watch = NULL;
	struct answer answer;

	pthread_mutex_lock(&self->lock);
	if (series != NULL)
		watch = watch_of(ctx, series);
	answer = copy_rules(watch != NULL ? watch->rules : finder_find(&self->finder, id));
	pthread_mutex_unlock(&self->lock);
	return answer;
}

void queries_thresholds(struct mc_ctx *ctx, const struct mc_id *id, struct mc_answer *answer)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct answer copy = rules_of(ctx, reading, id);

	for (size_t i = 0; i < copy.len; i++) {
		const struct rule *rule = &copy.rules[i];

		mc_add_threshold(answer,
				 &(struct mc_threshold){ .id = { rule->host, rule->plugin,
								 rule->plugin_instance, rule->type,
								 rule->type_instance },
							 .source = rule->source,
							 .warning = rule->warning,
							 .failure = rule->failure,
							 .hysteresis = rule->hysteresis,
							 .hits = rule->hits });
	}
	free(copy.rules);
	mc_read_end(reading);
}

struct copy { /* Of an alert. */
	struct mc_alert alert;
	char *series, *reason;
};

static struct copy *copy_all(const struct alerts *alerts, size_t *len)
{
	struct copy *copies =
		mc_alloc_array(alerts->living_len + alerts->gone.map.len, sizeof(*copies));
	const struct alert *alert = NULL;
	char reason[MESSAGE_SIZE];

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

void queries_alerts(struct mc_ctx *ctx, struct mc_answer *answer)
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
