/* SPDX-License-Identifier: MIT */
/* Applies the answers of judges to the samples of a batch.
 *
 * Before the store this goes by rounds of some samples: a judge that looks at values is called once
 * for all of a round, and plain samples are passed over. */
#include "engine/judge/judge.h"

#include <collector/private/stream.h>

#include <string.h>

#include "base/crash.h"
#include "engine/instance_set.h"
#include "engine/judge/judge_internal.h"

#define PREFETCH 8 /* Samples: about the latency of memory; see store.c. */
#define ROUND 64   /* Samples that are not plain. */

struct arrival { /* A sample that is not plain. */
	struct mc_sample *sample;
	struct mc_series *into;          /* That it becomes one of; NULL: it is not taken. */
	const struct decision *decision; /* About its series. */
	bool dropped;                    /* By a judge. */
	const char *why;                 /* A judge refuses it; else NULL. */
};

struct round {
	const struct question *question;
	struct arrival arrivals[ROUND];
	struct decision asked[ROUND]; /* Decisions that are new. */
	unsigned len;
	uint32_t each;          /* Judges that look at some of them, a bit each. */
	bool settled;           /* All are taken as they are, and everybody gets them. */
	struct mc_sample *last; /* Of the batch so far, plain or not. */
};

/* The part of a round that a judge looks at. */
struct look {
	struct mc_arrivals shown; /* First: plugins have its address. */
	struct round *round;
	struct mc_sample *samples[ROUND];
	struct arrival *arrivals[ROUND];
};

static bool is_plain(const struct mc_sample *sample, uint32_t plain)
{
	return atomic_load_explicit(&sample->series->decision, memory_order_relaxed) == plain;
}

/* Writers that do not get all of the batch, and those that get nothing of it. */
static void sum_up(struct mc_batch *batch)
{
	batch->excluded = 0;
	batch->excluded_all = EVERYBODY;
	for (struct mc_sample *s = batch->first; s != NULL; s = s->next) {
		if ((s->flags & SAMPLE_REFUSED) != 0)
			continue;
		batch->excluded |= s->flags;
		batch->excluded_all &= s->flags;
	}
	if (batch->excluded == 0)
		batch->excluded_all = 0;
}

/* --- Before the store ------------------------------------------------------ */

/* Finds the decision about the series of a sample, or asks for it.  Returns whether it is an old
 * one that takes the series as it is. */
static bool decide(struct round *round, struct arrival *arrival)
{
	const struct question *question = round->question;
	struct mc_series *series = arrival->sample->series;
	const struct decision *decision = judge_find(question->judges, series);
	struct decision *asked = &round->asked[arrival - round->arrivals];

	if (decision == NULL || decision->admission == DECISION_UNASKED) {
		decision = asked;
		if (!judge_ask_admission(question, series, asked))
			arrival->into = NULL;
	}
	arrival->decision = decision;
	arrival->dropped = decision->admission == DECISION_DROPPED;
	if (arrival->dropped)
		arrival->into = NULL;
	else if (decision->admission == DECISION_RENAMED)
		arrival->into = judge_target(question->judges, series);
	round->each |= decision->admit_each;
	round->settled &= arrival->into == series && decision->routed && decision->excluded == 0 &&
			  decision->route_each == 0;
	return decision->admission == DECISION_TAKEN && decision != asked;
}

/* Fills a round with samples from 's' on; returns the one after them.  The decision about most is
 * that about the one before. */
static struct mc_sample *fill(struct round *round, struct mc_sample *s)
{
	uint32_t plain = decision_plain(&round->question->judges->decisions);
	struct arrival *arrival = round->arrivals;
	const struct decision *decision = NULL;
	struct mc_sample *ahead = s;
	uint16_t last = 0;

