/* SPDX-License-Identifier: MIT */
/* A reader measures the same series each time, and their values are numbers of
 * 64 bits: so a request is as long as the one before, and has the same bytes
 * but for these.  It is compared in pieces between the numbers, and only when
 * all of it is the same anything is put: nothing is believed that was not
 * compared.
 *
 * Series are looked up by their names each time, as they may end. */
#include "wire/otlp_form.h"

#include <endian.h>
#include <stdlib.h>

#include "base/alloc.h"

struct hole { /* Where the numbers of a value are in the request. */
	uint32_t start, time, value; /* 'start' 0: there is none. */
};

struct form_sample {
	struct mc_name_parts parts; /* Its name: 'name' in the texts. */
	uint32_t name;
	uint32_t values_len;
	const struct mc_type *type;
	mc_time interval;
};

struct mc_otlp_form {
	unsigned char *bytes;
	size_t size;
	struct hole *holes; /* Of all values, in the order of samples. */
	size_t holes_len, holes_room;
	struct form_sample *samples;
	size_t samples_len, samples_room;
	char *texts;
	size_t texts_size, texts_room;
	size_t end; /* Of the last number: they come in order. */
};

struct mc_otlp_form *otlp_form_new(const void *bytes, size_t size)
{
	struct mc_otlp_form *form = alloc_zero(sizeof(*form));

	form->bytes = alloc_resize(NULL, size + 1, 1);
	memcpy(form->bytes, bytes, size);
	form->size = size;
	return form;
}

void mc_otlp_form_free(struct mc_otlp_form *form)
{
	if (form == NULL)
		return;
	free(form->bytes);
	free(form->holes);
	free(form->samples);
	free(form->texts);
	free(form);
}

size_t mc_otlp_form_size(const struct mc_otlp_form *form)
{
	return sizeof(*form) + form->size +
	       form->holes_room * sizeof(*form->holes) +
	       form->samples_room * sizeof(*form->samples) + form->texts_room;
}

/* --- Learning ------------------------------------------------------------ */

/* 'items' with room for one more after 'len', and for 'more' at first. */
static void *grow(void *items, size_t len, size_t *room, size_t size)
{
	if (len < *room)
		return items;
	*room = *room == 0 ? 16 : *room * 2;
	return alloc_resize(items, *room, size);
}

/* Numbers must follow each other, or pieces between them could not be
 * compared. */
static bool add_hole(struct mc_otlp_form *form, const struct mc_otlp_place *at,
		     const unsigned char *bytes)
{
	struct hole *hole;

	if (at->time == NULL || at->value == NULL || at->value < at->time + 8 ||
	    (at->start != NULL && at->time < at->start + 8) ||
	    (size_t)((at->start != NULL ? at->start : at->time) - bytes) <
		    form->end)
		return false;
	form->holes = grow(form->holes, form->holes_len, &form->holes_room,
			   sizeof(*form->holes));
	hole = &form->holes[form->holes_len++];
	hole->start = at->start != NULL ? (uint32_t)(at->start - bytes) : 0;
	hole->time = (uint32_t)(at->time - bytes);
	hole->value = (uint32_t)(at->value - bytes);
	form->end = hole->value + 8;
	return true;
}

static uint32_t add_name(struct mc_otlp_form *form, const char *name)
{
	size_t size = strlen(name) + 1;
	uint32_t at = (uint32_t)form->texts_size;

	if (form->texts_room - form->texts_size < size) {
		form->texts_room = form->texts_room * 2 + MC_OTLP_NAME_SIZE;
		form->texts = alloc_resize(form->texts, form->texts_room, 1);
	}
	memcpy(form->texts + at, name, size);
	form->texts_size += size;
	return at;
}

