/* SPDX-License-Identifier: MIT */
#include "wire/otlp_plan.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/* Distances from the tag of the time, of eight bytes each. */
#define AT_START (-8)
#define AT_TIME 1
#define AT_VALUE 10
#define AT_RATE 20 /* Its tag has two bytes. */

#define LOOKS 4   /* At buckets, for stale plans, before it is given up. */
#define MISFITS 2 /* After so many in a row the plan is another one. */

struct step { /* A sample. */
	const struct mc_type *type;
	mc_time interval;
	uint32_t name; /* Place of its name in the texts. */
};

struct otlp_plan {
	struct otlp_plan *next; /* In its bucket. */
	const void *first; /* Series: an address, which is only looked up. */
	mc_time used;
	unsigned misfits;
	size_t all_size;
	size_t size; /* Of the bytes. */
	unsigned char *bytes;
	char *texts;
	unsigned char *labels;
	uint32_t labels_size;
	uint32_t *places;
	uint32_t steps_len;
	uint32_t host_size; /* Of the host's name, with the '/' behind it. */
	bool cut;           /* It had more than there was room for. */
	struct step steps[];
};

/* --- Where they are ------------------------------------------------------ */

static uint64_t hash_of(const void *first)
{
	return (uint64_t)(uintptr_t)first * UINT64_C(0x9e3779b97f4a7c15);
}

static struct otlp_plan **bucket_of(const struct otlp_plans *plans,
				    const void *first)
{
	return &plans->buckets[(hash_of(first) >> 32) % OTLP_PLAN_BUCKETS];
}

static struct otlp_plan *find(const struct otlp_plans *plans, const void *first)
{
	struct otlp_plan *plan;

	if (plans->buckets == NULL)
		return NULL;
	plan = *bucket_of(plans, first);
	while (plan != NULL && plan->first != first)
		plan = plan->next;
	return plan;
}

static void drop(struct otlp_plans *plans, struct otlp_plan **at)
{
	struct otlp_plan *plan = *at;

	*at = plan->next;
	plans->size -= plan->all_size;
	free(plan);
}

void otlp_plan_done(struct otlp_plans *plans)
{
	for (unsigned i = 0; plans->buckets != NULL && i < OTLP_PLAN_BUCKETS;
	     i++)
		while (plans->buckets[i] != NULL)
			drop(plans, &plans->buckets[i]);
	free(plans->buckets);
	free(plans->misses);
	plans->buckets = NULL;
	plans->misses = NULL;
}

/* Whether it was missed before, as far as that is remembered. */
static bool missed(struct otlp_plans *plans, const void *first)
{
	uint64_t hash = (hash_of(first) >> 32) % OTLP_PLAN_MISSES;
	uint64_t *word, bit = UINT64_C(1) << hash % 64;

	if (plans->misses == NULL || plans->misses_len > OTLP_PLAN_MISSES / 4) {
		free(plans->misses);
		plans->misses = alloc_zero(OTLP_PLAN_MISSES / 8);
		plans->misses_len = 0;
	}
	word = &plans->misses[hash / 64];
	if ((*word & bit) != 0)
		return true;
	*word |= bit;
	plans->misses_len++;
	return false;
}

static bool is_stale(const struct otlp_plan *plan, mc_time now)
{
	return now - plan->used > OTLP_PLAN_STALE;
}

/* False: it is too much, and none of those looked at is stale. */
static bool make_room(struct otlp_plans *plans, size_t size)
{
	mc_time now = clock_now();

	if (size > OTLP_PLAN_SIZE)
		return false;
	for (unsigned i = 0; i < LOOKS && size > OTLP_PLANS_SIZE - plans->size;
	     i++) {
		struct otlp_plan **at =
			&plans->buckets[plans->hand++ % OTLP_PLAN_BUCKETS];

		while (*at != NULL)
			if (is_stale(*at, now))
				drop(plans, at);
			else
				at = &(*at)->next;
	}
	return size <= OTLP_PLANS_SIZE - plans->size;
}

/* --- Use ------------------------------------------------------------------ */

static void put64(unsigned char *at, uint64_t number)
{
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
}

/* Names are compared as they are: a series may be gone, and another one be
 * where it was. */
static bool is_step(const struct otlp_plan *plan, const struct step *step,
		    const struct mc_sample *sample)
{
	return sample->interval == step->interval &&
	       mc_type(sample->series) == step->type &&
	       strcmp(mc_name(sample->series), plan->texts + step->name) == 0;
}

static const uint32_t *fill_step(const struct otlp_plan *plan, bool rates,
				 const uint32_t *place, const struct step *step,
				 const struct mc_sample *sample)
{
	const struct mc_type *type = step->type;
	unsigned char *end = plan->bytes + plan->size;

	for (unsigned i = 0; i < type->sources_len; i++, place++) {
		unsigned char *at = end - *place;

		put64(at + AT_TIME, (uint64_t)sample->time);
		put64(at + AT_VALUE, sample->values[i].counter);
		if (type->sources[i].kind == MC_ABSOLUTE)
			put64(at + AT_START,
			      (uint64_t)(sample->time - sample->interval));
		if (rates && type->sources[i].kind != MC_GAUGE)
			put64(at + AT_RATE,
			      sample->values[sample->values_len + i].counter);
	}
	return place;
}

static bool is_of_host(const struct otlp_plan *plan,
		       const struct mc_sample *sample)
{
	return sample != NULL && strncmp(mc_name(sample->series), plan->texts,
					 plan->host_size) == 0;
}

