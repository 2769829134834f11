/* SPDX-License-Identifier: MIT */
/* A reader measures the same series each time, and their values are numbers of 64 bits: so a
 * request is as long as the one before, and has the same bytes but for these.  It is compared in
 * pieces between the numbers, and only when all of it is the same anything is put: nothing is
 * believed that was not compared.
 *
 * Series are looked up by their names each time, as they may end. */
#include "engine/otlp/otlp_template.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <endian.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/otlp/otlp_tell.h"

struct patch_offset {                /* Where the numbers of a value are in the request. */
	uint32_t start, time, value; /* 'start' 0: none. */
};

struct template_sample {
	struct mc_name_parts parts; /* Its name: 'name' in the texts. */
	uint32_t name;
	uint32_t values_len;
	uint32_t said;              /* Of its first value, from 1 on; 0: nothing. */
	uint64_t sum;               /* Of that and of labels. */
	struct mc_otlp_span labels; /* In the template's own bytes, or NULL: none. */
	const struct mc_type *type;
	mc_time interval;
};

struct mc_otlp_template {
	unsigned char *bytes;
	size_t size;
	struct patch_offset *patch_offsets; /* Of all values, in the order of samples. */
	size_t patch_offsets_len, patch_offsets_capacity;
	struct template_sample *samples;
	size_t samples_len, samples_capacity;
	struct mc_otlp_said *said; /* Of values, in 'bytes'. */
	size_t said_len, said_capacity;
	char *texts;
	size_t texts_size, texts_capacity;
	size_t end; /* Of the last number: they come in order. */
};

struct mc_otlp_template *otlp_template_new(const void *bytes, size_t size)
{
	struct mc_otlp_template *template = alloc_zero(sizeof(*template));

	template->bytes = alloc_resize(NULL, size + 1, 1);
	memcpy(template->bytes, bytes, size);
	template->size = size;
	return template;
}

void mc_otlp_template_free(struct mc_otlp_template *template)
{
	if (template == NULL)
		return;
	free(template->bytes);
	free(template->patch_offsets);
	free(template->samples);
	free(template->said);
	free(template->texts);
	free(template);
}

size_t mc_otlp_template_size(const struct mc_otlp_template *template)
{
	return sizeof(*template) + template->size +
	       template->patch_offsets_capacity * sizeof(*template->patch_offsets) +
	       template->samples_capacity * sizeof(*template->samples) +
	       template->said_capacity * sizeof(*template->said) + template->texts_capacity;
}

/* --- Recording ------------------------------------------------------------ */

/* 'items' with space for one more after the first 'len'. */
static void *grow(void *items, size_t len, size_t *capacity, size_t size)
{
	if (len < *capacity)
		return items;
	*capacity = *capacity == 0 ? 16 : *capacity * 2;
	return alloc_resize(items, *capacity, size);
}

/* Numbers must follow each other, or pieces between them could not be compared. */
static bool add_patch_offset(struct mc_otlp_template *template, const struct mc_otlp_place *at,
			     const unsigned char *bytes)
{
	struct patch_offset *patch_offset;

	if (at->time == NULL || at->value == NULL || at->value < at->time + 8 ||
	    (at->start != NULL && at->time < at->start + 8) ||
	    (size_t)((at->start != NULL ? at->start : at->time) - bytes) < template->end)
		return false;
	template->patch_offsets =
		grow(template->patch_offsets, template->patch_offsets_len,
		     &template->patch_offsets_capacity, sizeof(*template->patch_offsets));
	patch_offset = &template->patch_offsets[template->patch_offsets_len++];
	patch_offset->start = at->start != NULL ? (uint32_t)(at->start - bytes) : 0;
	patch_offset->time = (uint32_t)(at->time - bytes);
	patch_offset->value = (uint32_t)(at->value - bytes);
	template->end = patch_offset->value + 8;
	return true;
}

static uint32_t add_name(struct mc_otlp_template *template, const char *name)
{
	size_t size = strlen(name) + 1;
	uint32_t at = (uint32_t) template->texts_size;

	if (template->texts_capacity - template->texts_size < size) {
		template->texts_capacity = template->texts_capacity * 2 + MC_OTLP_NAME_SIZE;
		template->texts = alloc_resize(template->texts, template->texts_capacity, 1);
	}
	memcpy(template->texts + at, name, size);
	template->texts_size += size;
	return at;
}

/* The same text in the template's own bytes. */
static struct mc_otlp_text own_text(const struct mc_otlp_template *template,
				    struct mc_otlp_text text, const unsigned char *bytes)
{
	if (text.size > 0)
		text.at = (const char *)template->bytes + (text.at - (const char *)bytes);
	return text;
}

static struct mc_otlp_span own_span(const struct mc_otlp_template *template,
				    struct mc_otlp_span span, const unsigned char *bytes)
{
	if (span.at == NULL)
		return span;
	return (struct mc_otlp_span){ template->bytes + (span.at - bytes),
				      template->bytes + (span.end - bytes) };
}