bool otlp_form_add(struct mc_otlp_form *form, const struct mc_otlp *otlp,
		   const struct mc_series *series, const unsigned char *bytes)
{
	struct form_sample *sample;

	if (form->size > UINT32_MAX / 2)
		return false;
	for (unsigned i = 0; i < otlp->values_len; i++)
		if (!add_hole(form, &otlp->own.places[i], bytes))
			return false;
	form->samples = grow(form->samples, form->samples_len,
			     &form->samples_room, sizeof(*form->samples));
	sample = &form->samples[form->samples_len++];
	*sample = (struct form_sample){
		.parts = otlp->name,
		.name = add_name(form, otlp->name.name),
		.values_len = otlp->values_len,
		.type = mc_type(series),
		.interval = otlp->stamp.interval,
	};
	return true;
}

/* --- Using --------------------------------------------------------------- */

static bool same_piece(const struct mc_otlp_form *form,
		       const unsigned char *bytes, size_t from, size_t to)
{
	return memcmp(form->bytes + from, bytes + from, to - from) == 0;
}

static bool has_form(const struct mc_otlp_form *form,
		     const unsigned char *bytes, size_t size)
{
	size_t at = 0;

	if (size != form->size)
		return false;
	for (size_t i = 0; i < form->holes_len; i++) {
		const struct hole *hole = &form->holes[i];

		if (hole->start != 0) {
			if (!same_piece(form, bytes, at, hole->start))
				return false;
			at = hole->start + 8;
		}
		if (!same_piece(form, bytes, at, hole->time) ||
		    !same_piece(form, bytes, hole->time + 8, hole->value))
			return false;
		at = hole->value + 8;
	}
	return same_piece(form, bytes, at, size);
}

static uint64_t number_at(const unsigned char *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return le64toh(number);
}

/* The values of a sample are those of one time, and it has one. */
static bool has_times(const struct mc_otlp_form *form,
		      const unsigned char *bytes)
{
	const struct hole *hole = form->holes;

	for (size_t i = 0; i < form->samples_len; i++) {
		uint64_t time = number_at(bytes + hole->time);

		if (time == 0 || time > INT64_MAX)
			return false;
		for (unsigned n = 0; n < form->samples[i].values_len;
		     n++, hole++)
			if (number_at(bytes + hole->time) != time)
				return false;
	}
	return true;
}

static void note(struct mc_otlp_result *result,
		 const struct form_sample *sample, mc_time time)
{
	result->samples++;
	if (time > result->newest)
		result->newest = time;
	if (result->interval == 0 || sample->interval < result->interval)
		result->interval = sample->interval;
}

static struct mc_series *find_series(struct mc_batch *batch,
				     const struct mc_otlp_form *form,
				     const struct form_sample *sample,
				     const char **why)
{
	struct mc_name_parts parts = sample->parts;
	struct mc_series *series;

	parts.name = form->texts + sample->name;
	series = mc_series_in(batch, &parts, sample->type->unit);
	if (series != NULL && mc_type(series) == sample->type)
		return series;
	if (*why == NULL)
		*why = series == NULL ? OTLP_NO_SERIES : OTLP_NO_TYPE;
	return NULL;
}

bool mc_otlp_put_as(struct mc_batch *batch, const struct mc_otlp_form *form,
		    const void *bytes, size_t size,
		    struct mc_otlp_result *result)
{
	const struct hole *hole = form->holes;
	const unsigned char *at = bytes;
	union mc_value values[MC_SOURCES_MAX];

	if (!has_form(form, at, size) || !has_times(form, at))
		return false;
	*result = (struct mc_otlp_result){ 0 };
	for (size_t i = 0; i < form->samples_len; i++) {
		const struct form_sample *sample = &form->samples[i];
		mc_time time = (mc_time)number_at(at + hole->time);
		struct mc_stamp stamp = { time, sample->interval };
		struct mc_series *series;

		for (unsigned n = 0; n < sample->values_len; n++, hole++)
			values[n].counter = number_at(at + hole->value);
		series = find_series(batch, form, sample, &result->why);
		if (series == NULL) {
			result->rejected += sample->values_len;
			continue;
		}
		mc_put_at(batch, series, stamp, values, sample->values_len);
		note(result, sample, time);
	}
	return true;
}
