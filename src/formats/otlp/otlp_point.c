/* SPDX-License-Identifier: MIT */
/* Data points: ours, and those of others, for which collector/private/otlp.h says what
 * becomes of them. */
#include "formats/otlp/otlp_point.h"

#include <collector/serve.h>

#include <math.h>

#include "formats/otlp/otlp_naming.h"
#include "formats/otlp/otlp_origin.h"
#include "formats/protobuf.h"

#define SCOPE_SIZE (sizeof(OTLP_SCOPE) - 1)

struct raw { /* A point as it is sent. */
	uint64_t time, number;
	double rate;
	unsigned template; /* Of the number: as_double or as_int; 0: none. */
	bool no_value;
	struct otlp_pairs pairs;
	struct mc_otlp_place place;
	mc_time start;
	struct mc_otlp_span parts; /* Of the name, by a collector. */
};

/* --- Fields -------------------------------------------------------------- */

static void read_raw(struct raw *raw, struct mc_otlp_span span, bool *broken)
{
	struct protobuf_field field;

	raw->time = raw->number = 0;
	raw->template = raw->pairs.len = 0;
	raw->no_value = raw->pairs.cut = false;
	raw->place = (struct mc_otlp_place){ 0 };
	raw->parts = (struct mc_otlp_span){ 0 };
	raw->rate = NAN;
	raw->start = 0;
	while (protobuf_take(&span, &field, broken)) {
		if (field.wire == PROTOBUF_64BIT && field.number == OTLP_POINT_TIME) {
			raw->time = field.value;
			raw->place.time = span.at - 8;
		} else if (field.wire == PROTOBUF_64BIT &&
			   (field.number == OTLP_POINT_DOUBLE || field.number == OTLP_POINT_INT)) {
			raw->template = field.number;
			raw->number = field.value;
			raw->place.value = span.at - 8;
		} else if (field.wire == PROTOBUF_64BIT && field.number == OTLP_POINT_START) {
			raw->start = (mc_time)field.value;
			raw->place.start = span.at - 8;
		} else if (field.wire == PROTOBUF_64BIT && field.number == OTLP_POINT_RATE) {
			memcpy(&raw->rate, &field.value, sizeof(raw->rate));
		} else if (field.wire == PROTOBUF_VARINT && field.number == OTLP_POINT_FLAGS) {
			raw->no_value = field.value & OTLP_NO_VALUE;
		} else if (field.wire == PROTOBUF_BYTES && field.number == OTLP_POINT_ATTRIBUTES) {
			otlp_pairs_add(&raw->pairs, field.span, broken);
		} else if (field.wire == PROTOBUF_BYTES && field.number == OTLP_POINT_PARTS) {
			raw->parts = field.span;
		}
	}
}

/* --- Our own points ------------------------------------------------------ */

bool otlp_point_is_native(const struct mc_otlp *otlp)
{
	struct mc_otlp_text scope = otlp->own.scope;
	struct mc_otlp_text name = otlp->own.metric.name;
	size_t plugin_size;

	if (scope.size <= SCOPE_SIZE || memcmp(scope.at, OTLP_SCOPE, SCOPE_SIZE) != 0)
		return false;
	plugin_size = scope.size - SCOPE_SIZE;
	return name.size > plugin_size + 1 && name.at[plugin_size] == '.' &&
	       memcmp(name.at, scope.at + SCOPE_SIZE, plugin_size) == 0;
}

static const char *read_native(struct mc_otlp *otlp, struct mc_otlp_point *point,
			       const struct raw *raw)
{
	size_t plugin_size = otlp->own.scope.size - SCOPE_SIZE;
	bool labelled = raw->pairs.cut;

	point->plugin = (struct mc_otlp_text){ otlp->own.metric.name.at, plugin_size };
	point->type = (struct mc_otlp_text){
		otlp->own.metric.name.at + plugin_size + 1,
		otlp->own.metric.name.size - plugin_size - 1,
	};
	for (unsigned i = 0; i < raw->pairs.len; i++) {
		const struct otlp_pair *pair = &raw->pairs.items[i];

		if (otlp_text_is(pair->key, OTLP_KEY_PLUGIN_INSTANCE))
			point->plugin_instance = pair->text;
		else if (otlp_text_is(pair->key, OTLP_KEY_TYPE_INSTANCE))
			point->type_instance = pair->text;
		else if (otlp_text_is(pair->key, OTLP_KEY_SOURCE))
			point->source = pair->text;
		else
			labelled = true;
	}
	otlp->own.labelled = labelled;
	if (labelled)
		otlp->own.labels_sum = otlp_origin_sum(&raw->pairs);
	point->kind = otlp->own.metric.kind;
	point->value.counter = raw->number;
	return (raw->template == OTLP_POINT_DOUBLE) == (point->kind == MC_GAUGE)
		       ? NULL
		       : "number that is not of its kind";
}

