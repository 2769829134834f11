/* SPDX-License-Identifier: MIT */
/* Writing OTLP, host by host.  What is not written by a plan is sorted first
 * (otlp_sort.h), into the order in which protobuf.h writes: backwards.  So one
 * walk does it.  What a sample takes at most is added up while sorting; so
 * writing looks at no limit any more. */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "wire/otlp_sort.h"
#include "wire/protobuf.h"

struct mc_otlp_writer *mc_otlp_writer_new(size_t size_max)
{
	struct mc_otlp_writer *writer = alloc_zero(sizeof(*writer));

	assert(size_max >= MC_OTLP_SIZE_MIN);
	writer->size_max = size_max;
	return writer;
}

void mc_otlp_writer_free(struct mc_otlp_writer *writer)
{
	if (writer == NULL)
		return;
	free(writer->entries.items);
	free(writer->metrics.items);
	free(writer->scopes.items);
	free(writer->resources.items);
	otlp_labels_done(&writer->labels);
	free(writer->places.items);
	free(writer->whole.items);
	otlp_encoding_done(&writer->encodings);
	free(writer->bytes);
	free(writer);
}

void mc_otlp_writer_label(
	struct mc_otlp_writer *writer, struct mc_ctx *ctx,
	unsigned (*each)(struct mc_ctx *, const char *host,
			 void (*visit)(void *argument, const struct mc_field *),
			 void *argument))
{
	writer->labels.ctx = ctx;
	writer->labels.each = each;
}

void otlp_write_rates(struct mc_otlp_writer *writer)
{
	writer->encodings.rates = true;
}

/* --- Points -------------------------------------------------------------- */

struct key { /* The field "key" of an attribute. */
	const char *bytes;
	size_t size;
};
#define KEY(size_escape, text)                                                 \
	{                                                                      \
		"\x0a" size_escape text, 2 + sizeof(text) - 1                  \
	}

static const struct key key_host = KEY("\x09", OTLP_KEY_HOST);
static const struct key key_kind = KEY("\x0e", OTLP_KEY_KIND);
static const struct key key_interval = KEY("\x12", OTLP_KEY_INTERVAL);
static const struct key key_plugin = KEY("\x06", OTLP_KEY_PLUGIN);
static const struct key key_type = KEY("\x04", OTLP_KEY_TYPE);
static const struct key key_source = KEY("\x06", OTLP_KEY_SOURCE);
static const struct key key_plugin_instance =
	KEY("\x0f", OTLP_KEY_PLUGIN_INSTANCE);
static const struct key key_type_instance = KEY("\x0d", OTLP_KEY_TYPE_INSTANCE);

#define OTLP_FIELD_HEADS 16 /* Of an attribute, at most. */
#define SHORT_MAX 96        /* Text with which every size is one byte. */

static unsigned char *put_long_attribute(unsigned char *at, unsigned field,
					 const struct key *key,
					 const char *text, size_t size)
{
	unsigned char *end = at;

	at = protobuf_put_text(at, OTLP_ANY_STRING, text, size);
	at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
	at = protobuf_put_raw(at, key->bytes, key->size);
	return protobuf_put_head(at, field, end);
}

/* Nearly all that is written is this; so it is inlined for every key. */
static inline unsigned char *put_attribute(unsigned char *at, unsigned field,
					   const struct key *key,
					   const char *text, size_t size)
{
	unsigned char sizes[] = {
		OTLP_TAG(OTLP_PAIR_VALUE, OTLP_BYTES),
		(unsigned char)(size + 2),
		OTLP_TAG(OTLP_ANY_STRING, OTLP_BYTES),
		(unsigned char)size,
	};

	if (size > SHORT_MAX)
		return put_long_attribute(at, field, key, text, size);
	at = protobuf_put_raw(at, text, size);
	at = protobuf_put_raw(at, sizes, sizeof(sizes));
	at = protobuf_put_raw(at, key->bytes, key->size);
	*--at = (unsigned char)(key->size + sizeof(sizes) + size);
	*--at = (unsigned char)OTLP_TAG(field, OTLP_BYTES);
	return at;
}

