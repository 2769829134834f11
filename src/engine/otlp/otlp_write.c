/* SPDX-License-Identifier: MIT */
/* Writing OTLP, host by host.  Samples not written by a plan are sorted first (otlp_sort.h), into
 * the order in which protobuf.h writes: backwards.  So one walk does it.  The largest sizes of
 * samples are added up while sorting; so writing looks at no limit any more. */
#include "engine/otlp/otlp_write.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/otlp/foreign/otlp_foreign_point.h"
#include "engine/otlp/otlp_sort.h"
#include "formats/otlp/otlp_attribute.h"
#include "formats/protobuf.h"
#include "model/series.h"

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
	free(writer->foreign.items);
	free(writer->conventional);
	otlp_labels_done(&writer->labels);
	free(writer->descriptions.items);
	free(writer->labelled.items);
	free(writer->changes.items);
	free(writer->places.items);
	free(writer->conversions.items);
	free(writer->whole.items);
	otlp_encoding_done(&writer->encodings);
	free(writer->bytes);
	free(writer);
}

void mc_otlp_writer_label(struct mc_otlp_writer *writer, struct mc_ctx *ctx,
			  unsigned (*each)(struct mc_ctx *, const char *host,
					   void (*visit)(void *argument, const struct mc_field *),
					   void *argument))
{
	writer->labels.ctx = ctx;
	writer->labels.each = each;
}

void mc_otlp_writer_conventions(struct mc_otlp_writer *writer)
{
	writer->conventional = alloc_zero(sizeof(*writer->conventional));
}

void otlp_write_rates(struct mc_otlp_writer *writer)
{
	writer->encodings.rates = true;
}

/* --- Points -------------------------------------------------------------- */

static const struct otlp_key key_host = OTLP_KEY("\x09", OTLP_KEY_HOST);
static const struct otlp_key key_kind = OTLP_KEY("\x0e", OTLP_KEY_KIND);
static const struct otlp_key key_source = OTLP_KEY("\x06", OTLP_KEY_SOURCE);
static const struct otlp_key key_plugin_instance = OTLP_KEY("\x0f", OTLP_KEY_PLUGIN_INSTANCE);
static const struct otlp_key key_type_instance = OTLP_KEY("\x0d", OTLP_KEY_TYPE_INSTANCE);

/* Attributes that name the series in each point of a sample. */
static unsigned char *put_instances(unsigned char *at, const struct otlp_entry *entry)
{
	if (entry->type_instance_size > 0)
		at = otlp_attribute_put(at, OTLP_POINT_ATTRIBUTES, &key_type_instance,
					entry->type_instance, entry->type_instance_size);
	if (entry->plugin_instance_size > 0)
		at = otlp_attribute_put(at, OTLP_POINT_ATTRIBUTES, &key_plugin_instance,
					entry->plugin_instance, entry->plugin_instance_size);
	return at;
}

