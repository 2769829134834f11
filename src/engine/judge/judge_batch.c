/* SPDX-License-Identifier: MIT */
/* Applies the answers of judges to the samples of a batch.
 *
 * Before the store this goes by rounds of some samples: a judge that looks at values is called once
 * for all of a round, and plain samples are passed over.  As a rule all samples of a round share a
 * decision, and judges leave them as they are: then a round is no more than a list of them. */
#include "engine/judge/judge.h"

#include <collector/private/stream.h>

#include <string.h>

#include "base/crash.h"
#include "engine/instance_set.h"
#include "engine/judge/judge_internal.h"

#define PREFETCH 8 /* Samples: about the latency of memory; see store.c. */
#define ROUND 64   /* Samples that are not plain. */
#define NO_NUMBER UINT32_MAX

struct arrival { /* A sample that is not plain. */
	struct mc_sample *sample;
	struct mc_series *into;          /* That it becomes one of; NULL: it is not taken. */
	const struct decision *decision; /* About its series. */
	bool dropped;                    /* By a judge. */
	bool late;                       /* The same says that it is. */
	const char *why;                 /* A judge refuses it; else NULL. */
};

struct round {
	const struct question *question;
	struct mc_sample *samples[ROUND]; /* Those that are not plain. */
	struct arrival arrivals[ROUND];   /* The same, unless they share a decision. */
	struct decision asked[ROUND];     /* Decisions that are new. */
	unsigned len;
	/* About all: they are taken as they are, and everybody gets them; NULL: there are
	 * arrivals. */
	const struct decision *shared;
	uint32_t each;          /* Judges that look at some of them, a bit each. */
	bool settled;           /* All are taken as they are, and everybody gets them. */
	struct mc_sample *last; /* Of the batch so far, plain or not. */
};

/* The part of a round that a judge looks at. */
struct look {
	struct mc_arrivals shown; /* First: plugins have its address. */
	struct round *round;
	/* The same, unless it is the whole round. */
	struct mc_sample *samples[ROUND];
	unsigned numbers[ROUND]; /* In the round. */
	bool whole;
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

static void arrive(struct round *round, unsigned at, const struct decision *decision)
{
	struct mc_sample *sample = round->samples[at];

	round->arrivals[at] = (struct arrival){
		.sample = sample,
		.into = sample->series,
		.decision = decision,
	};
}

/* From now on the first 'len' samples of the round may differ. */
static void part(struct round *round, unsigned len)
{
	for (unsigned i = 0; round->shared != NULL && i < len; i++)
		arrive(round, i, round->shared);
	round->shared = NULL;
}

/* Whether samples are taken as they are, and everybody gets them. */
static bool is_simple(const struct decision *decision)
{
	return decision != NULL && decision->admission == DECISION_TAKEN && decision->routed &&
	       decision->excluded == 0 && decision->route_each == 0;
}

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
	round->settled &= arrival->into == series && is_simple(decision);
	return decision->admission == DECISION_TAKEN && decision != asked;
}

/* Adds a sample whose series has another decision than that of the one before, by its number.
 * Returns that if the decision holds for others that have it, too, else NO_NUMBER. */
static uint32_t add_other(struct round *round, unsigned at, uint16_t number)
{
	const struct decision *decision =
		decision_find(&round->question->judges->decisions, number);
	struct arrival *arrival = &round->arrivals[at];

	if (at == 0 && is_simple(decision)) {
		round->shared = decision;
		round->each = decision->admit_each;
		return number;
	}
	part(round, at);
	arrive(round, at, NULL);
	return decide(round, arrival) && arrival->decision == decision ? number : NO_NUMBER;
}

/* The sample that is to be fetched from memory while 's' is looked at. */
static struct mc_sample *ahead_of(struct mc_sample *s)
{
	for (unsigned left = PREFETCH; left > 0 && s != NULL; left--)
		s = s->next;
	return s;
}

/* Fills a round with samples from 's' on; returns the one after them.  The decision about most is
 * that about the one before. */
