/* SPDX-License-Identifier: MIT */
/* Facts: common.proto and metrics.proto of opentelemetry-proto 1.x; the OpenTelemetry
 * specification, "Attribute to string conversion", for values that are no texts. */
#include "engine/otlp/foreign/otlp_metric.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/otlp/foreign/otlp_value_text.h"
#include "formats/protobuf.h"

static unsigned attributes_field(unsigned template)
{
	switch (template) {
	case OTLP_METRIC_HISTOGRAM:
		return OTLP_HISTOGRAM_ATTRIBUTES;
	case OTLP_METRIC_EXPONENTIAL:
		return OTLP_EXPONENTIAL_ATTRIBUTES;
	default:
		return OTLP_POINT_ATTRIBUTES;
	}
}

uint64_t otlp_metric_sum(const struct mc_otlp *otlp)
{
	const struct {
		uint64_t resource, scope, attributes, start;
		uint32_t template;
		uint8_t monotonic, delta, integer, zero;
	} parts = {
		.resource = otlp->own.resource.all,
		.scope = otlp->own.scope_sum,
		.attributes = otlp->sent.attributes_sum,
		.start = (uint64_t)otlp->sent.start,
		.template = otlp->own.metric.template,
		.monotonic = otlp->own.metric.monotonic,
		.delta = otlp->own.metric.delta,
		.integer = otlp->sent.integer,
	};

	return XXH3_64bits(&parts, sizeof(parts));
}

/* --- Labels --------------------------------------------------------------- */

static const char *copy(struct arena *arena, struct mc_otlp_text text)
{
	return arena_copy(arena, text.size > 0 ? text.at : "", text.size);
}

static bool read_label(struct arena *arena, struct mc_otlp_span span, struct mc_metric_label *label)
{
	struct mc_otlp_span value = { 0 };
	struct otlp_pair pair = { .key = { "", 0 }, .text = { "", 0 } };
	bool broken = false;

	otlp_pair_split(span, &pair.key, &value, &broken);
	if (value.at != NULL)
		otlp_any_read(&pair, value, &broken);
	if (broken || memchr(pair.key.at, '\0', pair.key.size) != NULL)
		return false;
	*label = (struct mc_metric_label){ .name = copy(arena, pair.key) };
	if (pair.template == OTLP_ANY_STRING &&
	    memchr(pair.text.at, '\0', pair.text.size) == NULL) {
		label->value = copy(arena, pair.text);
	} else {
		label->value = otlp_value_text(arena, value);
		label->encoded = value.at;
		label->encoded_size = value.at != NULL ? (size_t)(value.end - value.at) : 0;
	}
	return true;
}

static struct mc_metric_labels read_labels(struct arena *arena, struct mc_otlp_span message,
					   unsigned number)
{
	struct mc_metric_label *items = NULL;
	struct protobuf_field field;
	bool broken = false;
	size_t len = 0;

	while (message.at != NULL && len <= MC_METRIC_LABELS_MAX &&
	       protobuf_take(&message, &field, &broken)) {
		if (field.number != number || field.wire != PROTOBUF_BYTES)
			continue;
		if (items == NULL)
			items = arena_take(arena, (MC_METRIC_LABELS_MAX + 1) * sizeof(*items));
		if (read_label(arena, field.span, &items[len]))
			len++;
	}
	return (struct mc_metric_labels){ items, len };
}

/* --- The metric ----------------------------------------------------------- */

static enum mc_metric_kind kind_of(const struct mc_otlp *otlp)
{
	switch (otlp->own.metric.template) {
	case OTLP_METRIC_SUM:
		return otlp->own.metric.monotonic ? MC_METRIC_COUNTER : MC_METRIC_UP_DOWN_COUNTER;
	case OTLP_METRIC_HISTOGRAM:
		return MC_METRIC_HISTOGRAM;
	case OTLP_METRIC_EXPONENTIAL:
		return MC_METRIC_EXPONENTIAL_HISTOGRAM;
	case OTLP_METRIC_SUMMARY:
		return MC_METRIC_SUMMARY;
	default:
		return MC_METRIC_GAUGE;
	}
}

static void read_scope(const struct mc_otlp *otlp, struct arena *arena, struct mc_metric *out)
{
	struct mc_otlp_span span = otlp->own.scope_message;
	struct protobuf_field field;
	bool broken = false;

	out->scope = out->scope_version = "";
	while (span.at != NULL && protobuf_take(&span, &field, &broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == OTLP_SCOPE_NAME)
			out->scope = copy(arena, otlp_text(field.span));
		else if (field.number == OTLP_SCOPE_VERSION)
			out->scope_version = copy(arena, otlp_text(field.span));
	}
	out->scope_labels = read_labels(arena, otlp->own.scope_message, OTLP_SCOPE_ATTRIBUTES);
}

void otlp_metric_read(const struct mc_otlp *otlp, struct arena *arena, struct mc_metric *out)
{
	*out = (struct mc_metric){
		.name = copy(arena, otlp->own.metric.name),
		.kind = kind_of(otlp),
		.part = otlp->sent.part,
		.delta = otlp->own.metric.delta,
		.integer = otlp->sent.integer,
		.bound = otlp->sent.bound,
		.start = otlp->sent.start,
		.labels = read_labels(arena, otlp->sent.point,
				      attributes_field(otlp->own.metric.template)),
		.resource =
			read_labels(arena, otlp->own.resource.attributes, OTLP_RESOURCE_ATTRIBUTES),
	};
	read_scope(otlp, arena, out);
}

void otlp_metric_read_labels(struct mc_otlp_span point, struct arena *arena, struct mc_metric *out)
{
	struct mc_metric_labels all = read_labels(arena, point, OTLP_POINT_ATTRIBUTES);
	struct mc_metric_label *items = (struct mc_metric_label *)all.items;
	size_t len = 0;

	for (size_t i = 0; i < all.len; i++)
		if (!otlp_names_series(otlp_literal(items[i].name)))
			items[len++] = items[i];
	*out = (struct mc_metric){ .labels = { items, len } };
}