	round->each = 0;
	round->settled = true;
	for (unsigned i = 0; i < PREFETCH && ahead != NULL; i++)
		ahead = ahead->next;
	for (; s != NULL && arrival < round->arrivals + ROUND; s = s->next) {
		uint16_t number = atomic_load_explicit(&s->series->decision, memory_order_acquire);

		if (ahead != NULL) {
			__builtin_prefetch(&ahead->series->decision, 1);
			ahead = ahead->next;
		}
		round->last = s;
		if (number == plain)
			continue;
		arrival->sample = s;
		arrival->into = s->series;
		arrival->decision = decision;
		arrival->dropped = false;
		arrival->why = NULL;
		if (number != last || last == 0) {
			last = decide(round, arrival) ? number : 0;
			decision = arrival->decision;
		}
		arrival++;
	}
	round->len = (unsigned)(arrival - round->arrivals);
	return s;
}

static void show(struct look *look, struct round *round, uint32_t judge)
{
	size_t len = 0;

	for (unsigned i = 0; i < round->len; i++) {
		struct arrival *arrival = &round->arrivals[i];

		if ((arrival->decision->admit_each & judge) == 0 || arrival->into == NULL)
			continue;
		look->samples[len] = arrival->sample;
		look->arrivals[len++] = arrival;
	}
	look->shown.len = len;
}

static void look_at_each(struct round *round, const struct judge *judge, uint32_t bit)
{
	struct look look;
	const char *before;

	look.round = round;
	look.shown.samples = look.samples;
	look.shown.time = round->question->batch->time;
	show(&look, round, bit);
	before = crash_set_plugin(judge->ctx->name);
	judge->callbacks->admit_samples(judge->ctx, &look.shown);
	crash_set_plugin(before);
}

static void ask_judges(struct round *round)
{
	const struct judge_list *list = round->question->list;

	for (unsigned i = 0; i < list->len && round->each >> i != 0; i++) {
		const struct judge *judge = &list->items[i];
		uint32_t bit = UINT32_C(1) << i;

		if ((round->each & bit) != 0 && judge->callbacks->admit_samples != NULL &&
		    judge_is_asked(judge))
			look_at_each(round, judge, bit);
	}
}

/* Where the batch points to the sample after its last one so far. */
static struct mc_sample **end_of(struct mc_batch *batch)
{
	return batch->last != NULL ? &batch->last->next : &batch->first;
}

/* Keeps the samples before 'sample' (NULL: all). */
static void go_to(struct mc_batch *batch, const struct mc_sample *sample)
{
	for (struct mc_sample *next; (next = *end_of(batch)) != sample;)
		batch->last = next;
}

/* Findings of judge_batch(). */
enum { EXCLUDES = 1, EACH = 2 };

static unsigned route(const struct question *question, const struct arrival *arrival)
{
	struct mc_sample *sample = arrival->sample;
	const struct decision *decision = arrival->decision;
	struct decision other;

	if (sample->series != arrival->into || !decision->routed) {
		sample->series = arrival->into;
		other = judge_know_route(question, sample->series);
		decision = &other;
	}
	sample->flags |= decision->excluded;
	return (decision->excluded != 0 ? EXCLUDES : 0) | (decision->route_each != 0 ? EACH : 0);
}

/* Takes the sample out of the batch, whose last one is somewhere before it. */
static void drop(struct mc_batch *batch, const struct mc_sample *sample)
{
	go_to(batch, sample);
	*end_of(batch) = sample->next;
}

/* Drops the samples of a round, or routes them; 'next' is the one after it. */
static unsigned settle(const struct round *round, const struct mc_sample *next)
{
	const struct question *question = round->question;
	unsigned found = 0;

	for (unsigned i = 0; i < round->len; i++) {
		const struct arrival *arrival = &round->arrivals[i];

		if (arrival->into != NULL) {
			found |= route(question, arrival);
			continue;
		}
		drop(question->batch, arrival->sample);
		if (!arrival->dropped) {
			batch_reject(question->batch, arrival->sample->series, arrival->why);
			continue;
		}
		question->batch->accepted--;
		question->judges->filtered++;
	}
	go_to(question->batch, next);
	return found;
}