/* What names the series in each point of a sample. */
static unsigned char *put_instances(unsigned char *at,
				    const struct otlp_entry *entry)
{
	if (entry->type_instance_size > 0)
		at = put_attribute(at, OTLP_POINT_ATTRIBUTES,
				   &key_type_instance, entry->type_instance,
				   entry->type_instance_size);
	if (entry->plugin_instance_size > 0)
		at = put_attribute(at, OTLP_POINT_ATTRIBUTES,
				   &key_plugin_instance, entry->plugin_instance,
				   entry->plugin_instance_size);
	return at;
}

/* The sources from 'first' to before 'end' of the samples from the newest on,
 * one or all of them, as a metric. */
struct part {
	unsigned first, end;
	uint32_t newest;
	bool all;
};

/* For the next batch of that kind. */
static void learn_place(const struct mc_otlp_writer *writer,
			const unsigned char *at, const struct otlp_entry *entry,
			unsigned source)
{
	uint32_t *places = writer->places.items;

	places[entry->place + source] =
		(uint32_t)(writer->bytes + writer->room - at);
}

static unsigned char *put_rate(unsigned char *at,
			       const struct mc_sample *sample, unsigned source)
{
	uint64_t bits =
		htole64(sample->values[sample->values_len + source].counter);

	at = protobuf_put_raw(at, &bits, sizeof(bits));
	return protobuf_put_varint(at, OTLP_TAG(OTLP_POINT_RATE, OTLP_64BIT));
}

/* The points of the sources of that part, of one sample. */
static unsigned char *put_points(const struct mc_otlp_writer *writer,
				 unsigned char *at,
				 const struct otlp_entry *entry,
				 const struct mc_type *type,
				 const struct part *part)
{
	const struct mc_sample *sample = entry->sample;
	const unsigned char *instances = NULL;
	size_t size = 0;

	for (unsigned i = part->end; i-- > part->first;) {
		const struct mc_source *source = &type->sources[i];
		unsigned char *point_end = at;

		if (type->sources_len > 1)
			at = put_attribute(at, OTLP_POINT_ATTRIBUTES,
					   &key_source, source->name,
					   strlen(source->name));
		if (instances == NULL) {
			unsigned char *instances_end = at;

			instances = at = put_instances(at, entry);
			size = instances_end - at;
		} else {
			at = protobuf_put_raw(at, instances, size);
		}
		if (writer->encodings.rates && source->kind != MC_GAUGE)
			at = put_rate(at, sample, i);
		at = protobuf_put_fixed64(at,
					  source->kind == MC_GAUGE
						  ? OTLP_POINT_DOUBLE
						  : OTLP_POINT_INT,
					  sample->values[i].counter);
		at = protobuf_put_fixed64(at, OTLP_POINT_TIME, sample->time);
		if (writer->learning)
			learn_place(writer, at, entry, i);
		if (source->kind == MC_ABSOLUTE)
			at = protobuf_put_fixed64(at, OTLP_POINT_START,
						  sample->time -
							  sample->interval);
		at = protobuf_put_head(at, OTLP_DATA_POINTS, point_end);
	}
	return at;
}

/* --- Metrics, scopes, resources ------------------------------------------ */

/* The metadata.  That of the interval is the same for nearly all metrics. */
static unsigned char *put_metric_tail(struct mc_otlp_writer *writer,
				      unsigned char *at,
				      const struct otlp_metric *metric,
				      enum mc_kind kind)
{
	const char *name = otlp_kind_names[kind];
	unsigned char *end = writer->interval_bytes + OTLP_INTERVAL_SIZE;
	unsigned char *begin = end;

	if (writer->interval_size == 0 ||
	    metric->interval != writer->interval) {
		begin = protobuf_put_number(begin, OTLP_ANY_INT,
					    metric->interval);
		begin = protobuf_put_head(begin, OTLP_PAIR_VALUE, end);
		begin = protobuf_put_raw(begin, key_interval.bytes,
					 key_interval.size);
		begin = protobuf_put_head(begin, OTLP_METRIC_METADATA, end);
		writer->interval = metric->interval;
		writer->interval_size = end - begin;
	}
	at = protobuf_put_raw(at, end - writer->interval_size,
			      writer->interval_size);
	return put_attribute(at, OTLP_METRIC_METADATA, &key_kind, name,
			     strlen(name));
}

static unsigned char *put_metric_head(unsigned char *at,
				      const struct otlp_metric *metric,
				      const struct otlp_scope *scope,
				      enum mc_kind kind)
{
	unsigned char *end = otlp_unit_put(at, metric->unit, kind);