/* Where they begin, from 1 on; 0: the series has no metadata, and no labels. */
static uint32_t add_said(struct mc_otlp_template *template, const struct mc_otlp *otlp,
			 const struct mc_series *series, const unsigned char *bytes)
{
	uint32_t first = (uint32_t) template->said_len + 1;

	if (!otlp_tell_is_due(series, otlp->said) && otlp->sent.labels.at == NULL)
		return 0;
	for (unsigned i = 0; i < otlp->values_len; i++) {
		template->said = grow(template->said, template->said_len, &template->said_capacity,
				      sizeof(*template->said));
		template->said[template->said_len++] = (struct mc_otlp_said){
			own_text(template, otlp->said[i].description, bytes),
			own_text(template, otlp->said[i].unit, bytes),
		};
	}
	return first;
}

bool otlp_template_add(struct mc_otlp_template *template, const struct mc_otlp *otlp,
		       const struct mc_series *series, const unsigned char *bytes)
{
	struct otlp_tell_sums sums = { .sum = 0 };
	struct template_sample *sample;

	if (template->size > UINT32_MAX / 2)
		return false;
	for (unsigned i = 0; i < otlp->values_len; i++)
		if (!add_patch_offset(template, &otlp->own.places[i], bytes))
			return false;
	template->samples = grow(template->samples, template->samples_len,
				 &template->samples_capacity, sizeof(*template->samples));
	sample = &template->samples[template->samples_len++];
	*sample = (struct template_sample){
		.parts = otlp->name,
		.name = add_name(template, otlp->name.name),
		.values_len = otlp->values_len,
		.said = add_said(template, otlp, series, bytes),
		.sum = otlp_tell_sum(&sums, otlp),
		.labels = own_span(template, otlp->sent.labels, bytes),
		.type = mc_type(series),
		.interval = otlp->stamp.interval,
	};
	return true;
}

/* --- Using --------------------------------------------------------------- */

static bool same_piece(const struct mc_otlp_template *template, const unsigned char *bytes,
		       size_t from, size_t to)
{
	return memcmp(template->bytes + from, bytes + from, to - from) == 0;
}

static bool has_form(const struct mc_otlp_template *template, const unsigned char *bytes,
		     size_t size)
{
	size_t at = 0;

	if (size != template->size)
		return false;
	for (size_t i = 0; i < template->patch_offsets_len; i++) {
		const struct patch_offset *patch_offset = &template->patch_offsets[i];

		if (patch_offset->start != 0) {
			if (!same_piece(template, bytes, at, patch_offset->start))
				return false;
			at = patch_offset->start + 8;
		}
		if (!same_piece(template, bytes, at, patch_offset->time) ||
		    !same_piece(template, bytes, patch_offset->time + 8, patch_offset->value))
			return false;
		at = patch_offset->value + 8;
	}
	return same_piece(template, bytes, at, size);
}

static uint64_t number_at(const unsigned char *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return le64toh(number);
}

/* The values of a sample are those of one time, and it has one. */
static bool has_times(const struct mc_otlp_template *template, const unsigned char *bytes)
{
	const struct patch_offset *patch_offset = template->patch_offsets;

	for (size_t i = 0; i < template->samples_len; i++) {
		uint64_t time = number_at(bytes + patch_offset->time);

		if (time == 0 || time > INT64_MAX)
			return false;
		for (unsigned n = 0; n < template->samples[i].values_len; n++, patch_offset++)
			if (number_at(bytes + patch_offset->time) != time)
				return false;
	}
	return true;
}

static void note(struct mc_otlp_result *result, const struct template_sample *sample, mc_time time)
{
	result->samples++;
	if (time > result->newest)
		result->newest = time;
	if (result->interval == 0 || sample->interval < result->interval)
		result->interval = sample->interval;
}

static struct mc_series *find_series(struct mc_batch *batch,
				     const struct mc_otlp_template *template,
				     const struct template_sample *sample, const char **why)
{
	struct mc_name_parts parts = sample->parts;
	struct mc_series *series;

	parts.name = template->texts + sample->name;
	series = mc_series_in(batch, &parts, sample->type->unit);
	if (series != NULL && mc_type(series) == sample->type)
		return series;
	if (*why == NULL)
		*why = series == NULL ? OTLP_NO_SERIES : OTLP_NO_TYPE;
	return NULL;
}

bool mc_otlp_put_as(struct mc_batch *batch, const struct mc_otlp_template *template,
		    const void *bytes, size_t size, struct mc_otlp_result *result)
{
	const struct patch_offset *patch_offset = template->patch_offsets;
	const unsigned char *at = bytes;
	union mc_value values[MC_SOURCES_MAX];

	if (!has_form(template, at, size) || !has_times(template, at))
		return false;
	*result = (struct mc_otlp_result){ 0 };
	for (size_t i = 0; i < template->samples_len; i++) {
		const struct template_sample *sample = &template->samples[i];
		mc_time time = (mc_time)number_at(at + patch_offset->time);
		struct mc_stamp stamp = { time, sample->interval };
		struct mc_series *series;

		for (unsigned n = 0; n < sample->values_len; n++, patch_offset++)
			values[n].counter = number_at(at + patch_offset->value);
		series = find_series(batch, template, sample, &result->why);
		if (series == NULL) {
			result->rejected += sample->values_len;
			continue;
		}
		if (sample->said != 0 &&
		    otlp_tell(batch, series, &template->said[sample->said - 1], sample->sum))
			otlp_tell_labels(batch, series, sample->labels);
		mc_put_at(batch, series, stamp, values, sample->values_len);
		note(result, sample, time);
	}
	return true;
}