bool judge_batch(struct judges *judges, const struct judge_list *list, struct mc_batch *batch,
		 struct mc_sample *before)
{
	struct question question = { judges, list, batch, NULL };
	struct mc_sample *next;
	struct round round;
	unsigned found = 0;

	round.question = &question;
	batch->last = before;
	for (next = *end_of(batch); next != NULL;) {
		next = fill(&round, next);
		ask_judges(&round);
		if (round.settled)
			batch->last = round.last;
		else
			found |= settle(&round, next);
	}
	if (found != 0)
		sum_up(batch);
	return (found & EACH) != 0;
}

const char *mc_admit_stream(const struct mc_arrivals *arrivals, size_t number)
{
	const struct look *look = (const struct look *)arrivals;

	return batch_stream_of(look->round->question->batch,
			       mc_host(arrivals->samples[number]->series));
}

static struct arrival *leave_out(struct mc_arrivals *arrivals, size_t number)
{
	struct look *look = (struct look *)arrivals;

	look->round->settled = false;
	look->arrivals[number]->into = NULL;
	return look->arrivals[number];
}

void mc_admit_drop_sample(struct mc_arrivals *arrivals, size_t number)
{
	leave_out(arrivals, number)->dropped = true;
}

void mc_admit_refuse_sample(struct mc_arrivals *arrivals, size_t number, const char *why)
{
	leave_out(arrivals, number)->why = why;
}

bool mc_admit_sample_as(struct mc_arrivals *arrivals, size_t number, struct mc_id id)
{
	struct look *look = (struct look *)arrivals;
	struct arrival *arrival = look->arrivals[number];
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	if (!judge_name(arrival->into, id, name, &parts))
		return false;
	parts.name = name;
	if (strcmp(name, arrival->into->name) == 0)
		return true;
	arrival->into = judge_make(look->round->question, &parts, arrival->sample->series->type);
	look->round->settled = false;
	return true;
}

/* --- After it, and from the journal ----------------------------------------- */

static void route_sample(const struct question *question, uint32_t each, struct mc_sample *sample)
{
	for (unsigned i = 0; i < question->list->len; i++) {
		const struct judge *judge = &question->list->items[i];
		struct mc_route route = { .question = question, .sample = sample };
		const char *before;

		if ((each >> i & 1) == 0 || judge->callbacks->route_sample == NULL ||
		    !judge_is_asked(judge))
			continue;
		before = crash_set_plugin(judge->ctx->name);
		judge->callbacks->route_sample(judge->ctx, sample, &route);
		crash_set_plugin(before);
		if (route.chosen)
			sample->flags |= EVERYBODY & ~route.wanted;
	}
}

/* For those that are not plain: their routes, and those of each sample. */
static void judge_each(const struct question *question)
{
	uint32_t plain = decision_plain(&question->judges->decisions);
	struct mc_batch *batch = question->batch;
	bool found = false;

	for (struct mc_sample *s = batch->first; s != NULL; s = s->next) {
		struct decision decision;

		if (is_plain(s, plain) || (s->flags & SAMPLE_REFUSED) != 0)
			continue;
		decision = judge_know_route(question, s->series);
		if (question->copies == NULL)
			s->flags |= decision.excluded;
		if (decision.route_each != 0)
			route_sample(question, decision.route_each, s);
		found |= s->flags != 0;
	}
	if (found)
		sum_up(batch);
}

void judge_samples(struct judges *judges, const struct judge_list *list, struct mc_batch *batch,
		   struct copies *copies)
{
	struct question question = { judges, list, batch, copies };

	judge_each(&question);
}

void judge_recorded(struct judges *judges, struct mc_batch *batch)
{
	struct instance_set_reader visit = instance_set_read_lock(judges->instances);
	struct question question = { judges, NULL, batch, NULL };

	question.list = visit.instance_set->judges;
	if (question.list != NULL)
		judge_each(&question);
	instance_set_read_unlock(judges->instances, visit);
}
