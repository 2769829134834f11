/* SPDX-License-Identifier: MIT */
/* Reading OTLP: the walk through the request.  Protobuf lets fields come in any
 * order, so a message is gone through twice: for what describes it, passing
 * over its items by their size, and then item by item.  There is one level per
 * kind of message and no recursion; what nests deeper is not looked into. */
#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "formats/otlp/otlp_distribution.h"
#include "formats/otlp/otlp_message.h"
#include "formats/otlp/otlp_point.h"
#include "formats/otlp/otlp_resource.h"
#include "formats/protobuf.h"

/* The content of a level: its items are those of the next. */
enum level { REQUEST, RESOURCES, SCOPES, METRIC };

void mc_otlp_open(struct mc_otlp *otlp, const void *bytes, size_t size, bool logs, const char *host)
{
	/* The buffers at the end need no zeros. */
	memset(otlp, 0, offsetof(struct mc_otlp, own.text));
	otlp->own.logs = logs;
	otlp->own.caller_host = host;
	otlp->own.levels[REQUEST].at = bytes;
	otlp->own.levels[REQUEST].end = otlp->own.levels[REQUEST].at;
	if (size > 0) /* Else 'bytes' may be NULL. */
		otlp->own.levels[REQUEST].end += size;
	otlp->own.distribution.samples_left = size / OTLP_BYTES_PER_SAMPLE;
}

void mc_otlp_name_by(struct mc_otlp *otlp, const struct mc_otlp_naming *naming)
{
	otlp->own.naming = naming;
}

static void enter(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	otlp->own.levels[++otlp->own.depth] = span;
}

/* --- What describes the items -------------------------------------------- */

static void enter_resources(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct otlp_source source = { .host = otlp_literal(otlp->own.caller_host) };
	struct mc_otlp_span all = span;
	struct protobuf_field field;

	otlp->own.resource.items = span;
	otlp->own.resource.attributes = (struct mc_otlp_span){ 0 };
	otlp->own.resource.read = otlp->own.resource.summed = false;
	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number != OTLP_RESOURCES_RESOURCE || field.wire != PROTOBUF_BYTES)
			continue;
		otlp->own.resource.attributes = field.span;
		otlp_resource_read(field.span, otlp->own.naming, &source, &otlp->own.broken);
	}
	otlp->own.host = source.host;
	otlp->own.service = source.service;
	otlp->own.map = source.map;
	otlp->own.plugin_instance = source.plugin_instance;
	otlp->own.type_instance = source.type_instance;
	otlp->own.resource.named = source.named;
	enter(otlp, all);
}

static void enter_scopes(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct mc_otlp_span all = span;
	struct protobuf_field field, inner;

	otlp->own.scope = (struct mc_otlp_text){ "", 0 };
	otlp->own.scope_message = (struct mc_otlp_span){ 0 };
	otlp->own.scope_sum = 0;
	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number != OTLP_SCOPES_SCOPE || field.wire != PROTOBUF_BYTES)
			continue;
		otlp->own.scope_message = field.span;
		while (protobuf_take(&field.span, &inner, &otlp->own.broken))
			if (inner.number == OTLP_SCOPE_NAME && inner.wire == PROTOBUF_BYTES)
				otlp->own.scope = otlp_text(inner.span);
	}
	span = otlp->own.scope_message;
	if (span.at != NULL && !otlp_text_begins(otlp->own.scope, OTLP_SCOPE))
		otlp->own.scope_sum = XXH3_64bits(span.at, (size_t)(span.end - span.at));
	enter(otlp, all);
}

/* --- Metrics ------------------------------------------------------------- */

static bool find_kind(struct mc_otlp_text text, enum mc_kind *kind)
{
	for (unsigned i = 0; i < 4; i++) {
		if (otlp_text_is(text, otlp_kind_names[i])) {
			*kind = (enum mc_kind)i;
			return true;
		}
	}
	return false;
}

/* Whether the pair says the kind. */
static bool read_metadata(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct otlp_pair pair;

	if (!otlp_pair_read(&pair, span, &otlp->own.broken))
		return false;
	if (pair.template == OTLP_ANY_INT && otlp_text_is(pair.key, OTLP_KEY_INTERVAL))
		otlp->own.metric.interval = (mc_time)pair.number;
	return pair.template == OTLP_ANY_STRING && otlp_text_is(pair.key, OTLP_KEY_KIND) &&
	       find_kind(pair.text, &otlp->own.metric.kind);
}