/* What was filled in before a step that is another one does no harm: all of it
 * is filled in again before it is used.  NULL: it does not fit; *ended: because
 * the batch has no more. */
static const struct mc_sample *fill(const struct otlp_plan *plan, bool rates,
				    const struct otlp_plan_part *part,
				    bool *ended)
{
	const struct mc_sample *last = part->last;
	const uint32_t *place = plan->places;

	for (uint32_t i = 0; i < plan->steps_len; i++) {
		const struct mc_sample *sample = mc_next(part->batch, last);

		*ended = sample == NULL;
		if (*ended || !is_step(plan, &plan->steps[i], sample))
			return NULL;
		place = fill_step(plan, rates, place, &plan->steps[i], sample);
		last = sample;
	}
	return is_of_host(plan, mc_next(part->batch, last)) == plan->cut ? last
									 : NULL;
}

const struct mc_sample *otlp_plan_use(struct otlp_plans *plans,
				      const struct otlp_plan_part *part,
				      const struct otlp_labels *labels,
				      struct mc_otlp_bytes *out, bool *learn)
{
	const struct mc_sample *first = mc_next(part->batch, part->last);
	const struct mc_sample *last = NULL;
	struct otlp_plan *plan;
	bool ended = false;

	*learn = false;
	if (first == NULL)
		return NULL;
	plan = find(plans, first->series);
	if (plan == NULL) {
		*learn = missed(plans, first->series);
		return NULL;
	}
	if (otlp_labels_hold(labels, plan->labels, plan->labels_size))
		last = fill(plan, plans->rates, part, &ended);
	if (last == NULL) {
		*learn = !ended && ++plan->misfits >= MISFITS;
		return NULL;
	}
	plan->misfits = 0;
	plan->used = clock_now();
	*out = (struct mc_otlp_bytes){ plan->bytes, plan->size,
				       plan->steps_len };
	return last;
}

/* --- Learning ------------------------------------------------------------- */

static void copy_steps(struct otlp_plan *plan,
		       const struct otlp_plan_part *part)
{
	const struct mc_sample *last = part->last;
	uint32_t at = 0;

	for (uint32_t i = 0; i < plan->steps_len; i++) {
		const struct mc_sample *sample = mc_next(part->batch, last);
		const char *name = mc_name(sample->series);
		size_t size = strlen(name) + 1;

		plan->steps[i] = (struct step){
			mc_type(sample->series),
			sample->interval,
			at,
		};
		memcpy(plan->texts + at, name, size);
		at += (uint32_t)size;
		last = sample;
	}
	plan->host_size =
		(uint32_t)(strchr(plan->texts, '/') - plan->texts) + 1;
	plan->cut = is_of_host(plan, mc_next(part->batch, last));
}

/* The size of the names of so many samples, each ended by '\0'. */
static size_t names_size(const struct otlp_plan_part *part, unsigned len)
{
	const struct mc_sample *sample = part->last;
	size_t size = 0;

	while (len-- > 0) {
		sample = mc_next(part->batch, sample);
		size += strlen(mc_name(sample->series)) + 1;
	}
	return size;
}

/* A plan in one piece: the steps, the places, then what needs no alignment. */
static struct otlp_plan *new_plan(const struct otlp_plan_part *part,
				  const struct otlp_plan_lesson *lesson,
				  size_t size)
{
	size_t places_size = lesson->places_len * sizeof(*lesson->places);
	struct otlp_plan *plan = alloc_zero(size);

	plan->first = mc_next(part->batch, part->last)->series;
	plan->used = clock_now();
	plan->all_size = size;
	plan->size = lesson->bytes.size;
	plan->labels_size = lesson->labels_size;
	plan->steps_len = lesson->bytes.samples_len;
	plan->places = (uint32_t *)&plan->steps[plan->steps_len];
	plan->bytes = (unsigned char *)plan->places + places_size;
	plan->labels = plan->bytes + plan->size;
	plan->texts = (char *)plan->labels + plan->labels_size;
	memcpy(plan->places, lesson->places, places_size);
	memcpy(plan->bytes, lesson->bytes.at, plan->size);
	if (plan->labels_size > 0)
		memcpy(plan->labels, lesson->labels, plan->labels_size);
	copy_steps(plan, part);
	return plan;
}

void otlp_plan_learn(struct otlp_plans *plans,
		     const struct otlp_plan_part *part,
		     const struct otlp_plan_lesson *lesson)
{
	const void *first = mc_next(part->batch, part->last)->series;
	unsigned len = lesson->bytes.samples_len;
	size_t size = sizeof(struct otlp_plan) + len * sizeof(struct step) +
		      lesson->places_len * sizeof(*lesson->places) +
		      lesson->bytes.size + lesson->labels_size +
		      names_size(part, len);
	struct otlp_plan *plan, **at;

	if (plans->buckets == NULL)
		plans->buckets =
			alloc_array(OTLP_PLAN_BUCKETS, sizeof(*plans->buckets));
	at = bucket_of(plans, first);
	while (*at != NULL && (*at)->first != first)
		at = &(*at)->next;
	if (*at != NULL) /* The series are others now. */
		drop(plans, at);
	if (!make_room(plans, size))
		return;
	plan = new_plan(part, lesson, size);
	at = bucket_of(plans, first);
	plan->next = *at;
	*at = plan;
	plans->size += size;
}
