/* SPDX-License-Identifier: MIT */
#include "engine/otlp/foreign/otlp_foreign.h"

#include <collector/private/convention.h>

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/otlp/foreign/otlp_conventional.h"
#include "engine/otlp/foreign/otlp_foreign_point.h"
#include "engine/otlp/otlp_notes.h"
#include "engine/otlp/otlp_number.h"
#include "engine/otlp/otlp_sort.h"
#include "formats/protobuf.h"
#include "model/convention.h"
#include "model/series.h"

/* Bytes that the parts take at most, without their texts. */
#define POINT_SIZE 160  /* Heads, numbers, and those of a histogram. */
#define VALUE_SIZE 24   /* Of a bucket or quantile. */
#define SPARSE_MAX 4400 /* Empty buckets between powers of two, of both signs. */
#define METRIC_SIZE (160 + OTLP_UNIT_SIZE + MC_METADATA_TEXT_SIZE)
#define SCOPE_SIZE 48

static const struct otlp_foreign *at(const struct mc_otlp_writer *writer, size_t index)
{
	return &((const struct otlp_foreign *)writer->foreign.items)[index];
}

/* --- Order ------------------------------------------------------------------ */

static int compare_addresses(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_names(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_scopes(const struct mc_metric *a, const struct mc_metric *b)
{
	int order = strcmp(a->scope, b->scope);

	if (order == 0)
		order = strcmp(a->scope_version, b->scope_version);
	return order != 0 ? order : compare_addresses(a->scope_labels.items, b->scope_labels.items);
}

static int compare_times(mc_time a, mc_time b)
{
	return (a > b) - (a < b);
}

/* An order of metrics in a request. */
static int compare_metrics(const struct otlp_foreign *a, const struct otlp_foreign *b)
{
	int order = compare_addresses(a->metric.resource.items, b->metric.resource.items);

	if (order == 0)
		order = compare_scopes(&a->metric, &b->metric);
	if (order == 0)
		order = compare_names(a->metric.name, b->metric.name);
	return order != 0 ? order : compare_times(a->sample->interval, b->sample->interval);
}

static int compare_points(const struct otlp_foreign *a, const struct otlp_foreign *b)
{
	int order = compare_metrics(a, b);

	if (order == 0)
		order = compare_addresses(a->metric.labels.items, b->metric.labels.items);
	if (order == 0)
		order = compare_times(a->sample->time, b->sample->time);
	if (order == 0 && (a->unit != NULL || b->unit != NULL)) /* Series of ours are not parts. */
		order = compare_addresses(a->sample, b->sample);
	return order;
}

static int compare(const void *a, const void *b)
{
	const struct otlp_foreign *left = a, *right = b;
	int order = compare_points(left, right);

	if (order == 0)
		order = (int)left->metric.part - (int)right->metric.part;
	if (order == 0)
		order = (left->metric.bound > right->metric.bound) -
			(left->metric.bound < right->metric.bound);
	return order != 0 ? order : compare_addresses(left->sample, right->sample);
}

/* --- Adding ----------------------------------------------------------------- */

/* The largest size of the sample, after the one before it. */
static size_t size_of(const struct mc_otlp_writer *writer, const struct otlp_foreign *one)
{
	const struct mc_metric *metric = &one->metric;
	const struct otlp_foreign *before =
		writer->foreign.len > 0 ? at(writer, writer->foreign.len - 1) : NULL;
	size_t size = 0;

	if (before == NULL || compare_metrics(before, one) != 0)
		size += METRIC_SIZE + strlen(metric->name) + SCOPE_SIZE + strlen(metric->scope) +
			strlen(metric->scope_version) +
			otlp_foreign_labels_size(&metric->scope_labels) +
			otlp_foreign_labels_size(&metric->resource);
	if (before != NULL && compare_points(before, one) == 0)
		return size + VALUE_SIZE;
	size += POINT_SIZE + one->sample->series->name_size +
		otlp_foreign_labels_size(&metric->labels);
	if (metric->kind == MC_METRIC_EXPONENTIAL_HISTOGRAM)
		size += SPARSE_MAX;
	return size;
}

/* Takes back the samples of the same point, of which there is no room for all. */
static void take_back(struct mc_otlp_writer *writer, const struct otlp_foreign *one,
		      const struct mc_sample **last)
{
	while (writer->foreign.len > 0) {
		const struct otlp_foreign *newest = at(writer, writer->foreign.len - 1);

		if (newest->sample != *last || compare_points(newest, one) != 0 ||
		    newest->before == NULL)
			break;
		*last = newest->before;
		mc_release_metric(&newest->metric);
		writer->foreign.len--;
	}
}

static void add(struct otlp_table *table, const struct otlp_foreign *one)
{
	if (table->len == table->room) {
		table->room = table->room > 0 ? 2 * table->room : 16;
		table->items = alloc_resize(table->items, table->room, sizeof(*one));
	}
	((struct otlp_foreign *)table->items)[table->len++] = *one;
}

static bool is_incomplete(const struct otlp_foreign_incomplete *incomplete,
			  const struct mc_metric *metric)
{
	if (incomplete->len > OTLP_FOREIGN_INCOMPLETE_MAX)
		return metric->kind >= MC_METRIC_HISTOGRAM;
	for (unsigned i = 0; i < incomplete->len; i++)
		if (mc_metric_is_same_point(&incomplete->items[i], metric))
			return true;
	return false;
}

/* Takes back what was added after the first 'len'. */
static void take_back_to(struct mc_otlp_writer *writer, uint32_t len)
{
	while (writer->foreign.len > len)
		mc_release_metric(&at(writer, --writer->foreign.len)->metric);
}

/* For the plan that is made of what is sorted. */
static void note_conversions(struct mc_otlp_writer *writer, uint32_t begin, uint16_t change)
{
	const struct mc_sample *sample = at(writer, begin)->sample;
	const struct mc_type *type = mc_type(sample->series);
	uint32_t place = otlp_notes_places(writer, sample, change);

	for (unsigned i = 0; i < type->sources_len; i++) {
		struct otlp_foreign *one =
			&((struct otlp_foreign *)writer->foreign.items)[begin + i];
		struct otlp_number number = otlp_number(type->sources[i].kind, sample->values[i],
							one->divisor, one->metric.integer);

		one->place = place + i;
		((struct otlp_conversion *)writer->conversions.items)[place + i] =
			(struct otlp_conversion){
				.divisor = one->divisor,
				.integer = one->metric.integer,
				.unknown = number.field == OTLP_POINT_FLAGS,
			};
	}
}

/* Adds all sources of the sample, or none. */
static bool add_by_convention(struct mc_otlp_writer *writer, const struct mc_sample *sample,
			      const struct mc_sample *last, bool *full)
{
	const struct mc_metric_labels *resource;
	uint32_t begin = writer->foreign.len, len = mc_type(sample->series)->sources_len;
	uint16_t change = atomic_load(&sample->series->described);
	struct mc_convention found;
	size_t size;

	if (writer->learning) /* Its labels are noted before they are used. */
		writer->resource = otlp_notes_host(writer, sample->series->name);
	size = writer->size;
	resource = otlp_conventional_resource(writer->conventional, &writer->labels, sample);
	for (unsigned i = 0; i < len && mc_get_convention(sample->series, i, resource, &found);
	     i++) {
		struct otlp_foreign one = {
			.sample = sample,
			.before = last,
			.metric = found.metric,
			.source = i,
			.divisor = found.divisor,
			.unit = found.unit,
		};

		writer->size += size_of(writer, &one);
		add(&writer->foreign, &one);
	}
	*full = writer->size > writer->size_max;
	if (!*full && writer->foreign.len - begin == len) {
		if (writer->learning)
			note_conversions(writer, begin, change);
		return true;
	}
	if (!*full && convention_find(sample->series, 0) != NULL)
		writer->learning = false; /* For lack of room: it will have its names later. */
	take_back_to(writer, begin);
	writer->size = size;
	return *full;
}

bool otlp_foreign_add(struct mc_otlp_writer *writer, const struct mc_sample *sample,
		      const struct mc_sample **last, bool *full)
{
	struct otlp_foreign one = { .sample = sample, .before = *last, .divisor = 1 };
	size_t size;

	*full = false;
	if (writer->encodings.rates)
		return false;
	if (!mc_get_metric(sample->series, &one.metric))
		return writer->conventional != NULL &&
		       add_by_convention(writer, sample, *last, full);
	if (one.metric.name[0] == '\0' || is_incomplete(&writer->incomplete, &one.metric)) {
		mc_release_metric(&one.metric);
		return false;
	}
	size = size_of(writer, &one);
	if (size > writer->size_max) { /* Its labels fit into no request. */
		mc_release_metric(&one.metric);
		return false;
	}
	if (writer->size + size > writer->size_max) {
		take_back(writer, &one, last);
		mc_release_metric(&one.metric);
		writer->learning = false; /* There are no plans for these. */
		*full = true;
		return true;
	}
	writer->learning = false;
	writer->size += size;
	add(&writer->foreign, &one);
	return true;
}

/* --- Sorting ---------------------------------------------------------------- */

/* The end of the samples that are one point, of which 'begin' is the first. */
static size_t point_end(const struct mc_otlp_writer *writer, size_t begin)
{
	size_t end = begin + 1;

	while (end < writer->foreign.len && compare_points(at(writer, begin), at(writer, end)) == 0)
		end++;
	return end;
}

static void note_incomplete(struct otlp_foreign_incomplete *incomplete,
			    const struct mc_metric *metric)
{
	if (incomplete->len < OTLP_FOREIGN_INCOMPLETE_MAX)
		incomplete->items[incomplete->len] = *metric;
	incomplete->len++;
}

bool otlp_foreign_sort(struct mc_otlp_writer *writer)
{
	struct otlp_foreign *items = writer->foreign.items;
	unsigned before = writer->incomplete.len;

	if (writer->foreign.len == 0)
		return true;
	qsort(items, writer->foreign.len, sizeof(*items), compare);
	for (size_t i = 0, end; i < writer->foreign.len; i = end) {
		end = point_end(writer, i);
		if (!otlp_foreign_point_is_complete(&items[i], end - i))
			note_incomplete(&writer->incomplete, &items[i].metric);
	}
	return writer->incomplete.len == before;
}

unsigned otlp_foreign_samples(const struct mc_otlp_writer *writer)
{
	unsigned len = 0;

	for (size_t i = 0; i < writer->foreign.len; i++)
		len += at(writer, i)->source == 0;
	return len;
}

void otlp_foreign_begin(struct mc_otlp_writer *writer)
{
	writer->incomplete.len = 0;
}

void otlp_foreign_clear(struct mc_otlp_writer *writer)
{
	for (size_t i = 0; i < writer->foreign.len; i++)
		mc_release_metric(&at(writer, i)->metric);
	writer->foreign.len = 0;
}

/* --- Writing: backwards, from the last sample to the first ------------------ */

/* Of numbers that are kept in milliseconds. */
static const struct otlp_unit seconds = {
	.sum_size = 3,
	.sum = { PROTOBUF_TAG(OTLP_METRIC_UNIT, PROTOBUF_BYTES), 1, 's' },
};

/* Of a histogram or summary the numbers that are measured have the unit, not those that count. */
static bool has_unit(const struct mc_metric *metric)
{
	return metric->part != MC_METRIC_COUNT && metric->part != MC_METRIC_BUCKET;
}

/* That of its sender, which has not sent it again since a restart. */
static unsigned char *put_help(unsigned char *out, const char *help)
{
	return help[0] != '\0' ? protobuf_put_text(out, OTLP_METRIC_DESCRIPTION, help, strlen(help))
			       : out;
}

static unsigned char *put_description(struct mc_otlp_writer *writer, unsigned char *out,
				      size_t begin, size_t end)
{
	struct otlp_description all[MC_SOURCES_MAX];
	const struct mc_series *series;
	const struct otlp_unit *unit;
	const char *help;
	enum mc_kind kind;
	size_t i = begin;

	while (i + 1 < end && !has_unit(&at(writer, i)->metric))
		i++;
	if (at(writer, i)->unit != NULL)
		return protobuf_put_text(out, OTLP_METRIC_UNIT, at(writer, i)->unit,
					 strlen(at(writer, i)->unit));
	series = at(writer, i)->sample->series;
	unit = strcmp(mc_type(series)->name, OTLP_TYPE_SECONDS) == 0
		       ? &seconds
		       : otlp_unit_find(writer->units, mc_type(series));
	kind = mc_type(series)->sources[0].kind;
	help = at(writer, i)->metric.help;
	if (!otlp_describe(all, series)) {
		out = otlp_unit_put(out, unit, kind);
		return put_help(out, help);
	}
	out = otlp_describe_put(out, &all[0], unit, kind);
	if (all[0].size == 0)
		out = put_help(out, help);
	otlp_describe_release(all, mc_type(series)->sources_len);
	return out;
}

/* For the next batch of that kind: the time is what a point begins with, after its head. */
static void learn_place(const struct mc_otlp_writer *writer, const unsigned char *point,
			const struct otlp_foreign *one)
{
	uint32_t *places = writer->places.items;

	do
		point++;
	while ((*point & 0x80) != 0);
	places[one->place] = (uint32_t)(writer->bytes + writer->room - (point + 1));
}

/* The samples from 'begin' to 'end' are those of a metric. */
static unsigned char *put_metric(struct mc_otlp_writer *writer, unsigned char *out, size_t begin,
				 size_t end)
{
	const struct mc_metric *metric = &at(writer, begin)->metric;
	unsigned char *metric_end = out, *data_end;

	out = data_end =
		otlp_interval_put(out, &writer->interval, at(writer, begin)->sample->interval);
	if (metric->kind == MC_METRIC_COUNTER)
		out = protobuf_put_number(out, OTLP_SUM_MONOTONIC, 1);
	if (metric->kind != MC_METRIC_GAUGE && metric->kind != MC_METRIC_SUMMARY)
		out = protobuf_put_number(out, OTLP_SUM_TEMPORALITY,
					  metric->delta ? OTLP_DELTA : OTLP_CUMULATIVE);
	for (size_t i = end; i > begin;) {
		size_t last = i;

		while (i > begin && compare_points(at(writer, i - 1), at(writer, last - 1)) == 0)
			i--;
		out = otlp_foreign_point_put(out, at(writer, i), last - i);
		if (writer->learning)
			learn_place(writer, out, at(writer, i));
	}
	out = protobuf_put_head(out, otlp_foreign_point_field(metric), data_end);
	out = put_description(writer, out, begin, end);
	out = protobuf_put_text(out, OTLP_METRIC_NAME, metric->name, strlen(metric->name));
	return protobuf_put_head(out, OTLP_SCOPES_ITEMS, metric_end);
}

static unsigned char *put_scope(unsigned char *out, const struct mc_metric *metric)
{
	unsigned char *end = out;

	out = otlp_foreign_labels_put(out, OTLP_SCOPE_ATTRIBUTES, &metric->scope_labels);
	if (metric->scope_version[0] != '\0')
		out = protobuf_put_text(out, OTLP_SCOPE_VERSION, metric->scope_version,
					strlen(metric->scope_version));
	if (metric->scope[0] != '\0')
		out = protobuf_put_text(out, OTLP_SCOPE_NAME, metric->scope, strlen(metric->scope));
	return protobuf_put_head(out, OTLP_SCOPES_SCOPE, end);
}

static unsigned char *put_resource(unsigned char *out, const struct mc_metric *metric)
{
	unsigned char *end = out;

	out = otlp_foreign_labels_put(out, OTLP_RESOURCE_ATTRIBUTES, &metric->resource);
	return protobuf_put_head(out, OTLP_RESOURCES_RESOURCE, end);
}

static bool have_same_resource(const struct otlp_foreign *a, const struct otlp_foreign *b)
{
	return a->metric.resource.items == b->metric.resource.items;
}

static bool have_same_scope(const struct otlp_foreign *a, const struct otlp_foreign *b)
{
	return have_same_resource(a, b) && compare_scopes(&a->metric, &b->metric) == 0;
}

/* The metrics of the scope that ends with the sample before *end, which becomes its first one. */
static unsigned char *put_scopes(struct mc_otlp_writer *writer, unsigned char *out, size_t *end)
{
	const struct otlp_foreign *last = at(writer, *end - 1);
	unsigned char *scope_end = out;

	while (*end > 0 && have_same_scope(at(writer, *end - 1), last)) {
		size_t begin = *end;

		while (begin > 0 &&
		       compare_metrics(at(writer, begin - 1), at(writer, *end - 1)) == 0)
			begin--;
		out = put_metric(writer, out, begin, *end);
		*end = begin;
	}
	out = put_scope(out, &last->metric);
	return protobuf_put_head(out, OTLP_RESOURCES_SCOPES, scope_end);
}

unsigned char *otlp_foreign_put(struct mc_otlp_writer *writer, unsigned char *out)
{
	for (size_t end = writer->foreign.len; end > 0;) {
		const struct otlp_foreign *last = at(writer, end - 1);
		unsigned char *resource_end = out;

		while (end > 0 && have_same_resource(at(writer, end - 1), last))
			out = put_scopes(writer, out, &end);
		out = put_resource(out, &last->metric);
		out = protobuf_put_head(out, OTLP_REQUEST_RESOURCES, resource_end);
	}
	return out;
}
