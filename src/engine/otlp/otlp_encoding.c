/* SPDX-License-Identifier: MIT */
#include "engine/otlp/otlp_encoding.h"

#include <collector/writer.h>

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/otlp/otlp_number.h"
#include "formats/protobuf.h"
#include "model/series.h"

/* Distances from the tag of the time, of eight bytes each. */
#define AT_START (-8)
#define AT_TIME 1
#define AT_VALUE 10
#define AT_RATE 20 /* Its tag has two bytes. */

#define MISFITS 2 /* Misses in a row after which a new plan is made. */

struct step { /* A sample. */
	const struct mc_type *type;
	mc_time interval;
	uint32_t name;   /* Place of its name in the texts. */
	uint16_t change; /* Of the metadata, the last. */
};

struct otlp_encoding {
	struct otlp_encoding *next;          /* In its bucket. */
	struct otlp_encoding *older, *newer; /* By when they were used. */
	const void *first;                   /* Series: an address, which is only looked up. */
	mc_time used;
	unsigned misfits;
	size_t all_size;
	size_t size; /* Of the bytes. */
	unsigned char *bytes;
	char *texts;
	unsigned char *labels;
	uint32_t labels_size;
	uint32_t *places;
	struct otlp_conversion *conversions; /* As many; or NULL. */
	uint32_t steps_len;
	uint32_t host_size; /* Size of the host's name, with the '/' after it. */
	bool cut;           /* It had more than there was room for. */
	struct step steps[];
};

/* --- Where they are ------------------------------------------------------ */

static uint64_t hash_of(const void *first)
{
	return (uint64_t)(uintptr_t)first * UINT64_C(0x9e3779b97f4a7c15);
}

static struct otlp_encoding **bucket_of(const struct otlp_encodings *encodings, const void *first)
{
	return &encodings->buckets[(hash_of(first) >> 32) % OTLP_ENCODING_BUCKETS];
}

static struct otlp_encoding *find(const struct otlp_encodings *encodings, const void *first)
{
	struct otlp_encoding *encoding;

	if (encodings->buckets == NULL)
		return NULL;
	encoding = *bucket_of(encodings, first);
	while (encoding != NULL && encoding->first != first)
		encoding = encoding->next;
	return encoding;
}

/* --- Their order ---------------------------------------------------------- */

static void append(struct otlp_encodings *encodings, struct otlp_encoding *encoding)
{
	encoding->older = encodings->newest;
	encoding->newer = NULL;
	if (encodings->newest != NULL)
		encodings->newest->newer = encoding;
	else
		encodings->oldest = encoding;
	encodings->newest = encoding;
}

static void take_out(struct otlp_encodings *encodings, struct otlp_encoding *encoding)
{
	if (encoding->older != NULL)
		encoding->older->newer = encoding->newer;
	else
		encodings->oldest = encoding->newer;
	if (encoding->newer != NULL)
		encoding->newer->older = encoding->older;
	else
		encodings->newest = encoding->older;
}

/* It is used: it becomes the newest. */
static void renew(struct otlp_encodings *encodings, struct otlp_encoding *encoding)
{
	take_out(encodings, encoding);
	append(encodings, encoding);
	encoding->used = clock_now();
}

static void drop(struct otlp_encodings *encodings, struct otlp_encoding *encoding)
{
	struct otlp_encoding **at = bucket_of(encodings, encoding->first);

	while (*at != encoding)
		at = &(*at)->next;
	*at = encoding->next;
	take_out(encodings, encoding);
	encodings->size -= encoding->all_size;
	free(encoding);
}

static void drop_stale(struct otlp_encodings *encodings)
{
	mc_time now = clock_now();

	while (encodings->oldest != NULL && now - encodings->oldest->used > OTLP_ENCODING_STALE)
		drop(encodings, encodings->oldest);
}

void otlp_encoding_done(struct otlp_encodings *encodings)
{
	while (encodings->oldest != NULL)
		drop(encodings, encodings->oldest);
	free(encodings->buckets);
	free(encodings->misses);
	encodings->buckets = NULL;
	encodings->misses = NULL;
}

/* Whether it was missed before, as far as that is remembered. */
static bool missed(struct otlp_encodings *encodings, const void *first)
{
	uint64_t hash = (hash_of(first) >> 32) % OTLP_ENCODING_MISSES;
	uint64_t *word, bit = UINT64_C(1) << hash % 64;

	if (encodings->misses == NULL || encodings->misses_len > OTLP_ENCODING_MISSES / 4) {
		free(encodings->misses);
		encodings->misses = alloc_zero(OTLP_ENCODING_MISSES / 8);
		encodings->misses_len = 0;
	}
	word = &encodings->misses[hash / 64];
	if ((*word & bit) != 0)
		return true;
	*word |= bit;
	encodings->misses_len++;
	return false;
}