/* Attributes beside those: they come last, so that a reader has the name at once. */
static unsigned char *put_labels(unsigned char *at, const struct mc_metric_labels *labels)
{
	for (size_t i = labels->len; i-- > 0;)
		if (!otlp_names_series(otlp_literal(labels->items[i].name)))
			at = otlp_foreign_labels_put(
				at, OTLP_POINT_ATTRIBUTES,
				&(struct mc_metric_labels){ &labels->items[i], 1 });
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
static void learn_place(const struct mc_otlp_writer *writer, const unsigned char *at,
			const struct otlp_entry *entry, unsigned source)
{
	uint32_t *places = writer->places.items;

	places[entry->place + source] = (uint32_t)(writer->bytes + writer->room - at);
}

static unsigned char *put_rate(unsigned char *at, const struct mc_sample *sample, unsigned source)
{
	uint64_t bits = htole64(sample->values[sample->values_len + source].counter);

	at = protobuf_put_raw(at, &bits, sizeof(bits));
	return protobuf_put_varint(at, PROTOBUF_TAG(OTLP_POINT_RATE, PROTOBUF_64BIT));
}

/* The points of the sources of that part, of one sample. */
static unsigned char *put_points(const struct mc_otlp_writer *writer, unsigned char *at,
				 const struct otlp_entry *entry, const struct mc_type *type,
				 const struct part *part)
{
	const struct mc_sample *sample = entry->sample;
	const unsigned char *instances = NULL;
	size_t size = 0;

	for (unsigned i = part->end; i-- > part->first;) {
		const struct mc_source *source = &type->sources[i];
		unsigned char *point_end = at;

		if (entry->labelled != 0)
			at = put_labels(at, &OTLP_LABELLED_AT(writer, entry->labelled)->labels);
		if (type->sources_len > 1)
			at = otlp_attribute_put(at, OTLP_POINT_ATTRIBUTES, &key_source,
						source->name, strlen(source->name));
		if (instances == NULL) {
			unsigned char *instances_end = at;

			instances = at = put_instances(at, entry);
			size = instances_end - at;
		} else {
			at = protobuf_put_raw(at, instances, size);
		}
		if (writer->encodings.rates && source->kind != MC_GAUGE)
			at = put_rate(at, sample, i);
		at = protobuf_put_fixed64(
			at, source->kind == MC_GAUGE ? OTLP_POINT_DOUBLE : OTLP_POINT_INT,
			sample->values[i].counter);
		at = protobuf_put_fixed64(at, OTLP_POINT_TIME, sample->time);
		if (writer->learning)
			learn_place(writer, at, entry, i);
		if (source->kind == MC_ABSOLUTE)
			at = protobuf_put_fixed64(at, OTLP_POINT_START,
						  sample->time - sample->interval);
		at = protobuf_put_head(at, OTLP_DATA_POINTS, point_end);
	}
	return at;
}

/* --- Metrics, scopes, resources ------------------------------------------ */

/* The metadata. */
static unsigned char *put_metric_tail(struct mc_otlp_writer *writer, unsigned char *at,
				      const struct otlp_metric *metric, enum mc_kind kind)
{
	const char *name = otlp_kind_names[kind];

	at = otlp_interval_put(at, &writer->interval, metric->interval);
	return otlp_attribute_put(at, OTLP_METRIC_METADATA, &key_kind, name, strlen(name));
}

/* With what is known of it, or of that source of it. */
static unsigned char *put_metric_head(struct mc_otlp_writer *writer, unsigned char *at,
				      const struct otlp_metric *metric,
				      const struct otlp_scope *scope, unsigned source)
{
	enum mc_kind kind = metric->type->sources[source].kind;
	const struct otlp_unit *unit = otlp_unit_find(writer->units, metric->type);
	unsigned char *end;

	if (metric->descriptions == 0)
		at = otlp_unit_put(at, unit, kind);
	else
		at = otlp_describe_put(
			at,
			OTLP_AT(writer->descriptions, description, metric->descriptions + source),
			unit, kind);
	end = at;
	at = protobuf_put_raw(at, metric->type->name, metric->type_size);
	*--at = '.';
	at = protobuf_put_raw(at, scope->plugin, scope->plugin_size);
	return protobuf_put_head(at, OTLP_METRIC_NAME, end);
}

static unsigned char *put_metric(struct mc_otlp_writer *writer, unsigned char *at,
				 const struct otlp_metric *metric, const struct otlp_scope *scope,
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
					 source->kind == MC_ABSOLUTE ? OTLP_DELTA
								     : OTLP_CUMULATIVE);
	}
	do {
		const struct otlp_entry *entry = OTLP_AT(writer->entries, entry, index);

		at = put_points(writer, at, entry, metric->type, &part);
		index = part.all ? entry->older : 0;
	} while (index != 0);
	at = protobuf_put_head(at, source->kind == MC_GAUGE ? OTLP_METRIC_GAUGE : OTLP_METRIC_SUM,
			       data_end);
	at = put_metric_head(writer, at, metric, scope, part.first);
	return protobuf_put_head(at, OTLP_SCOPES_ITEMS, end);
}

/* All samples of the metric; one by one, and source by source, if its sources
 * are of several kinds: OTLP has one kind for a metric. */
static unsigned char *put_samples(struct mc_otlp_writer *writer, unsigned char *at,
				  const struct otlp_metric *metric, const struct otlp_scope *scope)
{
	struct part part = { 0, metric->type->sources_len, metric->newest, true };

	if (!metric->mixed)
		return part.newest != 0 ? put_metric(writer, at, metric, scope, part) : at;
	part.all = false;
	while (part.newest != 0) {
		for (unsigned i = metric->type->sources_len; i-- > 0;) {
			part.first = i;
			part.end = i + 1;
			at = put_metric(writer, at, metric, scope, part);
		}
		part.newest = OTLP_AT(writer->entries, entry, part.newest)->older;
	}
	return at;
}

