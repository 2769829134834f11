/* SPDX-License-Identifier: MIT */
/* Answers EXPLAIN, GETTHRESHOLD and ALERTS: the rules of a series, their bounds, and the alerts;
 * and how many rules there are.
 * Copies them under the lock, and calls back without it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "threshold.h"

struct words { /* About an alert. */
	char reason[MESSAGE_SIZE], advice[MESSAGE_SIZE];
};

/* As of now: the sentence of a <Rule>, or one made of the series. */
static void words_of(const struct alert *alert, struct mc_reading *reading, struct words *words)
{
	const struct verdict verdict = {
		.state = alert->state,
		.rule = alert->rule,
		.value = alert->value,
		.now = alert->now,
		.ahead = alert->value != alert->now,
	};
	const struct story story = {
		.id = alert->id,
		.state = alert->state,
		.verdict = &verdict,
		.source = alert->source,
		.current = alert->now,
		.unit = alert->unit,
		.reading = reading,
	};
	bool has_value = alert->rule != NULL && !alert->missing && !isnan(alert->value);

	*words = (struct words){ .advice = "" };
	if (alert->missing)
		message_missing(&story, alert->value, words->reason);
	else if (has_value && alert->rule->name != NULL && alert->rule->message != NULL)
		message_write(&story, words->reason);
	else
		message_reason(&story, words->reason);
	if (has_value)
		message_advice(&story, words->advice);
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
	mc_explain(answer, "%s%s%s: %s%s", rule->name != NULL ? rule->name : "",
		   rule->name != NULL ? ", " : "",
		   rule->source != NULL ? rule->source : "each source", text,
		   rule->by_source ? ", as the series comes with it" : "");
}

void queries_explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	const struct watch *watch;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct words words;
	struct answer copy;
	mc_time since = 0;

	pthread_mutex_lock(&self->lock);
	watch = watch_of(ctx, series);
	copy = copy_rules(watch != NULL ? watch->rules : NULL);
	if (watch != NULL && watch->alert != NULL) {
		words_of(watch->alert, reading, &words);
		since = watch->alert->since;
	}
	pthread_mutex_unlock(&self->lock);
	mc_read_end(reading);
	for (size_t i = 0; i < copy.len; i++)
		explain_rule(answer, &copy.rules[i]);
	if (since != 0)
		mc_explain(answer, "for %.0f s: %s", (double)(mc_wall() - since) * 1e-9,
			   words.reason);
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
	answer = copy_rules(watch != NULL ? watch->rules : series_rules_find(self, id));
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

static void count_rule(void *argument, struct rule *rule, bool pattern)
{
	size_t *len = argument;

	(void)rule;
	(void)pattern;
	++*len;
}

size_t queries_rules(struct mc_ctx *ctx)
{
	struct threshold *self = ctx->self;
	size_t len = 0;

	options_each(&self->options, count_rule, &len);
	options_each_rule(&self->options, count_rule, &len);
	return len;
}

static char *or_null(const char *text)
{
	return text != NULL && *text != '\0' ? mc_alloc_copy(text) : NULL;
}

static void copy_one(const struct alert *alert, struct mc_reading *reading, struct mc_alert *copy)
{
	struct words words;

	words_of(alert, reading, &words);
	*copy = (struct mc_alert){
		.series = mc_alloc_copy(alert->text),
		.state = alert->state,
		.missing = alert->missing,
		.since = alert->since,
		.reason = mc_alloc_copy(words.reason),
		.rule = or_null(alert->rule != NULL ? alert->rule->name : NULL),
		.advice = or_null(words.advice),
	};
}

static void free_one(const struct mc_alert *copy)
{
	free((char *)copy->series);
	free((char *)copy->reason);
	free((char *)copy->rule);
	free((char *)copy->advice);
}

static struct mc_alert *copy_all(const struct alerts *alerts, struct mc_reading *reading,
				 size_t *len)
{
	struct mc_alert *copies =
		mc_alloc_array(alerts->living_len + alerts->gone.map.len, sizeof(*copies));
	const struct alert *alert = NULL;

	*len = 0;
	while ((alert = alert_next(alerts, alert)) != NULL)
		copy_one(alert, reading, &copies[(*len)++]);
	return copies;
}

void queries_alerts(struct mc_ctx *ctx, struct mc_answer *answer)
{
	struct threshold *self = ctx->self;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_alert *copies;
	size_t len;

	pthread_mutex_lock(&self->lock);
	copies = copy_all(&self->alerts, reading, &len);
	pthread_mutex_unlock(&self->lock);
	mc_read_end(reading);
	for (size_t i = 0; i < len; i++) {
		mc_add_alert(answer, &copies[i]);
		free_one(&copies[i]);
	}
	free(copies);
}
