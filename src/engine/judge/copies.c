/* SPDX-License-Identifier: MIT */
/* Replacements of samples for writers. */
#include "engine/judge/copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/judge/judge_internal.h"
#include "engine/store/store.h"
#include "formats/journal/recipients.h"

#define ALL "*" /* In the place of names. */

/* --- Names of writers ---------------------------------------------------- */

static char *name_recipients(struct mc_batch *batch, const struct mc_copy *copy)
{
	char names[RECIPIENTS_MAX + 1] = ALL, *text;
	size_t size = sizeof(ALL) - 1;

	for (unsigned i = 0; copy->writers != NULL && i < copy->writers_len; i++) {
		size_t more = strlen(copy->writers[i]);

		if (i == 0)
			size = 0;
		if (size + 1 + more > RECIPIENTS_MAX)
			break; /* Thirty names of a hundred bytes fit. */
		if (i > 0)
			names[size++] = '\n';
		memcpy(names + size, copy->writers[i], more);
		size += more;
	}
	text = arena_take(&batch->arena, size + 1);
	memcpy(text, names, size);
	text[size] = '\0';
	return text;
}

static uint32_t wanted_by(struct judges *judges, const char *names)
{
	char copy[RECIPIENTS_MAX + 1], *rest = NULL;
	uint32_t wanted = 0;

	if (strcmp(names, ALL) == 0)
		return EVERYBODY;
	memcpy(copy, names, strlen(names) + 1);
	for (char *name = strtok_r(copy, "\n", &rest); name != NULL;
	     name = strtok_r(NULL, "\n", &rest))
		wanted |= judge_route_of(judges, name);
	return wanted;
}

bool copies_recorded(struct judges *judges, struct mc_batch *batch)
{
	uint32_t others;

	if (batch->recipients == NULL)
		return false;
	others = EVERYBODY & ~wanted_by(judges, batch->recipients);
	for (struct mc_sample *s = batch->first; s != NULL; s = s->next)
		s->flags |= others;
	batch->excluded = batch->excluded_all = others;
	return true;
}

/* --- Batches ------------------------------------------------------------- */

static struct mc_batch *find(const struct copies *copies, uint32_t others)
{
	for (size_t i = 0; i < copies->len; i++)
		if (copies->batches[i]->excluded_all == others)
			return copies->batches[i];
	return NULL;
}

static struct mc_batch *begin(struct judges *judges, struct copies *copies,
			      const struct mc_batch *from, uint32_t others,
			      const struct mc_copy *copy)
{
	struct mc_batch *batch = store_begin(judges->store, from->ctx);

	batch->time = from->time;
	batch->mark = from->mark;
	batch->excluded = batch->excluded_all = others;
	batch->recipients = name_recipients(batch, copy);
	copies->batches = alloc_resize(copies->batches, copies->len + 1, sizeof(struct mc_batch *));
	copies->batches[copies->len++] = batch;
	return batch;
}

static void put(struct mc_batch *batch, const struct mc_sample *sample, const struct mc_copy *copy)
{
	const union mc_value *values = copy->values != NULL ? copy->values : sample->values;

	mc_put_at(batch, copy->series, (struct mc_stamp){ sample->time, sample->interval }, values,
		  sample->values_len);
	memcpy(batch->last->values, values, 2 * sample->values_len * sizeof(*values));
	batch->last->flags = batch->excluded_all;
}

void copies_add(struct judges *judges, struct copies *copies, const struct mc_batch *from,
		const struct mc_sample *sample, const struct mc_copy *copy)
{
	uint32_t wanted = copy->writers != NULL ? 0 : EVERYBODY, others;
	struct mc_batch *batch;

	for (unsigned i = 0; copy->writers != NULL && i < copy->writers_len; i++)
		wanted |= judge_route_of(judges, copy->writers[i]);
	others = EVERYBODY & ~wanted;
	batch = find(copies, others);
	if (batch == NULL)
		batch = begin(judges, copies, from, others, copy);
	put(batch, sample, copy);
}

/* --- The plugin API ------------------------------------------------------- */

struct mc_series *mc_route_series(struct mc_route *route, struct mc_id id)
{
	const struct mc_type *type = route->sample->series->type;
	struct mc_series *series = NULL;
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	if (judge_name(route->sample->series, id, name, &parts)) {
		parts.name = name;
		series = judge_make(route->question, &parts, type);
	}
	if (series == NULL || series->type != type) {
		route->question->batch->refused++;
		return NULL;
	}
	return series;
}

void mc_route_copy(struct mc_route *route, const struct mc_copy *copy)
{
	const struct question *question = route->question;

	if (question->copies != NULL)
		copies_add(question->judges, question->copies, question->batch, route->sample,
			   copy);
}