unsigned char *otlp_write_scope(unsigned char *at, const char *name, size_t size)
{
	unsigned char *end = at;

	at = protobuf_put_raw(at, name, size);
	at = protobuf_put_raw(at, OTLP_SCOPE, sizeof(OTLP_SCOPE) - 1);
	at = protobuf_put_head(at, OTLP_SCOPE_NAME, end);
	return protobuf_put_head(at, OTLP_SCOPES_SCOPE, end);
}

static unsigned char *put_scope(struct mc_otlp_writer *writer, unsigned char *at,
				const struct otlp_scope *scope)
{
	unsigned char *end = at;

	for (uint32_t i = scope->newest; i != 0;) {
		const struct otlp_metric *metric = OTLP_AT(writer->metrics, metric, i);

		at = put_samples(writer, at, metric, scope);
		i = metric->older;
	}
	if (at == end)
		return at; /* Of a sample that had no room. */
	at = otlp_write_scope(at, scope->plugin, scope->plugin_size);
	return protobuf_put_head(at, OTLP_RESOURCES_SCOPES, end);
}

unsigned char *otlp_write_resource(unsigned char *at, const char *host, size_t size,
				   const void *labels, size_t labels_size)
{
	unsigned char *end = at;

	if (labels_size > 0)
		at = protobuf_put_raw(at, labels, labels_size);
	at = otlp_attribute_put(at, OTLP_RESOURCE_ATTRIBUTES, &key_host, host, size);
	return protobuf_put_head(at, OTLP_RESOURCES_RESOURCE, end);
}

static unsigned char *put_resource(struct mc_otlp_writer *writer, unsigned char *at,
				   const struct otlp_resource *resource)
{
	unsigned char *end = at;

	for (uint32_t i = resource->newest; i != 0;) {
		const struct otlp_scope *scope = OTLP_AT(writer->scopes, scope, i);

		at = put_scope(writer, at, scope);
		i = scope->older;
	}
	if (at == end)
		return at;
	at = otlp_write_resource(at, resource->host, resource->host_size,
				 writer->labels.bytes + resource->labels, resource->labels_size);
	return protobuf_put_head(at, OTLP_REQUEST_RESOURCES, end);
}

/* --- Requests ------------------------------------------------------------ */

unsigned char *otlp_write_room(struct mc_otlp_writer *writer, size_t size)
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
static void write_sorted(struct mc_otlp_writer *writer, struct mc_otlp_bytes *out)
{
	unsigned char *at, *end;

	at = end = otlp_write_room(writer, writer->size);
	at = otlp_foreign_put(writer, at);
	for (uint32_t i = writer->resources.len; i > 0; i--)
		at = put_resource(writer, at, OTLP_AT(writer->resources, resource, i));
	assert(at >= writer->bytes && (size_t)(end - at) <= writer->size_max);
	*out = (struct mc_otlp_bytes){ at, end - at,
				       writer->entries.len + otlp_foreign_samples(writer) };
	otlp_sort_end(writer);
}

/* Whether there was room for the sample, which then is the last one sorted in. */
static bool sort_in(struct mc_otlp_writer *writer, const struct mc_sample *sample,
		    const struct mc_sample **sorted)
{
	bool full;

	if ((writer->conventional != NULL ||
	     atomic_load_explicit(&sample->series->metric, memory_order_relaxed) != NULL) &&
	    otlp_foreign_add(writer, sample, sorted, &full)) {
		if (full)
			return false;
	} else if (!otlp_sort_in(writer, sample)) {
		return false;
	}
	*sorted = sample;
	return true;
}

/* Whether both are of one host. */
static bool is_same_host(const struct mc_sample *a, const struct mc_sample *b)
{
	const char *name = a->series->name;

	return strncmp(name, b->series->name, (size_t)(strchr(name, '/') - name) + 1) == 0;
}

/* Sorts in what follows 'last', as far as it is of one host and has room. */
static const struct mc_sample *sort_host(struct mc_otlp_writer *writer,
					 const struct mc_batch *batch, const struct mc_sample *last)
{
	const struct mc_sample *first = mc_next(batch, last), *next = first, *sorted = NULL;

	while (next != NULL && is_same_host(first, next) && sort_in(writer, next, &sorted))
		next = mc_next(batch, next);
	return sorted;
}

