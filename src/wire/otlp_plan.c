/* SPDX-License-Identifier: MIT */
#include "wire/otlp_plan.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Distances from the tag of the time, of eight bytes each. */
#define AT_START (-8)
#define AT_TIME 1
#define AT_VALUE 10
#define AT_RATE 20 /* Its tag has two bytes. */

static void empty(struct otlp_plans *plans, struct otlp_plan *plan)
{
	free(plan->bytes);
	free(plan->steps);
	free(plan->places);
	free(plan->texts);
	free(plan->labels);
	plans->size -= plan->all_size;
	*plan = (struct otlp_plan){ 0 };
}

void otlp_plan_done(struct otlp_plans *plans)
{
	for (size_t i = 0; i < OTLP_PLANS; i++)
		empty(plans, &plans->plans[i]);
}

/* FNV-1a of the name that the part begins with; 0 if it is empty. */
static uint64_t key_of(const struct otlp_plan_part *part)
{
	const struct mc_sample *first = mc_next(part->batch, part->last);
	uint64_t key = UINT64_C(0xcbf29ce484222325);

	if (first == NULL)
		return 0;
	for (const char *at = mc_name(first->series); *at != '\0'; at++)
		key = (key ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return key;
}

static struct otlp_plan *find(struct otlp_plans *plans, uint64_t key)
{
	for (size_t i = 0; i < OTLP_PLANS; i++)
		if (plans->plans[i].size > 0 && plans->plans[i].key == key)
			return &plans->plans[i];
	return NULL;
}

/* Whether it was missed before, not long ago. */
static bool missed(struct otlp_plans *plans, uint64_t key)
{
	for (size_t i = 0; i < OTLP_PLANS; i++)
		if (plans->misses[i] == key)
			return true;
	plans->misses[plans->misses_len++ % OTLP_PLANS] = key;
	return false;
}

/* The one longest unused; one that is empty before all others. */
static struct otlp_plan *oldest_of(struct otlp_plans *plans, bool or_empty)
{
	struct otlp_plan *oldest = NULL;

	for (size_t i = 0; i < OTLP_PLANS; i++) {
		struct otlp_plan *plan = &plans->plans[i];

		if ((plan->size > 0 || or_empty) &&
		    (oldest == NULL || plan->used < oldest->used))
			oldest = plan;
	}
	return oldest;
}

/* An empty plan, with room for so much in all; NULL: it is too much. */
static struct otlp_plan *make_room(struct otlp_plans *plans, size_t size)
{
	struct otlp_plan *plan;

	if (size > OTLP_PLANS_SIZE / 2)
		return NULL;
	while (size > OTLP_PLANS_SIZE - plans->size)
		empty(plans, oldest_of(plans, false));
	plan = oldest_of(plans, true);
	empty(plans, plan);
	return plan;
}

static void put64(unsigned char *at, uint64_t number)
{
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
}

/* Names are compared as they are: a series may be gone, and another one be
 * where it was. */
static bool is_step(const struct otlp_plan *plan,
		    const struct otlp_plan_step *step,
		    const struct mc_sample *sample)
{
	return sample->interval == step->interval &&
	       mc_type(sample->series) == step->type &&
	       strcmp(mc_name(sample->series), plan->texts + step->name) == 0;
}

static const uint32_t *fill_step(const struct otlp_plan *plan, bool rates,
				 const uint32_t *place,
				 const struct mc_sample *sample)
{
	const struct mc_type *type = mc_type(sample->series);
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

/* What was filled in before a step that is another one does no harm: all of it
 * is filled in again before it is used. */
static const struct mc_sample *fill(const struct otlp_plan *plan, bool rates,
				    const struct otlp_plan_part *part)
{
	const struct mc_sample *sample = NULL, *last = part->last;
	const uint32_t *place = plan->places;

	for (uint32_t i = 0; i < plan->steps_len; i++) {
		sample = mc_next(part->batch, last);
		if (sample == NULL || !is_step(plan, &plan->steps[i], sample))
			return NULL;
		place = fill_step(plan, rates, place, sample);
		last = sample;
	}
	return plan->ends == (mc_next(part->batch, last) == NULL) ? last : NULL;
}

const struct mc_sample *otlp_plan_use(struct otlp_plans *plans,
				      const struct otlp_plan_part *part,
				      const struct otlp_labels *labels,
				      struct mc_otlp_bytes *out, bool *learn)
{
	uint64_t key = key_of(part);
	struct otlp_plan *plan = find(plans, key);
	const struct mc_sample *last = NULL;

	plans->batches++;
	if (plan != NULL &&
	    otlp_labels_hold(labels, plan->labels, plan->labels_size))
		last = fill(plan, plans->rates, part);
	if (last == NULL) {
		*learn = key != 0 && missed(plans, key);
		return NULL;
	}
	plan->used = plans->batches;
	*out = (struct mc_otlp_bytes){ plan->bytes, plan->size,
				       plan->steps_len };
	return last;
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

static void copy_steps(struct otlp_plan *plan,
		       const struct otlp_plan_part *part)
{
	const struct mc_sample *sample = part->last;
	char *text = plan->texts;

	for (uint32_t i = 0; i < plan->steps_len; i++) {
		sample = mc_next(part->batch, sample);

		const char *name = mc_name(sample->series);
		size_t size = strlen(name) + 1;

		plan->steps[i] = (struct otlp_plan_step){
			mc_type(sample->series),
			sample->interval,
			(uint32_t)(text - plan->texts),
		};
		memcpy(text, name, size);
		text += size;
	}
	plan->ends = mc_next(part->batch, sample) == NULL;
}

static void *copy(const void *bytes, size_t size)
{
	void *own = alloc_resize(NULL, size, 1);

	if (size > 0)
		memcpy(own, bytes, size);
	return own;
}

void otlp_plan_learn(struct otlp_plans *plans,
		     const struct otlp_plan_part *part,
		     const struct otlp_plan_lesson *lesson)
{
	unsigned len = lesson->bytes.samples_len;
	uint64_t key = key_of(part);
	struct otlp_plan *plan = find(plans, key);
	size_t steps_size = len * sizeof(*plan->steps);
	size_t places_size = lesson->places_len * sizeof(*lesson->places);
	size_t texts_size = names_size(part, len), all_size;

	if (plan != NULL) /* The series are others now. */
		empty(plans, plan);
	all_size = lesson->bytes.size + steps_size + places_size + texts_size +
		   lesson->labels_size;
	plan = make_room(plans, all_size);
	if (plan == NULL)
		return;
	plans->size += all_size;
	*plan = (struct otlp_plan){
		.key = key,
		.used = plans->batches,
		.bytes = copy(lesson->bytes.at, lesson->bytes.size),
		.size = lesson->bytes.size,
		.all_size = all_size,
		.steps = alloc_resize(NULL, steps_size, 1),
		.steps_len = len,
		.places = copy(lesson->places, places_size),
		.texts = alloc_resize(NULL, texts_size, 1),
		.labels = copy(lesson->labels, lesson->labels_size),
		.labels_size = lesson->labels_size,
	};
	copy_steps(plan, part);
}