/* --- Use ------------------------------------------------------------------ */

static void put64(unsigned char *at, uint64_t number)
{
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
}

/* Names are compared as they are: a series may be gone, and another one be where it was. */
static bool is_step(const struct otlp_encoding *encoding, const struct step *step,
		    const struct mc_sample *sample)
{
	const struct mc_series *series = sample->series;

	return sample->interval == step->interval && series->type == step->type &&
	       atomic_load_explicit(&series->described, memory_order_relaxed) == step->change &&
	       strcmp(series->name, encoding->texts + step->name) == 0;
}

/* False if the number takes more room now, or less. */
static bool fill_converted(unsigned char *at, const struct otlp_conversion *conversion,
			   enum mc_kind kind, union mc_value value)
{
	struct otlp_number number =
		otlp_number(kind, value, conversion->divisor, conversion->integer);

	if ((number.field == OTLP_POINT_FLAGS) != conversion->unknown)
		return false;
	if (conversion->unknown)
		return true;
	at[AT_VALUE - 1] = (unsigned char)PROTOBUF_TAG(number.field, PROTOBUF_64BIT);
	put64(at + AT_VALUE, number.bits);
	return true;
}

/* The same where some values are written by conventions; NULL: one of them does not fit. */
static const uint32_t *convert_step(const struct otlp_encoding *encoding, const uint32_t *place,
				    const struct step *step, const struct mc_sample *sample)
{
	const struct otlp_conversion *conversion = &encoding->conversions[place - encoding->places];
	unsigned char *end = encoding->bytes + encoding->size;

	for (unsigned i = 0; i < step->type->sources_len; i++, place++) {
		unsigned char *at = end - *place;

		put64(at + AT_TIME, (uint64_t)sample->time);
		if (!fill_converted(at, &conversion[i], step->type->sources[i].kind,
				    sample->values[i]))
			return NULL;
	}
	return place;
}

static const uint32_t *fill_step(const struct otlp_encoding *encoding, bool rates,
				 const uint32_t *place, const struct step *step,
				 const struct mc_sample *sample)
{
	const struct mc_type *type = step->type;
	unsigned char *end = encoding->bytes + encoding->size;

	if (encoding->conversions != NULL &&
	    encoding->conversions[place - encoding->places].divisor != 0)
		return convert_step(encoding, place, step, sample);
	for (unsigned i = 0; i < type->sources_len; i++, place++) {
		unsigned char *at = end - *place;

		put64(at + AT_TIME, (uint64_t)sample->time);
		put64(at + AT_VALUE, sample->values[i].counter);
		if (type->sources[i].kind == MC_ABSOLUTE)
			put64(at + AT_START, (uint64_t)(sample->time - sample->interval));
		if (rates && type->sources[i].kind != MC_GAUGE)
			put64(at + AT_RATE, sample->values[sample->values_len + i].counter);
	}
	return place;
}

static bool is_of_host(const struct otlp_encoding *encoding, const struct mc_sample *sample)
{
	return sample != NULL &&
	       strncmp(mc_name(sample->series), encoding->texts, encoding->host_size) == 0;
}

/* Values filled in before a step that differs do no harm: all are filled in again before use.
 * NULL: the plan does not fit; *ended: because the batch has no more samples. */
static const struct mc_sample *fill(const struct otlp_encoding *encoding, bool rates,
				    const struct otlp_encoding_part *part, bool *ended)
{
	const struct mc_sample *last = part->last;
	const uint32_t *place = encoding->places;

	for (uint32_t i = 0; i < encoding->steps_len; i++) {
		const struct mc_sample *sample = mc_next(part->batch, last);

		*ended = sample == NULL;
		if (*ended || !is_step(encoding, &encoding->steps[i], sample))
			return NULL;
		place = fill_step(encoding, rates, place, &encoding->steps[i], sample);
		if (place == NULL)
			return NULL;
		last = sample;
	}
	return is_of_host(encoding, mc_next(part->batch, last)) == encoding->cut ? last : NULL;
}