static const struct mc_sample *write_piece(struct mc_otlp_writer *writer,
					   const struct mc_batch *batch,
					   const struct mc_sample *last, struct mc_otlp_bytes *out)
{
	struct otlp_encoding_part part = { batch, last };
	const struct mc_sample *sorted;

	sorted = otlp_encoding_use(&writer->encodings, &part, &writer->labels, out,
				   &writer->learning);
	if (sorted != NULL)
		return sorted;
	otlp_foreign_begin(writer);
	otlp_sort_begin(writer);
	sorted = sort_host(writer, batch, last);
	while (!otlp_foreign_sort(writer)) { /* Once again, or twice. */
		otlp_sort_end(writer);
		otlp_sort_begin(writer);
		sorted = sort_host(writer, batch, last);
	}
	write_sorted(writer, out);
	if (writer->learning && sorted != NULL)
		otlp_encoding_learn(&writer->encodings, &part,
				    &(struct otlp_recording){
					    .bytes = *out,
					    .places = writer->places.items,
					    .places_len = writer->places.len,
					    .conversions = writer->conversions.items,
					    .changes = writer->changes.items,
					    .labels = writer->labels.bytes,
					    .labels_size = writer->labels.size,
				    });
	return sorted;
}

const struct mc_sample *otlp_write_piece(struct mc_otlp_writer *writer,
					 const struct mc_batch *batch, const struct mc_sample *last,
					 struct mc_otlp_bytes *out)
{
	const struct mc_sample *sorted;

	otlp_labels_of(&writer->labels, batch);
	sorted = write_piece(writer, batch, last, out);
	otlp_labels_of(&writer->labels, NULL);
	return sorted;
}

static void gather(struct mc_otlp_writer *writer, const struct mc_otlp_bytes *piece)
{
	struct otlp_table *whole = &writer->whole;

	if (whole->room - whole->len < piece->size) {
		whole->room = whole->room * 2 + (uint32_t)piece->size;
		whole->items = alloc_resize(whole->items, whole->room, 1);
	}
	memcpy((char *)whole->items + whole->len, piece->at, piece->size);
	whole->len += (uint32_t)piece->size;
}

const struct mc_sample *mc_otlp_write(struct mc_otlp_writer *writer, const struct mc_batch *batch,
				      const struct mc_sample *last, struct mc_otlp_bytes *out)
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
	*out = (struct mc_otlp_bytes){ writer->whole.items, writer->whole.len, samples_len };
	return sorted;
}

const struct mc_sample *mc_otlp_write_host(struct mc_otlp_writer *writer,
					   const struct mc_batch *batch,
					   const struct mc_sample *last, struct mc_otlp_bytes *out)
{
	return otlp_write_piece(writer, batch, last, out);
}

/* Sorts in the first of the samples, as far as they are of one host and have room; returns how
 * many. */
static size_t sort_samples(struct mc_otlp_writer *writer, const struct mc_sample *const *samples,
			   size_t len)
{
	const struct mc_sample *sorted = NULL;
	size_t taken = 0;

	while (taken < len && is_same_host(samples[0], samples[taken]) &&
	       sort_in(writer, samples[taken], &sorted))
		taken++;
	while (taken > 0 && samples[taken - 1] != sorted)
		taken--; /* Of a point that has no room as a whole. */
	return taken;
}

void mc_otlp_write_samples(struct mc_otlp_writer *writer, const struct mc_sample *const *samples,
			   size_t len, struct mc_otlp_bytes *out)
{
	struct mc_otlp_bytes piece;
	unsigned samples_len = 0;
	size_t taken;

	writer->whole.len = 0;
	writer->learning = false;
	for (; len > 0; samples += taken, len -= taken) {
		otlp_foreign_begin(writer);
		otlp_sort_begin(writer);
		taken = sort_samples(writer, samples, len);
		while (!otlp_foreign_sort(writer)) {
			otlp_sort_end(writer);
			otlp_sort_begin(writer);
			taken = sort_samples(writer, samples, len);
		}
		write_sorted(writer, &piece);
		gather(writer, &piece);
		samples_len += piece.samples_len;
		assert(taken > 0); /* There is room for any one. */
	}
	*out = (struct mc_otlp_bytes){ writer->whole.items, writer->whole.len, samples_len };
}