static struct mc_sample *fill(struct round *round, struct mc_sample *s)
{
	uint32_t plain = decision_plain(&round->question->judges->decisions);
	uint32_t known = NO_NUMBER, shared = NO_NUMBER;
	struct mc_sample *ahead = ahead_of(s), *last = NULL;
	unsigned len = 0;

	round->shared = NULL;
	round->each = 0;
	round->settled = true;
	for (; s != NULL && len < ROUND; last = s, s = s->next) {
		uint16_t number = atomic_load_explicit(&s->series->decision, memory_order_acquire);

		if (ahead != NULL) {
			__builtin_prefetch(&ahead->series->decision, 1);
			ahead = ahead->next;
		}
		if (number == shared) { /* Most, so first. */
			round->samples[len++] = s;
			continue;
		}
		if (number == plain)
			continue;
		round->samples[len] = s;
		if (number != known)
			known = add_other(round, len, number);
		else
			arrive(round, len, round->arrivals[len - 1].decision);
		shared = round->shared != NULL ? known : NO_NUMBER;
		len++;
	}
	round->last = last;
	round->len = len;
	return s;
}

static void show(struct look *look, struct round *round, uint32_t judge)
{
	unsigned len = 0;

	look->whole = round->shared != NULL;
	for (unsigned i = 0; !look->whole && i < round->len; i++) {
		const struct arrival *arrival = &round->arrivals[i];

		if ((arrival->decision->admit_each & judge) == 0 || arrival->into == NULL)
			continue;
		look->samples[len] = arrival->sample;
		look->numbers[len++] = i;
	}
	look->shown.samples = look->whole ? round->samples : look->samples;
	look->shown.len = look->whole ? round->len : len;
}

static void look_at_each(struct round *round, const struct judge *judge, uint32_t bit)
{
	struct look look;
	const char *before;

	look.round = round;
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

/* Keeps a sample that was taken out of the batch, for those writers that may get it. */
static void keep_late(const struct question *question, const struct arrival *arrival)
{
	struct mc_batch *batch = question->batch;
	struct mc_sample *sample = arrival->sample;

	route(question, arrival);
	sample->next = NULL;
	if (batch->late_last != NULL)
		batch->late_last->next = sample;
	else
		batch->late = sample;
	batch->late_last = sample;
	batch->late_why = arrival->why;
}

/* Drops the samples of a round, or routes them; 'next' is the one after it. */
static unsigned settle(const struct round *round, const struct mc_sample *next)
{
	const struct question *question = round->question;
	unsigned found = 0;

	for (unsigned i = 0; i < round->len; i++) {
		const struct arrival *arrival = &round->arrivals[i];

		if (arrival->into != NULL && !arrival->late) {
			found |= route(question, arrival);
			continue;
		}
		drop(question->batch, arrival->sample);
		if (arrival->into != NULL) {
			keep_late(question, arrival);
			continue;
		}
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

/* The arrival of a sample that a judge does not leave as it is. */
static struct arrival *arrival_of(struct look *look, size_t number)
{
	struct round *round = look->round;

	part(round, round->len);
	return &round->arrivals[look->whole ? number : look->numbers[number]];
}

static struct arrival *leave_out(struct mc_arrivals *arrivals, size_t number)
{
	struct look *look = (struct look *)arrivals;
	struct arrival *arrival = arrival_of(look, number);

	look->round->settled = false;
	arrival->into = NULL;
	return arrival;
}

void mc_admit_drop_sample(struct mc_arrivals *arrivals, size_t number)
{
	leave_out(arrivals, number)->dropped = true;
}

void mc_admit_refuse_sample(struct mc_arrivals *arrivals, size_t number, const char *why)
{
	leave_out(arrivals, number)->why = why;
}

void mc_admit_late_sample(struct mc_arrivals *arrivals, size_t number, const char *why)
{
	struct look *look = (struct look *)arrivals;
	struct arrival *arrival = arrival_of(look, number);

	look->round->settled = false;
	arrival->late = true;
	arrival->why = why;
}

bool mc_admit_sample_as(struct mc_arrivals *arrivals, size_t number, struct mc_id id)
{
	struct look *look = (struct look *)arrivals;
	struct arrival *arrival = arrival_of(look, number);
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