/* --- Points of others ---------------------------------------------------- */

/* The attributes of a point, and what a map says that goes before them. */
struct instance {
	struct otlp_pairs *pairs;
	struct mc_otlp_text first;
};

/* "key=value,key=value": of the resource, then of the point. */
static bool join(struct mc_otlp *otlp, const struct instance *instance, size_t more,
		 struct mc_otlp_text *joined)
{
	const struct mc_otlp_text resource = { otlp->own.resource_text,
					       otlp->own.resource.text_size };
	const struct otlp_pairs *pairs = instance->pairs;
	char *text = otlp->own.joined;
	size_t size = 0;

	if (resource.size > OTLP_PART_MAX ||
	    !otlp_origin_append_text(text, &size, instance->first) ||
	    !otlp_origin_append_text(text, &size, resource))
		return false;
	for (unsigned i = 0; i < pairs->len; i++)
		if (!otlp_origin_append(text, &size, &pairs->items[i]))
			return false;
	*joined = (struct mc_otlp_text){ text, size };
	return size + more <= OTLP_PART_MAX;
}

/* The same, with a hash for the attributes of the resource. */
static bool join_hash(struct mc_otlp *otlp, const struct instance *instance, size_t more,
		      struct mc_otlp_text *joined)
{
	const struct otlp_pairs *pairs = instance->pairs;
	const struct otlp_pair hash = {
		.key = otlp_literal("resource"),
		.template = OTLP_ANY_STRING,
		.text = otlp_literal(otlp->own.resource_hash),
	};
	size_t size = 0;

	if (otlp->own.resource.text_size == 0)
		return false; /* It has no attributes to add. */
	if (!otlp_origin_append_text(otlp->own.joined, &size, instance->first) ||
	    !otlp_origin_append(otlp->own.joined, &size, &hash))
		return false;
	for (unsigned i = 0; i < pairs->len; i++)
		if (!otlp_origin_append(otlp->own.joined, &size, &pairs->items[i]))
			return false;
	*joined = (struct mc_otlp_text){ otlp->own.joined, size };
	return size + more <= OTLP_PART_MAX;
}

/* A hash for all attributes, where not even those of the point fit. */
static bool join_hashes(struct mc_otlp *otlp, const struct instance *instance, size_t more,
			struct mc_otlp_text *joined)
{
	struct otlp_pair hash = {
		.key = otlp_literal("attributes"),
		.template = OTLP_ANY_STRING,
		.text = { otlp->own.attributes_hash, OTLP_HASH_SIZE },
	};
	size_t size = 0;

	otlp_origin_hash(otlp, instance->pairs);
	if (!otlp_origin_append_text(otlp->own.joined, &size, instance->first) ||
	    !otlp_origin_append(otlp->own.joined, &size, &hash))
		return false;
	*joined = (struct mc_otlp_text){ otlp->own.joined, size };
	return size + more <= OTLP_PART_MAX;
}

static bool is_threshold(const struct mc_otlp *otlp)
{
	const struct mc_otlp_map *map = otlp->own.map;

	return map != NULL && map->threshold_metric != NULL && map->threshold_type != NULL &&
	       otlp_text_is(otlp->own.metric.name, map->threshold_metric);
}

/* The thresholds of Nagios and Icinga. */
static enum mc_otlp_role role_of(struct mc_otlp_text type)
{
	if (otlp_text_is(type, "warning"))
		return MC_OTLP_WARNING;
	return otlp_text_is(type, "critical") ? MC_OTLP_FAILURE : MC_OTLP_PASSED_OVER;
}

/* Takes attributes out that the map has elsewhere, or nowhere. */
static void map_pairs(struct mc_otlp *otlp, struct instance *instance)
{
	const struct mc_otlp_map *map = otlp->own.map;
	struct otlp_pairs *pairs = instance->pairs;
	unsigned len = 0;

	instance->first = otlp->own.type_instance;
	otlp->sent.attributes_sum = otlp_origin_sum(pairs);
	for (unsigned i = 0; i < pairs->len; i++) {
		const struct otlp_pair *pair = &pairs->items[i];

		if (map->type_instance != NULL && pair->template == OTLP_ANY_STRING &&
		    otlp_text_is(pair->key, map->type_instance))
			instance->first = pair->text;
		else if (otlp->sent.role != MC_OTLP_MEASURED &&
			 otlp_text_is(pair->key, map->threshold_type))
			otlp->sent.role = role_of(pair->text);
		else if (!otlp_naming_is_without(map, pair->key))
			pairs->items[len++] = *pair;
	}
	pairs->len = len;
}