/* Temporality and so on; returns the number of points. */
static uint64_t read_data(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct protobuf_field field;
	uint64_t points_len = 0;

	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number == OTLP_DATA_POINTS)
			points_len += field.wire == PROTOBUF_BYTES;
		else if (field.number == OTLP_SUM_TEMPORALITY)
			otlp->own.metric.delta = field.value == OTLP_DELTA;
		else if (field.number == OTLP_SUM_MONOTONIC)
			otlp->own.metric.monotonic = field.value != 0;
	}
	return points_len;
}

static enum mc_otlp_item reject(struct mc_otlp *otlp, uint64_t rejected, const char *why)
{
	otlp->rejected = rejected;
	otlp->why = why;
	return MC_OTLP_REJECT;
}

/* The sample that waits for more values gets none. */
static enum mc_otlp_item flush(struct mc_otlp *otlp)
{
	if (!otlp->own.waiting)
		return MC_OTLP_END;
	otlp->own.waiting = false;
	return MC_OTLP_SAMPLE;
}

static enum mc_otlp_item enter_metric(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct mc_otlp_span data = { 0 };
	struct protobuf_field field;
	bool said = false;
	uint64_t len;

	otlp->own.metric.template = 0;
	otlp->own.metric.name = (struct mc_otlp_text){ "", 0 };
	otlp->own.metric.said = (struct mc_otlp_said){ 0 };
	otlp->own.metric.monotonic = otlp->own.metric.delta = false;
	otlp->own.metric.interval = 0;
	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == OTLP_METRIC_NAME) {
			otlp->own.metric.name = otlp_text(field.span);
		} else if (field.number == OTLP_METRIC_DESCRIPTION) {
			otlp->own.metric.said.description = otlp_text(field.span);
		} else if (field.number == OTLP_METRIC_UNIT) {
			otlp->own.metric.said.unit = otlp_text(field.span);
		} else if (field.number == OTLP_METRIC_METADATA) {
			said |= read_metadata(otlp, field.span);
		} else if (field.number >= OTLP_METRIC_GAUGE &&
			   field.number <= OTLP_METRIC_SUMMARY) {
			otlp->own.metric.template = field.number;
			data = field.span;
		}
	}
	otlp->own.metric.native = said && otlp_point_is_native(otlp);
	len = read_data(otlp, data);
	if (len == 0 || otlp->own.broken)
		return MC_OTLP_END;
	switch (otlp->own.metric.template) {
	case OTLP_METRIC_GAUGE:
	case OTLP_METRIC_SUM:
		enter(otlp, data);
		return MC_OTLP_END;
	case OTLP_METRIC_HISTOGRAM:
	case OTLP_METRIC_EXPONENTIAL:
	case OTLP_METRIC_SUMMARY:
		otlp->own.metric.native = false;
		enter(otlp, data);
		return flush(otlp);
	default:
		return reject(otlp, len, "metric of an unknown form");
	}
}

/* --- Samples ------------------------------------------------------------- */

