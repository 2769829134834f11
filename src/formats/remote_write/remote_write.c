/* SPDX-License-Identifier: MIT */
/* A request is written backwards (formats/protobuf.h), from its last sample to its first, and in
 * version 2.0 the symbols, which are known by then, in front.
 *
 * Fields of a message may come in any order.  Of those that were tried, this one is packed to the
 * fewest bytes: metadata, samples, labels, and in a sample the time first.  So the number and the
 * labels, which differ between series, are side by side. */
#include "formats/remote_write/remote_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/protobuf.h"

/* Fields of the messages. */
enum { REQUEST_SERIES_1 = 1, REQUEST_METADATA = 3, REQUEST_SYMBOLS = 4, REQUEST_SERIES_2 = 5 };
enum { SERIES_LABELS = 1, SERIES_SAMPLES = 2, SERIES_METADATA = 5 };
enum { LABEL_NAME = 1, LABEL_VALUE = 2 };
enum { SAMPLE_VALUE = 1, SAMPLE_TIME = 2, SAMPLE_START = 3 };
enum { METADATA_TYPE = 1, METADATA_HELP = 3, METADATA_UNIT = 4 };
enum { METRIC_TYPE = 1, METRIC_NAME = 2, METRIC_HELP = 4, METRIC_UNIT = 5 }; /* Of 1.0. */

#define HEAD_MAX 11   /* A tag, and a size. */
#define SAMPLE_MAX 42 /* A sample with its head. */
#define NUMBER_MAX 5  /* A symbol's. */

/* --- Series ---------------------------------------------------------------- */

struct remote_write_series *remote_write_series_new(struct symbols *symbols,
						    const struct remote_write_about *about)
{
	size_t len = about->labels_len;
	struct remote_write_series *series =
		mc_alloc_zero(sizeof(*series) + 2 * len * sizeof(struct symbol *));

	series->type = (uint8_t)about->type;
	series->labels_len = (uint8_t)len;
	series->start = about->start;
	for (size_t i = 0; i < len; i++) {
		series->labels[2 * i] = symbols_get(symbols, about->labels[i].name);
		series->labels[2 * i + 1] = symbols_get(symbols, about->labels[i].value);
	}
	if (about->help != NULL && about->help[0] != '\0')
		series->help = symbols_get(symbols, about->help);
	if (about->unit != NULL && about->unit[0] != '\0')
		series->unit = symbols_get(symbols, about->unit);
	if (about->tenant != NULL)
		series->tenant = symbols_get(symbols, about->tenant);
	return series;
}

void remote_write_series_free(struct symbols *symbols, struct remote_write_series *series)
{
	for (size_t i = 0; i < 2 * (size_t)series->labels_len; i++)
		symbols_release(symbols, series->labels[i]);
	symbols_release(symbols, series->help);
	symbols_release(symbols, series->unit);
	symbols_release(symbols, series->tenant);
	free(series->plain);
	free(series);
}

void remote_write_series_print(const struct remote_write_series *series, char *out, size_t size)
{
	const char *separator = "{";
	size_t at = 0;

	for (size_t i = 0; i < series->labels_len; i++)
		if (strcmp(series->labels[2 * i]->text, "__name__") == 0)
			at += (size_t)snprintf(out, size, "%s", series->labels[2 * i + 1]->text);
	for (size_t i = 0; i < series->labels_len && at < size; i++) {
		if (strcmp(series->labels[2 * i]->text, "__name__") == 0)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%s=\"%s\"", separator,
				       series->labels[2 * i]->text,
				       series->labels[2 * i + 1]->text);
		separator = ",";
	}
	if (at < size && separator[0] == ',')
		snprintf(out + at, size - at, "}");
}

/* --- Parts of a request ---------------------------------------------------- */

struct stamp { /* A time as it is written: most samples of a request have that of another. */
	int64_t time;
	unsigned size; /* 0: none is kept yet. */
	unsigned char bytes[HEAD_MAX];
};

static void make_stamp(struct stamp *stamp, int64_t time)
{
	unsigned char *end = stamp->bytes + sizeof(stamp->bytes);

	stamp->time = time;
	stamp->size = (unsigned)(end - protobuf_put_number(end, SAMPLE_TIME, (uint64_t)time));
}