const char *otlp_point_instance(struct mc_otlp *otlp, struct otlp_pairs *pairs, size_t more,
				struct mc_otlp_text *joined)
{
	struct instance instance = { .pairs = pairs };

	if (pairs->cut)
		return OTLP_MANY_ATTRIBUTES;
	otlp_origin_read(otlp);
	if (otlp->own.resource.unclear)
		return OTLP_UNCLEAR;
	otlp->sent.attributes_sum = 0;
	otlp->sent.role = is_threshold(otlp) ? MC_OTLP_PASSED_OVER : MC_OTLP_MEASURED;
	if (otlp->own.map != NULL)
		map_pairs(otlp, &instance);
	otlp_origin_sort(pairs->items, pairs->len);
	return join(otlp, &instance, more, joined) || join_hash(otlp, &instance, more, joined) ||
			       join_hashes(otlp, &instance, more, joined)
		       ? NULL
		       : OTLP_LONG_ATTRIBUTES;
}

struct mc_otlp_text otlp_point_plugin(const struct mc_otlp *otlp)
{
	return otlp->own.service.size > 0 ? otlp->own.service : otlp_literal("otlp");
}

const char *otlp_point_plugin_instance(struct mc_otlp *otlp, struct mc_otlp_text *instance)
{
	struct mc_otlp_text metric = otlp->own.metric.name, first = otlp->own.plugin_instance;
	const struct mc_otlp_map *map = otlp->own.map;
	char *text = otlp->own.instance;

	if (map == NULL || map->plugin_instance == NULL) {
		*instance = metric;
	} else if ((map->metric != NULL && otlp_text_is(metric, map->metric)) ||
		   is_threshold(otlp)) {
		*instance = first.size > 0 ? first : otlp_literal("");
	} else if (first.size == 0) {
		*instance = metric;
	} else {
		if (first.size + 1 + metric.size > OTLP_PART_MAX)
			return OTLP_LONG_NAME;
		memcpy(text, first.at, first.size);
		text[first.size] = '-';
		memcpy(text + first.size + 1, metric.at, metric.size);
		*instance = (struct mc_otlp_text){ text, first.size + 1 + metric.size };
	}
	return NULL;
}

const char *otlp_point_count(const struct mc_otlp *otlp, struct mc_otlp_point *point,
			     unsigned template, uint64_t bits)
{
	bool seconds =
		template == OTLP_POINT_DOUBLE && otlp_text_is(otlp->own.metric.said.unit, "s");
	double number;

	point->kind = otlp->own.metric.delta ? MC_ABSOLUTE : MC_DERIVE;
	point->type = otlp_literal(seconds                  ? OTLP_TYPE_SECONDS
				   : otlp->own.metric.delta ? "absolute"
							    : "derive");
	point->value.counter = bits;
	if (template == OTLP_POINT_INT)
		return (int64_t)bits >= 0 ? NULL : "negative count";
	memcpy(&number, &bits, sizeof(number));
	if (!(number >= 0))
		return "negative count";
	if (seconds)
		number = round(number * 1000); /* 0.2 + 0.7 is a bit less than 0.9. */
	if (number >= (double)INT64_MAX)
		return "count out of range";
	point->value.counter = (uint64_t)number;
	return NULL;
}

const char *otlp_point_parts(struct mc_otlp *otlp, struct mc_otlp_point *point,
			     struct mc_otlp_span span)
{
	struct mc_otlp_text *const parts[] = { &point->host, &point->plugin,
					       &point->plugin_instance, &point->type,
					       &point->type_instance };
	const unsigned len = sizeof(parts) / sizeof(*parts);

	for (unsigned i = 0; i < len; i++) {
		const unsigned char *end =
			i + 1 == len ? span.end
				     : memchr(span.at, '\0', (size_t)(span.end - span.at));

		if (end == NULL)
			return OTLP_UNKNOWN_PARTS;
		*parts[i] = (struct mc_otlp_text){ (const char *)span.at, (size_t)(end - span.at) };
		span.at = end + (i + 1 < len);
	}
	otlp_origin_read_all(otlp);
	return NULL;
}

