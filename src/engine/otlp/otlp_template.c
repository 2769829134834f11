/* SPDX-License-Identifier: MIT */
/* A reader measures the same series each time, and their values are numbers of 64 bits: so a
 * request is as long as the one before, and has the same bytes but for these.  The bytes between
 * the numbers are not kept but summed up, by a hash of 128 bits with a random seed that the
 * template has for itself, and only when all of them have that sum anything is put.
 *
 * No sender knows the seed or sees a sum.  One that guessed two requests with the same sum would
 * write under the names of its own earlier request, as templates are kept by sender: it may do that
 * anyway.
 *
 * Series are looked up by their names the first time, and again when a series of their host has
 * left the store.  Otherwise they are still in it, and nothing of them is looked at here: of 71
 * series that lie anywhere in memory, most of the time went into waiting for their names. */
#include "engine/otlp/otlp_template.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "engine/context.h"
#include "engine/otlp/otlp_tell.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"

#define PREFETCH 8 /* Samples: as in engine/store/apply.c. */
#define CACHE_LINE 64

struct patch_offset {                /* Where the numbers of a value are in the request. */
	uint32_t start, time, value; /* 'start' 0: none. */
};

struct piece { /* Bytes of the request. */
	uint32_t at, size;
};

struct template_said { /* As struct mc_otlp_said. */
	struct piece description, unit;
};

struct template_told {       /* Metadata and labels of a series. */
	uint64_t sum;        /* Of all of them. */
	uint32_t said;       /* Of its first value, from 1 on; 0: nothing. */
	struct piece labels; /* At 0: none. */
};

struct template_name { /* Of a series, and its type. */
	const struct mc_type *type;
	uint32_t at; /* In the texts. */
	uint16_t host_size, plugin_size, plugin_instance_size, type_size, type_instance_size;
};

struct template_sample {          /* All that is needed while its series is known. */
	struct mc_series *series; /* See struct template_found. */
	mc_time interval;
	uint32_t values_len;
	uint32_t told; /* Which, from 1 on; 0: nothing. */
};

struct template_found {      /* Conditions under which all series are still in the store. */
	struct store *store; /* NULL: they are to be looked up. */
	const struct mc_quota *quota;
	uint32_t retirements; /* Of their host. */
};

struct mc_otlp_template {
	size_t size;   /* Bytes of the request, */
	uint64_t seed; /* and their sum without the numbers. */
	XXH128_hash_t sum;
	struct patch_offset *patch_offsets; /* Of all values, in the order of samples. */
	size_t patch_offsets_len, patch_offsets_capacity;
	struct template_sample *samples;
	struct template_name *names; /* As many. */
	size_t samples_len, samples_capacity, names_capacity;
	struct template_told *told; /* Of some of them. */
	size_t told_len, told_capacity;
	struct template_said *said; /* Of values. */
	size_t said_len, said_capacity;
	char *texts;
	size_t texts_size, texts_capacity;
	size_t end; /* Of the last number: they come in order. */
	struct template_found found;
};

struct mc_otlp_template *otlp_template_new(size_t size)
{
	struct mc_otlp_template *template = alloc_zero(sizeof(*template));

	template->size = size;
	return template;
}

void mc_otlp_template_free(struct mc_otlp_template *template)
{
	if (template == NULL)
		return;
	free(template->patch_offsets);
	free(template->samples);
	free(template->names);
	free(template->told);
	free(template->said);
	free(template->texts);
	free(template);
}