static bool same(struct mc_otlp_text a, struct mc_otlp_text b)
{
	return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* Whether the point is one more value of the sample that is being read. */
static bool continues(const struct mc_otlp *otlp, const struct mc_otlp_point *point)
{
	const struct mc_otlp_point *first = &otlp->own.first;

	return point->source.size > 0 && point->stamp.time == first->stamp.time &&
	       point->stamp.interval == first->stamp.interval &&
	       same(point->plugin_instance, first->plugin_instance) &&
	       same(point->type_instance, first->type_instance) && same(point->type, first->type) &&
	       same(point->plugin, first->plugin) && same(point->host, first->host) &&
	       !same(point->source, first->source) && otlp->values_len < MC_SOURCES_MAX;
}

static void add_value(struct mc_otlp *otlp, const struct mc_otlp_point *point)
{
	otlp->kinds[otlp->values_len] = point->kind;
	otlp->sources[otlp->values_len] = point->source;
	otlp->said[otlp->values_len] = otlp->own.metric.said;
	otlp->own.places[otlp->values_len] = point->place;
	otlp->own.rates[otlp->values_len] = point->rate;
	otlp->values[otlp->values_len++] = point->value;
}

/* Begins a sample; MC_OTLP_END if more points may follow. */
static enum mc_otlp_item begin_sample(struct mc_otlp *otlp, const struct mc_otlp_point *point)
{
	otlp->values_len = 0;
	otlp->stamp = point->stamp;
	otlp->own.host_given = point->host.at != otlp->own.caller_host;
	otlp->own.ours = otlp->own.metric.native;
	otlp->sent.foreign = !otlp->own.ours;
	otlp->sent.labels = (struct mc_otlp_span){ NULL, NULL };
	if (otlp->own.ours && otlp->own.labelled) {
		otlp->sent.labels = otlp->sent.point;
		otlp->sent.labels_sum = otlp->own.labels_sum;
	}
	otlp_point_name(otlp, point);
	add_value(otlp, point);
	if (point->source.size == 0)
		return MC_OTLP_SAMPLE;
	otlp->own.first = *point;
	otlp->own.waiting = true;
	return MC_OTLP_END;
}

/* The next sample of a histogram or summary. */
static enum mc_otlp_item continue_distribution(struct mc_otlp *otlp)
{
	struct mc_otlp_point *point = &otlp->own.held;
	bool measured = otlp_distribution_next(otlp, point);
	enum mc_otlp_item item = begin_sample(otlp, point);

	if (!measured)
		otlp->said[0].unit.size = 0;
	otlp->own.holding = otlp_distribution_left(otlp);
	return item;
}

static enum mc_otlp_item take_distribution(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	const char *why = otlp_distribution_read(otlp, span);

	return why != NULL ? reject(otlp, 1, why) : continue_distribution(otlp);
}

static enum mc_otlp_item take_point(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct mc_otlp_point *point = &otlp->own.held;
	const char *why = otlp_point_read(otlp, point, span);

	if (why != NULL)
		return reject(otlp, 1, why);
	if (!otlp->own.waiting)
		return begin_sample(otlp, point);
	if (continues(otlp, point)) {
		add_value(otlp, point);
		return MC_OTLP_END;
	}
	otlp->own.holding = true;
	otlp->own.waiting = false;
	return MC_OTLP_SAMPLE;
}

/* --- The walk ------------------------------------------------------------ */

static enum mc_otlp_item step_into(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	const char *why;

	switch ((enum level)otlp->own.depth) {
	case REQUEST:
		enter_resources(otlp, span);
		return MC_OTLP_END;
	case RESOURCES:
		enter_scopes(otlp, span);
		return MC_OTLP_END;
	case SCOPES:
		if (!otlp->own.logs)
			return enter_metric(otlp, span);
		why = otlp_record_read(otlp, span);
		return why != NULL ? reject(otlp, 1, why) : MC_OTLP_NOTICE;
	case METRIC:
		if (otlp_distribution_is(otlp))
			return take_distribution(otlp, span);
		return take_point(otlp, span);
	}
	return MC_OTLP_END;
}

/* Which fields of a level are its items. */
static bool is_item(unsigned depth, const struct protobuf_field *field)
{
	static const unsigned numbers[] = {
		[REQUEST] = OTLP_REQUEST_RESOURCES,
		[RESOURCES] = OTLP_RESOURCES_SCOPES,
		[SCOPES] = OTLP_SCOPES_ITEMS,
		[METRIC] = OTLP_DATA_POINTS,
	};

	return field->number == numbers[depth] && field->wire == PROTOBUF_BYTES;
}

static enum mc_otlp_item fault(struct mc_otlp *otlp)
{
	otlp->own.depth = 0;
	otlp->own.levels[REQUEST].at = otlp->own.levels[REQUEST].end;
	otlp->own.broken = otlp->own.waiting = otlp->own.holding = false;
	otlp->why = "not in the form of protobuf";
	return MC_OTLP_FAULT;
}

enum mc_otlp_item mc_otlp_next(struct mc_otlp *otlp)
{
	enum mc_otlp_item item = MC_OTLP_END;
	struct protobuf_field field;

	if (otlp->own.holding) {
		otlp->own.holding = false;
		item = otlp_distribution_is(otlp) ? continue_distribution(otlp)
						  : begin_sample(otlp, &otlp->own.held);
	}
	while (item == MC_OTLP_END) {
		unsigned depth = otlp->own.depth;

		if (protobuf_take(&otlp->own.levels[depth], &field, &otlp->own.broken)) {
			if (is_item(depth, &field))
				item = step_into(otlp, field.span);
		} else if (depth > 0) {
			otlp->own.depth--;
		} else if (!otlp->own.broken) {
			return flush(otlp);
		}
		if (otlp->own.broken)
			return fault(otlp);
	}
	return item;
}

bool mc_otlp_is(const struct mc_otlp *otlp, const struct mc_type *type)
{
	if (otlp->values_len != type->sources_len)
		return false;
	for (unsigned i = 0; i < type->sources_len; i++)
		if (otlp->kinds[i] != type->sources[i].kind ||
		    (type->sources_len > 1 &&
		     !otlp_text_is(otlp->sources[i], type->sources[i].name)))
			return false;
	return true;
}