static const char *name_foreign(struct mc_otlp *otlp, struct mc_otlp_point *point, struct raw *raw)
{
	const char *why;

	if (raw->parts.at != NULL) {
		otlp->sent.attributes_sum = otlp_origin_sum(&raw->pairs);
		otlp->sent.role = MC_OTLP_MEASURED;
		return otlp_point_parts(otlp, point, raw->parts);
	}
	why = otlp_point_instance(otlp, &raw->pairs, 0, &point->type_instance);
	if (why == NULL)
		why = otlp_point_plugin_instance(otlp, &point->plugin_instance);
	point->plugin = otlp_point_plugin(otlp);
	return why;
}

static const char *count_foreign(const struct mc_otlp *otlp, struct mc_otlp_point *point,
				 const struct raw *raw)
{
	/* The fractions of deltas would be lost; a gauge keeps them. */
	bool counts = otlp->own.metric.template == OTLP_METRIC_SUM && otlp->own.metric.monotonic &&
		      (raw->template == OTLP_POINT_INT || !otlp->own.metric.delta);

	if (counts && raw->no_value)
		return OTLP_VALUELESS;
	if (counts)
		return otlp_point_count(otlp, point, raw->template, raw->number);
	point->kind = MC_GAUGE;
	point->type = otlp_literal("gauge");
	point->value.counter = raw->number;
	if (raw->template == OTLP_POINT_INT)
		point->value.gauge = (double)(int64_t)raw->number;
	return NULL;
}

static const char *read_foreign(struct mc_otlp *otlp, struct mc_otlp_point *point, struct raw *raw)
{
	const char *why = name_foreign(otlp, point, raw);
	struct mc_otlp_text type = point->type;

	if (why == NULL)
		why = count_foreign(otlp, point, raw);
	if (type.size > 0)
		point->type = type; /* A judge may have given it another. */
	otlp->sent.part = MC_METRIC_VALUE;
	otlp->sent.bound = 0;
	otlp->sent.integer = raw->template == OTLP_POINT_INT;
	otlp->sent.start = otlp->own.metric.delta || otlp->own.metric.template == OTLP_METRIC_GAUGE
				   ? 0
				   : raw->start;
	return why;
}

/* --- Points -------------------------------------------------------------- */

const char *otlp_point_fault(const struct mc_otlp_point *point)
{
	const struct mc_otlp_text *parts[] = { &point->host, &point->plugin,
					       &point->plugin_instance, &point->type,
					       &point->type_instance };
	const char *why = NULL;

	for (unsigned i = 0; i < 5 && why == NULL; i++)
		why = otlp_part_fault(*parts[i]);
	return why;
}

const char *otlp_point_read(struct mc_otlp *otlp, struct mc_otlp_point *point,
			    struct mc_otlp_span span)
{
	const char *why;
	struct raw raw;

	read_raw(&raw, span, &otlp->own.broken);
	otlp->sent.point = span;
	point->host = otlp->own.host;
	point->plugin_instance = point->type_instance = point->type = otlp_literal("");
	point->source = otlp_literal("");
	point->place = raw.place;
	point->stamp.time = (mc_time)raw.time;
	point->stamp.interval = otlp->own.metric.interval;
	point->rate = raw.rate;
	if (raw.no_value && otlp->own.metric.template == OTLP_METRIC_GAUGE) {
		raw.template = OTLP_POINT_DOUBLE;
		memcpy(&raw.number, &(double){ NAN }, sizeof(raw.number));
		point->place.value = NULL; /* It is not what is there. */
	}
	if (raw.template == 0 || (raw.no_value && raw.template == OTLP_POINT_INT))
		return OTLP_VALUELESS;
	if (point->stamp.time < 0 || point->stamp.interval < 0)
		return "time out of range";
	why = otlp->own.metric.native ? read_native(otlp, point, &raw)
				      : read_foreign(otlp, point, &raw);
	return why != NULL ? why : otlp_point_fault(point);
}

static char *append(char *at, struct mc_otlp_text text)
{
	memcpy(at, text.at, text.size);
	return at + text.size;
}

static char *append_instance(char *at, struct mc_otlp_text text)
{
	if (text.size > 0)
		*at++ = '-';
	return append(at, text);
}

void otlp_point_name(struct mc_otlp *otlp, const struct mc_otlp_point *point)
{
	char *at = otlp->own.text;

	otlp->name = (struct mc_name_parts){
		otlp->own.text,     point->host.size,
		point->plugin.size, point->plugin_instance.size,
		point->type.size,   point->type_instance.size,
	};
	at = append(at, point->host);
	*at++ = '/';
	at = append_instance(append(at, point->plugin), point->plugin_instance);
	*at++ = '/';
	at = append_instance(append(at, point->type), point->type_instance);
	*at = '\0';
}