/* A 'start' of 0 is left out. */
static unsigned char *put_sample(unsigned char *at, struct stamp *stamp, int64_t start,
				 const struct remote_write_sample *sample)
{
	const unsigned char *end = at;

	at = protobuf_put_fixed64(at, SAMPLE_VALUE, sample->bits);
	if (start != 0)
		at = protobuf_put_number(at, SAMPLE_START, (uint64_t)start);
	if (stamp->size == 0 || stamp->time != sample->time)
		make_stamp(stamp, sample->time);
	at -= stamp->size;
	memcpy(at, stamp->bytes + sizeof(stamp->bytes) - stamp->size, stamp->size);
	return protobuf_put_head(at, SERIES_SAMPLES, end);
}

static size_t plain_size_max(const struct remote_write_series *series)
{
	size_t size = 0;

	for (size_t i = 0; i < 2 * (size_t)series->labels_len; i++)
		size += series->labels[i]->size + 2 * HEAD_MAX;
	return size;
}

static void make_plain(struct remote_write_series *series)
{
	size_t room = plain_size_max(series) + 1;
	unsigned char *text = mc_alloc(room), *at = text + room;

	for (size_t i = series->labels_len; i-- > 0;) {
		const struct symbol *name = series->labels[2 * i],
				    *value = series->labels[2 * i + 1];
		const unsigned char *end = at;

		at = protobuf_put_text(at, LABEL_VALUE, value->text, value->size);
		at = protobuf_put_text(at, LABEL_NAME, name->text, name->size);
		at = protobuf_put_head(at, SERIES_LABELS, end);
	}
	series->plain_size = (uint32_t)(text + room - at);
	series->plain = mc_alloc(series->plain_size + 1);
	memcpy(series->plain, at, series->plain_size);
	free(text);
}

static unsigned char *put_numbers(unsigned char *at, struct symbols *symbols,
				  const struct remote_write_series *series)
{
	const unsigned char *end = at;

	for (size_t i = 2 * (size_t)series->labels_len; i-- > 0;)
		at = protobuf_put_varint(at, symbols_number(symbols, series->labels[i]));
	return protobuf_put_head(at, SERIES_LABELS, end);
}

static unsigned char *put_metadata(unsigned char *at, struct symbols *symbols,
				   const struct remote_write_series *series)
{
	const unsigned char *end = at;

	if (series->unit != NULL)
		at = protobuf_put_number(at, METADATA_UNIT, symbols_number(symbols, series->unit));
	if (series->help != NULL)
		at = protobuf_put_number(at, METADATA_HELP, symbols_number(symbols, series->help));
	at = protobuf_put_number(at, METADATA_TYPE, series->type);
	return protobuf_put_head(at, SERIES_METADATA, end);
}

/* --- Metadata of version 1.0 ------------------------------------------------ */

static struct symbol *name_of(const struct remote_write_series *series)
{
	for (size_t i = 0; i < series->labels_len; i++)
		if (strcmp(series->labels[2 * i]->text, "__name__") == 0)
			return series->labels[2 * i + 1];
	return NULL;
}

/* The size of a metric's name without what a part of a histogram or summary has at its end. */
static size_t family_size(const struct remote_write_series *series, const struct symbol *name)
{
	static const char *const ends[] = { "_bucket", "_count", "_sum" };

	if (series->type != REMOTE_WRITE_HISTOGRAM && series->type != REMOTE_WRITE_SUMMARY)
		return name->size;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t size = strlen(ends[i]);

		if (name->size > size && strcmp(name->text + name->size - size, ends[i]) == 0)
			return name->size - size;
	}
	return name->size;
}

/* The metric to be described now; NULL: it has been. */
static struct symbol *undescribed(const struct symbols *symbols, struct remote_write_series *series)
{
	struct symbol *name;

	if (series->described == symbols->turn)
		return NULL;
	series->described = symbols->turn;
	name = name_of(series);
	if (name == NULL || name->described == symbols->turn)
		return NULL;
	name->described = symbols->turn;
	return name;
}

static unsigned char *put_metric(unsigned char *at, const struct remote_write_series *series,
				 const struct symbol *name)
{
	const unsigned char *end = at;

	if (series->unit != NULL)
		at = protobuf_put_text(at, METRIC_UNIT, series->unit->text, series->unit->size);
	if (series->help != NULL)
		at = protobuf_put_text(at, METRIC_HELP, series->help->text, series->help->size);
	at = protobuf_put_text(at, METRIC_NAME, name->text, family_size(series, name));
	at = protobuf_put_number(at, METRIC_TYPE, series->type);
	return protobuf_put_head(at, REQUEST_METADATA, end);
}