	at = end;
	at = protobuf_put_raw(at, metric->type->name, metric->type_size);
	*--at = '.';
	at = protobuf_put_raw(at, scope->plugin, scope->plugin_size);
	return protobuf_put_head(at, OTLP_METRIC_NAME, end);
}

static unsigned char *put_metric(struct mc_otlp_writer *writer,
				 unsigned char *at,
				 const struct otlp_metric *metric,
				 const struct otlp_scope *scope,
				 struct part part)
{
	const struct mc_source *source = &metric->type->sources[part.first];
	unsigned char *end = at, *data_end;
	uint32_t index = part.newest;

	at = data_end = put_metric_tail(writer, at, metric, source->kind);
	if (source->kind != MC_GAUGE) {
		if (otlp_sort_monotonic(source))
			at = protobuf_put_number(at, OTLP_SUM_MONOTONIC, 1);
		at = protobuf_put_number(at, OTLP_SUM_TEMPORALITY,
					 source->kind == MC_ABSOLUTE
						 ? OTLP_DELTA
						 : OTLP_CUMULATIVE);
	}
	do {
		const struct otlp_entry *entry =
			OTLP_AT(writer->entries, entry, index);

		at = put_points(writer, at, entry, metric->type, &part);
		index = part.all ? entry->older : 0;
	} while (index != 0);
	at = protobuf_put_head(at,
			       source->kind == MC_GAUGE ? OTLP_METRIC_GAUGE
							: OTLP_METRIC_SUM,
			       data_end);
	at = put_metric_head(at, metric, scope, source->kind);
	return protobuf_put_head(at, OTLP_SCOPES_ITEMS, end);
}

/* All samples of the metric; one by one, and source by source, if its sources
 * are of several kinds: OTLP has one kind for a metric. */
static unsigned char *put_samples(struct mc_otlp_writer *writer,
				  unsigned char *at,
				  const struct otlp_metric *metric,
				  const struct otlp_scope *scope)
{
	struct part part = { 0, metric->type->sources_len, metric->newest,
			     true };

	if (!metric->mixed)
		return part.newest != 0
			       ? put_metric(writer, at, metric, scope, part)
			       : at;
	part.all = false;
	while (part.newest != 0) {
		for (unsigned i = metric->type->sources_len; i-- > 0;) {
			part.first = i;
			part.end = i + 1;
			at = put_metric(writer, at, metric, scope, part);
		}
		part.newest =
			OTLP_AT(writer->entries, entry, part.newest)->older;
	}
	return at;
}

static unsigned char *put_scope_head(unsigned char *at, const char *name,
				     size_t size)
{
	unsigned char *end = at;

	at = protobuf_put_raw(at, name, size);
	at = protobuf_put_raw(at, OTLP_SCOPE, sizeof(OTLP_SCOPE) - 1);
	at = protobuf_put_head(at, OTLP_SCOPE_NAME, end);
	return protobuf_put_head(at, OTLP_SCOPES_SCOPE, end);
}

static unsigned char *put_scope(struct mc_otlp_writer *writer,
				unsigned char *at,
				const struct otlp_scope *scope)
{
	unsigned char *end = at;

	for (uint32_t i = scope->newest; i != 0;) {
		const struct otlp_metric *metric =
			OTLP_AT(writer->metrics, metric, i);

		at = put_samples(writer, at, metric, scope);
		i = metric->older;
	}
	if (at == end)
		return at; /* Of a sample that had no room. */
	at = put_scope_head(at, scope->plugin, scope->plugin_size);
	return protobuf_put_head(at, OTLP_RESOURCES_SCOPES, end);
}

static unsigned char *put_resource_head(unsigned char *at, const char *host,
					size_t size, const void *labels,
					size_t labels_size)
{
	unsigned char *end = at;

	if (labels_size > 0)
		at = protobuf_put_raw(at, labels, labels_size);
	at = put_attribute(at, OTLP_RESOURCE_ATTRIBUTES, &key_host, host, size);
	return protobuf_put_head(at, OTLP_RESOURCES_RESOURCE, end);
}

static unsigned char *put_resource(struct mc_otlp_writer *writer,
				   unsigned char *at,
				   const struct otlp_resource *resource)
{
	unsigned char *end = at;

	for (uint32_t i = resource->newest; i != 0;) {
		const struct otlp_scope *scope =
			OTLP_AT(writer->scopes, scope, i);

		at = put_scope(writer, at, scope);
		i = scope->older;
	}
	if (at == end)
		return at;
	at = put_resource_head(at, resource->host, resource->host_size,
			       writer->labels.bytes + resource->labels,
			       resource->labels_size);
	return protobuf_put_head(at, OTLP_REQUEST_RESOURCES, end);
}

