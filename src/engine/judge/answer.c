/* SPDX-License-Identifier: MIT */
/* Answers of judges to people: the callbacks of struct mc_judge that answer, and their side
 * of include/collector/control.h. */
#include <collector/private/status.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/alerts/alerts.h"
#include "engine/context.h"
#include "engine/instance_set.h"
#include "engine/judge/judge.h"

struct mc_answer { /* One judge after the other; one member of 'visit' is set. */
	const char *judge;
	struct {
		void (*explanation)(void *argument, const char *judge, const char *text);
		void (*threshold)(void *argument, const char *judge, const struct mc_threshold *);
		void (*alert)(void *argument, const char *judge, const struct mc_alert *);
	} visit;
	void *argument;
};

/* The question: about the series, the name, or neither. */
struct topic {
	const struct mc_series *series;
	const struct mc_id *id;
};

static void ask(const struct judge *judge, const struct topic *topic, struct mc_answer *answer)
{
	const struct mc_judge *callbacks = judge->callbacks;

	if (topic->series != NULL && callbacks->explain != NULL)
		callbacks->explain(judge->ctx, topic->series, answer);
	if (topic->id != NULL && callbacks->thresholds != NULL)
		callbacks->thresholds(judge->ctx, topic->id, answer);
	if (topic->series == NULL && topic->id == NULL && callbacks->alerts != NULL)
		callbacks->alerts(judge->ctx, answer);
}

/* Instances that are no judges. */
static void ask_others(const struct instance_set *set, const struct topic *topic,
		       struct mc_answer *answer)
{
	for (unsigned i = 0; i < set->instances_len; i++) {
		/* It begins with its context. */
		struct context *context = (struct context *)set->instances[i];
		void (*explain)(struct mc_ctx *, const struct mc_series *, struct mc_answer *) =
			atomic_load_explicit(&context->explain, memory_order_acquire);

		answer->judge = context->ctx.name;
		if (explain != NULL)
			explain(&context->ctx, topic->series, answer);
	}
}

/* Returns whether all have answered: during a reload some may not have started. */
static bool ask_all(const struct mc_ctx *ctx, const struct topic *topic, struct mc_answer *answer)
{
	struct instance_sets *instances = context_of(ctx)->judges->instances;
	struct instance_set_reader visit = instance_set_read_lock(instances);
	const struct judge_list *list = visit.instance_set->judges;
	bool complete = true;

	for (unsigned i = 0; list != NULL && i < list->len; i++) {
		const struct judge *judge = &list->items[i];

		answer->judge = judge->ctx->name;
		if (atomic_load_explicit(judge->started, memory_order_acquire))
			ask(judge, topic, answer);
		else
			complete = false;
	}
	if (topic->series != NULL)
		ask_others(visit.instance_set, topic, answer);
	instance_set_read_unlock(instances, visit);
	return complete;
}

size_t judge_count_rules(const struct judge_list *list)
{
	size_t len = 0;

	for (unsigned i = 0; list != NULL && i < list->len; i++) {
		const struct judge *judge = &list->items[i];

		if (judge->callbacks->rules != NULL &&
		    atomic_load_explicit(judge->started, memory_order_acquire))
			len += judge->callbacks->rules(judge->ctx);
	}
	return len;
}

/* --- Questions ----------------------------------------------------------- */

void mc_each_explanation(struct mc_ctx *ctx, const struct mc_series *series,
			 void (*visit)(void *argument, const char *judge, const char *text),
			 void *argument)
{
	struct mc_answer answer = { .visit = { .explanation = visit }, .argument = argument };

	ask_all(ctx, &(struct topic){ .series = series }, &answer);
}

void mc_explain_with(struct mc_ctx *ctx,
		     void (*explain)(struct mc_ctx *ctx, const struct mc_series *series,
				     struct mc_answer *answer))
{
	atomic_store_explicit(&context_of(ctx)->explain, explain, memory_order_release);
}

void mc_each_threshold(struct mc_ctx *ctx, const struct mc_id *id,
		       void (*visit)(void *argument, const char *judge,
				     const struct mc_threshold *threshold),
		       void *argument)
{
	struct mc_answer answer = { .visit = { .threshold = visit }, .argument = argument };

	ask_all(ctx, &(struct topic){ .id = id }, &answer);
}

struct alert_visit {
	struct alerts *alerts;
	uint64_t enumeration;
	void (*visit)(void *argument, const char *judge, const struct mc_alert *alert);
	void *argument;
};

/* Adds what people have done about it. */
static void mark_alert(void *argument, const char *judge, const struct mc_alert *alert)
{
	const struct alert_visit *one = argument;
	struct mc_alert marked = *alert;
	struct alerts_mark mark;

	alerts_mark(one->alerts, one->enumeration, alert->series, &mark);
	marked.silenced_until = mark.silenced_until;
	marked.acknowledged_since = mark.acknowledged;
	marked.acknowledged = mark.acknowledged != 0 ? mark.reason : NULL;
	one->visit(one->argument, judge, &marked);
}

void mc_each_alert(struct mc_ctx *ctx,
		   void (*visit)(void *argument, const char *judge, const struct mc_alert *alert),
		   void *argument)
{
	struct alerts *alerts = context_of(ctx)->judges->alerts;
	struct alert_visit one = { alerts, alerts_begin(alerts), visit, argument };
	struct mc_answer answer = { .visit = { .alert = mark_alert }, .argument = &one };
	bool complete = ask_all(ctx, &(struct topic){ .series = NULL }, &answer);

	alerts_each_standing(alerts, mark_alert, &one);
	alerts_end(alerts, one.enumeration, complete);
}

/* --- Answers; one without a question is ignored ------------------------- */

void mc_explain(struct mc_answer *answer, const char *fmt, ...)
{
	char text[MC_EXPLANATION_SIZE];
	va_list args;

	if (answer->visit.explanation == NULL)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_make_printable(text);
	answer->visit.explanation(answer->argument, answer->judge, text);
}

void mc_add_threshold(struct mc_answer *answer, const struct mc_threshold *threshold)
{
	if (answer->visit.threshold != NULL)
		answer->visit.threshold(answer->argument, answer->judge, threshold);
}

void mc_add_alert(struct mc_answer *answer, const struct mc_alert *alert)
{
	if (answer->visit.alert != NULL)
		answer->visit.alert(answer->argument, answer->judge, alert);
}