/* --- Requests -------------------------------------------------------------- */

struct writing {
	struct remote_write_buffer *buffer;
	struct symbols *symbols;
	enum remote_write_version version;
	unsigned char *at; /* The begin of the written bytes. */
	struct stamp stamp;
};

static void grow(struct writing *writing, size_t size)
{
	struct remote_write_buffer *buffer = writing->buffer;
	size_t written = (size_t)(buffer->at + buffer->room - writing->at);
	size_t room = buffer->room > 0 ? buffer->room : 4096;
	unsigned char *bytes;

	while (room - written < size)
		room *= 2;
	bytes = mc_alloc(room);
	if (written > 0)
		memcpy(bytes + room - written, writing->at, written);
	free(buffer->at);
	*buffer = (struct remote_write_buffer){ bytes, room };
	writing->at = bytes + room - written;
}

/* Makes room for 'size' bytes in front. */
static inline void reserve(struct writing *writing, size_t size)
{
	if ((size_t)(writing->at - writing->buffer->at) < size || writing->buffer->room == 0)
		grow(writing, size);
}

static void put_metric_once(struct writing *writing, struct remote_write_series *series)
{
	const struct symbol *name = undescribed(writing->symbols, series);

	if (name == NULL)
		return;
	reserve(writing, 6 * HEAD_MAX + name->size +
				 (series->help != NULL ? series->help->size : 0) +
				 (series->unit != NULL ? series->unit->size : 0));
	writing->at = put_metric(writing->at, series, name);
}

/* Writes samples of one series. */
static void put_series(struct writing *writing, const struct remote_write_sample *samples,
		       size_t len)
{
	struct remote_write_series *series = samples->series;
	bool plain = writing->version == REMOTE_WRITE_1;
	unsigned char *at;
	const unsigned char *end;

	if (plain && series->plain == NULL)
		make_plain(series);
	reserve(writing,
		len * SAMPLE_MAX + 3 * HEAD_MAX + 3 * NUMBER_MAX +
			(plain ? series->plain_size : 2 * (size_t)series->labels_len * NUMBER_MAX));
	at = writing->at;
	end = at;
	if (plain)
		at = protobuf_put_raw(at, series->plain, series->plain_size);
	else
		at = put_numbers(at, writing->symbols, series);
	for (size_t i = len; i-- > 0;)
		at = put_sample(at, &writing->stamp, plain ? 0 : series->start, &samples[i]);
	if (!plain)
		at = put_metadata(at, writing->symbols, series);
	writing->at = protobuf_put_head(at, plain ? REQUEST_SERIES_1 : REQUEST_SERIES_2, end);
	if (plain)
		put_metric_once(writing, series);
}

static void put_symbols(struct writing *writing)
{
	struct symbols *symbols = writing->symbols;

	for (uint32_t i = symbols->used_len; i-- > 0;) {
		const struct symbol *symbol = symbols->used[i];

		reserve(writing, symbol->size + HEAD_MAX);
		writing->at =
			protobuf_put_text(writing->at, REQUEST_SYMBOLS, symbol->text, symbol->size);
	}
	reserve(writing, HEAD_MAX);
	writing->at = protobuf_put_text(writing->at, REQUEST_SYMBOLS, "", 0);
}

struct remote_write_bytes remote_write_encode(struct remote_write_buffer *buffer,
					      struct symbols *symbols,
					      enum remote_write_version version,
					      const struct remote_write_sample *samples, size_t len)
{
	struct writing writing = {
		.buffer = buffer,
		.symbols = symbols,
		.version = version,
		.at = buffer->at + buffer->room,
	};

	symbols_begin(symbols);
	while (len > 0) {
		size_t end = len;

		while (--len > 0 && samples[len - 1].series == samples[end - 1].series)
			;
		put_series(&writing, &samples[len], end - len);
	}
	if (version == REMOTE_WRITE_2)
		put_symbols(&writing);
	return (struct remote_write_bytes){
		.at = writing.at,
		.size = (size_t)(buffer->at + buffer->room - writing.at),
	};
}

void remote_write_buffer_free(struct remote_write_buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct remote_write_buffer){ NULL, 0 };
}