size_t mc_otlp_template_size(const struct mc_otlp_template *template)
{
	return sizeof(*template) +
	       template->patch_offsets_capacity * sizeof(*template->patch_offsets) +
	       template->samples_capacity * sizeof(*template->samples) +
	       template->names_capacity * sizeof(*template->names) +
	       template->told_capacity * sizeof(*template->told) +
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

static uint32_t add_text(struct mc_otlp_template *template, const char *name)
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

static struct piece piece_of(const void *at, size_t size, const unsigned char *bytes)
{
	if (at == NULL || size == 0)
		return (struct piece){ 0 };
	return (struct piece){ (uint32_t)((const unsigned char *)at - bytes), (uint32_t)size };
}

/* Where the first begins, from 1 on. */
static uint32_t add_said(struct mc_otlp_template *template, const struct mc_otlp *otlp,
			 const unsigned char *bytes)
{
	uint32_t first = (uint32_t) template->said_len + 1;

	for (unsigned i = 0; i < otlp->values_len; i++) {
		const struct mc_otlp_text *description = &otlp->said[i].description;
		const struct mc_otlp_text *unit = &otlp->said[i].unit;

		template->said = grow(template->said, template->said_len, &template->said_capacity,
				      sizeof(*template->said));
		template->said[template->said_len++] = (struct template_said){
			piece_of(description->at, description->size, bytes),
			piece_of(unit->at, unit->size, bytes),
		};
	}
	return first;
}

/* Its number, from 1 on; 0: the series has no metadata, and no labels. */
static uint32_t add_told(struct mc_otlp_template *template, const struct mc_otlp *otlp,
			 const struct mc_series *series, const unsigned char *bytes)
{
	const struct mc_otlp_span *labels = &otlp->sent.labels;
	struct otlp_tell_sums sums = { .sum = 0 };

	if (!otlp_tell_is_due(series, otlp->said) && labels->at == NULL)
		return 0;
	template->told = grow(template->told, template->told_len, &template->told_capacity,
			      sizeof(*template->told));
	template->told[template->told_len++] = (struct template_told){
		.sum = otlp_tell_sum(&sums, otlp),
		.said = add_said(template, otlp, bytes),
		.labels = piece_of(labels->at, (size_t)(labels->end - labels->at), bytes),
	};
	return (uint32_t) template->told_len;
}

static void add_name(struct mc_otlp_template *template, const struct mc_name_parts *parts,
		     const struct mc_type *type)
{
	template->names = grow(template->names, template->samples_len, &template->names_capacity,
			       sizeof(*template->names));
	template->names[template->samples_len] = (struct template_name){
		.type = type,
		.at = add_text(template, parts->name),
		.host_size = (uint16_t)parts->host_size,
		.plugin_size = (uint16_t)parts->plugin_size,
		.plugin_instance_size = (uint16_t)parts->plugin_instance_size,
		.type_size = (uint16_t)parts->type_size,
		.type_instance_size = (uint16_t)parts->type_instance_size,
	};
}

_Static_assert(MC_OTLP_NAME_SIZE <= UINT16_MAX, "of sizes in struct template_name");

bool otlp_template_add(struct mc_otlp_template *template, const struct mc_otlp *otlp,
		       const struct mc_series *series, const unsigned char *bytes)
{
	if (template->size > UINT32_MAX / 2)
		return false;
	for (unsigned i = 0; i < otlp->values_len; i++)
		if (!add_patch_offset(template, &otlp->own.places[i], bytes))
			return false;
	add_name(template, &otlp->name, mc_type(series));
	template->samples = grow(template->samples, template->samples_len,
				 &template->samples_capacity, sizeof(*template->samples));
	template->samples[template->samples_len++] = (struct template_sample){
		.interval = otlp->stamp.interval,
		.values_len = otlp->values_len,
		.told = add_told(template, otlp, series, bytes),
	};
	return true;
}

/* --- The sum -------------------------------------------------------------- */

/* The sum of a request of the template's size, without what is where its numbers are. */
static XXH128_hash_t sum_of(const struct mc_otlp_template *template, const unsigned char *bytes)
{
	XXH3_state_t state;
	size_t at = 0;

	/* Version 0.8.1 looks at these two before it sets them. */
	state.seed = 0;
	state.extSecret = NULL;
	XXH3_128bits_reset_withSeed(&state, template->seed);
	for (size_t i = 0; i < template->patch_offsets_len; i++) {
		const struct patch_offset *patch_offset = &template->patch_offsets[i];

		if (patch_offset->start != 0) {
			XXH3_128bits_update(&state, bytes + at, patch_offset->start - at);
			at = patch_offset->start + 8;
		}
		XXH3_128bits_update(&state, bytes + at, patch_offset->time - at);
		at = patch_offset->time + 8;
		XXH3_128bits_update(&state, bytes + at, patch_offset->value - at);
		at = patch_offset->value + 8;
	}
	XXH3_128bits_update(&state, bytes + at, template->size - at);
	return XXH3_128bits_digest(&state);
}

static void *trim(void *items, size_t len, size_t *capacity, size_t size)
{
	if (len == 0 || len == *capacity)
		return items;
	*capacity = len;
	return alloc_resize(items, len, size);
}

bool otlp_template_end(struct mc_otlp_template *template, const unsigned char *bytes)
{
	if (getrandom(&template->seed, sizeof(template->seed), 0) != sizeof(template->seed))
		return false;
	template->sum = sum_of(template, bytes);
	template->patch_offsets =
		trim(template->patch_offsets, template->patch_offsets_len,
		     &template->patch_offsets_capacity, sizeof(*template->patch_offsets));
	template->samples = trim(template->samples, template->samples_len,
				 &template->samples_capacity, sizeof(*template->samples));
	template->names = trim(template->names, template->samples_len, &template->names_capacity,
			       sizeof(*template->names));
	template->told = trim(template->told, template->told_len, &template->told_capacity,
			      sizeof(*template->told));
	template->said = trim(template->said, template->said_len, &template->said_capacity,
			      sizeof(*template->said));
	template->texts = trim(template->texts, template->texts_size, &template->texts_capacity, 1);
	return true;
}

/* --- Using --------------------------------------------------------------- */

static bool has_form(const struct mc_otlp_template *template, const unsigned char *bytes,
		     size_t size)
{
	return size == template->size &&
	       XXH128_isEqual(sum_of(template, bytes), template->sum) != 0;
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
				     const struct mc_otlp_template *template, size_t number,
				     const char **why)
{
	const struct template_name *name = &template->names[number];
	struct mc_name_parts parts = {
		template->texts + name->at, name->host_size, name->plugin_size,
		name->plugin_instance_size, name->type_size, name->type_instance_size,
	};
	struct mc_series *series = mc_series_in(batch, &parts, name->type->unit);

	if (series != NULL && mc_type(series) == name->type)
		return series;
	if (*why == NULL)
		*why = series == NULL ? OTLP_NO_SERIES : OTLP_NO_TYPE;
	return NULL;
}

/* The number of series of its host that have left the store.  All samples are of one host. */
static uint32_t count_retirements(const struct store *store,
				  const struct mc_otlp_template *template)
{
	const struct template_name *name = template->names;

	return store_count_retirements(store, template->texts + name->at, name->host_size);
}

/* Whether the series of a sample has the host that the first one has. */
static bool is_of_host(const struct mc_otlp_template *template, const struct mc_series *series)
{
	const struct template_name *name = template->names;
	const char *host = mc_host(series);

	return strncmp(host, template->texts + name->at, name->host_size) == 0 &&
	       host[name->host_size] == '\0';
}

/* Whether all series are those that were found last. */
static bool has_series(const struct mc_otlp_template *template, const struct mc_batch *batch,
		       const struct store *store)
{
	const struct template_found *found = &template->found;

	return found->store == store && found->quota == batch->quota &&
	       found->retirements == count_retirements(store, template);
}

/* Looks all series up; those that cannot be are NULL. */
static void find_all(struct mc_otlp_template *template, struct mc_batch *batch, struct store *store,
		     const char **why)
{
	struct template_found found = { store, batch->quota, count_retirements(store, template) };

	for (size_t i = 0; i < template->samples_len; i++) {
		struct mc_series *series = find_series(batch, template, i, why);

		template->samples[i].series = series;
		if (series == NULL || !is_of_host(template, series))
			found.store = NULL;
	}
	template->found = found;
}

static struct mc_otlp_text text_of(struct piece piece, const unsigned char *bytes)
{
	return (struct mc_otlp_text){ (const char *)bytes + piece.at, piece.size };
}

/* Sets metadata and labels of a series, unless they are those of before. */
static void tell(struct mc_batch *batch, struct mc_series *series,
		 const struct mc_otlp_template *template, const struct template_sample *sample,
		 const unsigned char *bytes)
{
	const struct template_told *told = &template->told[sample->told - 1];
	const struct template_said *of = &template->said[told->said - 1];
	struct mc_otlp_said said[MC_SOURCES_MAX];
	struct mc_otlp_span labels = { 0 };

	if (otlp_tell_is_told(batch, series, told->sum))
		return;
	for (unsigned i = 0; i < sample->values_len; i++)
		said[i] = (struct mc_otlp_said){ text_of(of[i].description, bytes),
						 text_of(of[i].unit, bytes) };
	if (told->labels.at != 0)
		labels = (struct mc_otlp_span){ bytes + told->labels.at,
						bytes + told->labels.at + told->labels.size };
	if (otlp_tell(batch, series, said, told->sum))
		otlp_tell_labels(batch, series, labels);
}

/* Both lines of it that the store looks at. */
static void fetch(const struct mc_series *series)
{
	if (series == NULL) /* It could not be made. */
		return;
	__builtin_prefetch(series, 1);
	__builtin_prefetch((const char *)series + CACHE_LINE, 1);
}

static void put_all(struct mc_batch *batch, const struct mc_otlp_template *template,
		    const unsigned char *bytes, struct mc_otlp_result *result)
{
	const struct patch_offset *patch_offset = template->patch_offsets;
	union mc_value values[MC_SOURCES_MAX];

	for (size_t i = 0; i < template->samples_len; i++) {
		const struct template_sample *sample = &template->samples[i];
		mc_time time = (mc_time)number_at(bytes + patch_offset->time);
		struct mc_stamp stamp = { time, sample->interval };

		if (template->samples_len - i > PREFETCH)
			fetch(sample[PREFETCH].series);
		for (unsigned n = 0; n < sample->values_len; n++, patch_offset++)
			values[n].counter = number_at(bytes + patch_offset->value);
		if (sample->series == NULL) {
			result->rejected += sample->values_len;
			continue;
		}
		if (sample->told != 0)
			tell(batch, sample->series, template, sample, bytes);
		mc_put_at(batch, sample->series, stamp, values, sample->values_len);
		note(result, sample, time);
	}
}

bool mc_otlp_put_as(struct mc_batch *batch, struct mc_otlp_template *template, const void *bytes,
		    size_t size, struct mc_otlp_result *result)
{
	struct store *store = context_of(batch->ctx)->registry->store;

	if (!has_form(template, bytes, size) || !has_times(template, bytes))
		return false;
	*result = (struct mc_otlp_result){ 0 };
	if (template->samples_len == 0)
		return true;
	if (!has_series(template, batch, store))
		find_all(template, batch, store, &result->why);
	put_all(batch, template, bytes, result);
	return true;
}