/* --- Requests ------------------------------------------------------------ */

/* The end of a buffer that has room for what is to be written. */
static unsigned char *make_room(struct mc_otlp_writer *writer, size_t size)
{
	if (size > writer->room) {
		size_t room = 2 * writer->room;

		if (room < 4096)
			room = 4096;
		if (room < size)
			room = size;
		free(writer->bytes);
		writer->bytes = alloc_resize(NULL, room, 1);
		writer->room = room;
	}
	return writer->bytes + writer->room;
}

/* Writes what was sorted. */
static void write_sorted(struct mc_otlp_writer *writer,
			 struct mc_otlp_bytes *out)
{
	unsigned char *at, *end;

	at = end = make_room(writer, writer->size);
	for (uint32_t i = writer->resources.len; i > 0; i--)
		at = put_resource(writer, at,
				  OTLP_AT(writer->resources, resource, i));
	assert(at >= writer->bytes && (size_t)(end - at) <= writer->size_max);
	*out = (struct mc_otlp_bytes){ at, end - at, writer->entries.len };
}

/* Sorts in what follows 'last', as far as it is of one host and has room. */
static const struct mc_sample *sort_host(struct mc_otlp_writer *writer,
					 const struct mc_batch *batch,
					 const struct mc_sample *last)
{
	const struct mc_sample *next = mc_next(batch, last), *sorted = NULL;
	const char *name;
	size_t size;

	if (next == NULL)
		return NULL;
	name = mc_name(next->series);
	size = (size_t)(strchr(name, '/') - name) + 1;
	while (next != NULL &&
	       strncmp(mc_name(next->series), name, size) == 0 &&
	       otlp_sort_in(writer, next)) {
		sorted = next;
		next = mc_next(batch, next);
	}
	return sorted;
}

const struct mc_sample *otlp_write_piece(struct mc_otlp_writer *writer,
					 const struct mc_batch *batch,
					 const struct mc_sample *last,
					 struct mc_otlp_bytes *out)
{
	struct otlp_encoding_part part = { batch, last };
	const struct mc_sample *sorted;

	sorted = otlp_encoding_use(&writer->encodings, &part, &writer->labels,
				   out, &writer->learning);
	if (sorted != NULL)
		return sorted;
	otlp_sort_begin(writer);
	sorted = sort_host(writer, batch, last);
	write_sorted(writer, out);
	if (writer->learning && sorted != NULL)
		otlp_encoding_learn(&writer->encodings, &part,
				    &(struct otlp_recording){
					    .bytes = *out,
					    .places = writer->places.items,
					    .places_len = writer->places.len,
					    .labels = writer->labels.bytes,
					    .labels_size = writer->labels.size,
				    });
	return sorted;
}

static void gather(struct mc_otlp_writer *writer,
		   const struct mc_otlp_bytes *piece)
{
	struct otlp_table *whole = &writer->whole;

	if (whole->room - whole->len < piece->size) {
		whole->room = whole->room * 2 + (uint32_t)piece->size;
		whole->items = alloc_resize(whole->items, whole->room, 1);
	}
	memcpy((char *)whole->items + whole->len, piece->at, piece->size);
	whole->len += (uint32_t)piece->size;
}

const struct mc_sample *mc_otlp_write(struct mc_otlp_writer *writer,
				      const struct mc_batch *batch,
				      const struct mc_sample *last,
				      struct mc_otlp_bytes *out)
{
	const struct mc_sample *sorted = NULL, *next;
	struct mc_otlp_bytes piece;
	unsigned samples_len = 0;

	writer->whole.len = 0;
	while ((next = otlp_write_piece(writer, batch, last, &piece)) != NULL &&
	       piece.size <= writer->size_max - writer->whole.len) {
		sorted = last = next;
		if (samples_len == 0 && mc_next(batch, last) == NULL) {
			*out = piece; /* It is all. */
			return sorted;
		}
		gather(writer, &piece);
		samples_len += piece.samples_len;
	}
	*out = (struct mc_otlp_bytes){ writer->whole.items, writer->whole.len,
				       samples_len };
	return sorted;
}