const struct mc_sample *otlp_encoding_use(struct otlp_encodings *encodings,
					  const struct otlp_encoding_part *part,
					  struct otlp_labels *labels, struct mc_otlp_bytes *out,
					  bool *learn)
{
	const struct mc_sample *first = mc_next(part->batch, part->last);
	const struct mc_sample *last = NULL;
	struct otlp_encoding *encoding;
	bool ended = false;

	*learn = false;
	drop_stale(encodings);
	if (first == NULL)
		return NULL;
	encoding = find(encodings, first->series);
	if (encoding == NULL) {
		*learn = missed(encodings, first->series);
		return NULL;
	}
	if (otlp_labels_hold(labels, encoding->labels, encoding->labels_size))
		last = fill(encoding, encodings->rates, part, &ended);
	if (last == NULL) {
		*learn = !ended && ++encoding->misfits >= MISFITS;
		return NULL;
	}
	encoding->misfits = 0;
	renew(encodings, encoding);
	*out = (struct mc_otlp_bytes){ encoding->bytes, encoding->size, encoding->steps_len };
	return last;
}

/* --- Learning ------------------------------------------------------------- */

static void copy_steps(struct otlp_encoding *encoding, const struct otlp_encoding_part *part,
		       const uint16_t *changes)
{
	const struct mc_sample *last = part->last;
	uint32_t at = 0;

	for (uint32_t i = 0; i < encoding->steps_len; i++) {
		const struct mc_sample *sample = mc_next(part->batch, last);
		const char *name = mc_name(sample->series);
		size_t size = strlen(name) + 1;

		encoding->steps[i] = (struct step){
			mc_type(sample->series),
			sample->interval,
			at,
			changes[i],
		};
		memcpy(encoding->texts + at, name, size);
		at += (uint32_t)size;
		last = sample;
	}
	encoding->host_size = (uint32_t)(strchr(encoding->texts, '/') - encoding->texts) + 1;
	encoding->cut = is_of_host(encoding, mc_next(part->batch, last));
}

/* The size of the names of that many samples, each ended by '\0'. */
static size_t names_size(const struct otlp_encoding_part *part, unsigned len)
{
	const struct mc_sample *sample = part->last;
	size_t size = 0;

	while (len-- > 0) {
		sample = mc_next(part->batch, sample);
		size += strlen(mc_name(sample->series)) + 1;
	}
	return size;
}

static size_t conversions_size(const struct otlp_recording *recording)
{
	return recording->conversions != NULL
		       ? recording->places_len * sizeof(*recording->conversions)
		       : 0;
}

/* A plan in one piece: the steps, conversions, and places, then what needs no alignment. */
static struct otlp_encoding *new_plan(const struct otlp_encoding_part *part,
				      const struct otlp_recording *recording, size_t size)
{
	size_t places_size = recording->places_len * sizeof(*recording->places);
	size_t converted = conversions_size(recording);
	struct otlp_encoding *encoding = alloc_zero(size);

	encoding->first = mc_next(part->batch, part->last)->series;
	encoding->used = clock_now();
	encoding->all_size = size;
	encoding->size = recording->bytes.size;
	encoding->labels_size = recording->labels_size;
	encoding->steps_len = recording->bytes.samples_len;
	if (converted > 0)
		encoding->conversions = memcpy(&encoding->steps[encoding->steps_len],
					       recording->conversions, converted);
	encoding->places = (uint32_t *)((char *)&encoding->steps[encoding->steps_len] + converted);
	encoding->bytes = (unsigned char *)encoding->places + places_size;
	encoding->labels = encoding->bytes + encoding->size;
	encoding->texts = (char *)encoding->labels + encoding->labels_size;
	memcpy(encoding->places, recording->places, places_size);
	memcpy(encoding->bytes, recording->bytes.at, encoding->size);
	if (encoding->labels_size > 0)
		memcpy(encoding->labels, recording->labels, encoding->labels_size);
	copy_steps(encoding, part, recording->changes);
	return encoding;
}

void otlp_encoding_learn(struct otlp_encodings *encodings, const struct otlp_encoding_part *part,
			 const struct otlp_recording *recording)
{
	const void *first = mc_next(part->batch, part->last)->series;
	unsigned len = recording->bytes.samples_len;
	size_t size = sizeof(struct otlp_encoding) + len * sizeof(struct step) +
		      recording->places_len * sizeof(*recording->places) +
		      conversions_size(recording) + recording->bytes.size + recording->labels_size +
		      names_size(part, len);
	struct otlp_encoding *encoding, **bucket;

	if (encodings->buckets == NULL)
		encodings->buckets =
			alloc_array(OTLP_ENCODING_BUCKETS, sizeof(*encodings->buckets));
	encoding = find(encodings, first);
	if (encoding != NULL) /* The series are others now. */
		drop(encodings, encoding);
	if (size > OTLP_ENCODING_SIZE || size > OTLP_ENCODINGS_SIZE - encodings->size)
		return;
	encoding = new_plan(part, recording, size);
	bucket = bucket_of(encodings, first);
	encoding->next = *bucket;
	*bucket = encoding;
	append(encodings, encoding);
	encodings->size += size;
}