/* --- Notifications ------------------------------------------------------- */

/* Copies a part of a name that may be of others; returns its size.  Text of
 * others is not always UTF-8, which protobuf wants: a receiver that is strict
 * refuses the whole request. */
static size_t mend_part(char out[OTLP_PART_MAX], const char *text)
{
	size_t size = text_fit(text, OTLP_PART_MAX);

	memcpy(out, text, size);
	text_mend(out, size);
	return size;
}

static unsigned char *put_part(unsigned char *at, const struct key *key,
			       const char *text)
{
	char part[OTLP_PART_MAX];
	size_t size;

	if (text == NULL || *text == '\0')
		return at;
	size = mend_part(part, text);
	return put_attribute(at, OTLP_LOG_ATTRIBUTES, key, part, size);
}

static unsigned char *put_mended(unsigned char *at, unsigned field,
				 const char *text, size_t size)
{
	at = protobuf_put_raw(at, text, size);
	text_mend((char *)at, size);
	return protobuf_put_head(at, field, at + size);
}

/* Each as an attribute of its own name. */
static unsigned char *put_fields(unsigned char *at,
				 const struct mc_notification *notification)
{
	unsigned len = notification->fields_len;

	if (len > MC_FIELDS_MAX)
		len = MC_FIELDS_MAX;
	while (len-- > 0) {
		const struct mc_field *field = &notification->fields[len];
		unsigned char *end = at;

		at = put_mended(at, OTLP_ANY_STRING, field->value,
				text_fit(field->value, MC_OTLP_FIELD_SIZE - 1));
		at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
		at = put_mended(at, OTLP_PAIR_KEY, field->name,
				text_fit(field->name, OTLP_PART_MAX));
		at = protobuf_put_head(at, OTLP_LOG_ATTRIBUTES, end);
	}
	return at;
}

static unsigned char *put_record(unsigned char *at,
				 const struct mc_notification *notification)
{
	const char *message =
		notification->message != NULL ? notification->message : "";
	unsigned number = OTLP_INFO;
	const char *severity = "OKAY";
	unsigned char *end = at;

	if (notification->severity != MC_OKAY) {
		bool failure = notification->severity == MC_FAILURE;

		number = failure ? OTLP_ERROR : OTLP_WARN;
		severity = failure ? "FAILURE" : "WARNING";
	}
	at = put_fields(at, notification);
	at = put_part(at, &key_type_instance, notification->id.type_instance);
	at = put_part(at, &key_type, notification->id.type);
	at = put_part(at, &key_plugin_instance,
		      notification->id.plugin_instance);
	at = put_part(at, &key_plugin, notification->id.plugin);

	unsigned char *body_end = at;

	at = put_mended(at, OTLP_ANY_STRING, message,
			text_fit(message, MC_OTLP_MESSAGE_SIZE - 1));
	at = protobuf_put_head(at, OTLP_LOG_BODY, body_end);
	at = protobuf_put_text(at, OTLP_LOG_SEVERITY_TEXT, severity,
			       strlen(severity));
	at = protobuf_put_number(at, OTLP_LOG_SEVERITY, number);
	at = protobuf_put_fixed64(at, OTLP_LOG_TIME, notification->time);
	return protobuf_put_head(at, OTLP_SCOPES_ITEMS, end);
}

void mc_otlp_write_notification(struct mc_otlp_writer *writer,
				const struct mc_notification *notification,
				struct mc_otlp_bytes *out)
{
	static const char scope[] = "notification";
	char host[OTLP_PART_MAX];
	size_t host_size = mend_part(host, notification->id.host != NULL
						   ? notification->id.host
						   : "");
	unsigned char *end =
		make_room(writer, 2 * MC_OTLP_MESSAGE_SIZE +
					  MC_FIELDS_MAX * (MC_OTLP_FIELD_SIZE +
							   OTLP_PART_MAX +
							   OTLP_FIELD_HEADS));
	unsigned char *at = put_record(end, notification);

	at = put_scope_head(at, scope, sizeof(scope) - 1);
	at = protobuf_put_head(at, OTLP_RESOURCES_SCOPES, end);
	at = put_resource_head(at, host, host_size, "", 0);
	at = protobuf_put_head(at, OTLP_REQUEST_RESOURCES, end);
	*out = (struct mc_otlp_bytes){ at, end - at, 0 };
}
