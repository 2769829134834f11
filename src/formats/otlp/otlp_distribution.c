/* SPDX-License-Identifier: MIT */
/* Facts: metrics.proto of opentelemetry-proto 1.x; the OpenTelemetry specification, "Metrics Data
 * Model", for what a bucket holds, and "Prometheus and OpenMetrics Compatibility" for names.
 *
 * A bucket of an exponential histogram has the numbers above 2^(index/2^scale),
 * up to the same of index + 1.  Its scale falls as numbers come that are
 * further apart, and with it all bounds change but the powers of two. */
#include "formats/otlp/otlp_distribution.h"

#include <math.h>

#include <collector/print.h>

#include "formats/otlp/otlp_origin.h"
#include "formats/otlp/otlp_point.h"
#include "formats/protobuf.h"

/* Samples of a point, in this order; those from FIRST on are its buckets or quantiles. */
enum { COUNT, SUM, MIN, MAX, FIRST };

#define SCALE_MIN (-10) /* The least, and the largest, that doubles need. */
#define SCALE_MAX 20
#define EXPONENT_MAX 2000 /* Beyond all doubles. */

#define LONGEST_SUFFIX "_bucket"
#define LABEL_ROOM (sizeof(",quantile=") + 24) /* With the longest number. */

#define TOO_MANY "more than 256 buckets"

struct sent { /* A point as it is sent, as far as it is not in its place. */
	struct otlp_pairs pairs;
	bool no_value, cut;
	unsigned bounds_len, counts_len;
	int64_t scale;
	uint64_t zeros;
	double threshold;
	struct mc_otlp_span positive, negative;
	struct mc_otlp_span parts; /* Of the name, by a collector. */
};

/* --- Fields --------------------------------------------------------------- */

/* Where the fields are that all have, but not under the same number. */
static const struct numbers {
	uint8_t min, max, attributes, flags;
} numbers_of[] = {
	[OTLP_METRIC_HISTOGRAM] = { OTLP_HISTOGRAM_MIN, OTLP_HISTOGRAM_MAX,
				    OTLP_HISTOGRAM_ATTRIBUTES, 10 },
	[OTLP_METRIC_EXPONENTIAL] = { OTLP_EXPONENTIAL_MIN, OTLP_EXPONENTIAL_MAX,
				      OTLP_EXPONENTIAL_ATTRIBUTES, 10 },
	[OTLP_METRIC_SUMMARY] = { 0, 0, OTLP_POINT_ATTRIBUTES, OTLP_POINT_FLAGS },
};

static int64_t zigzag(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static double double_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Numbers of 64 bits, packed or each for itself, after the 'len' present ones; '*len' goes on
 * where there is no more room. */
static void add_numbers(union mc_value *items, unsigned *len, const struct protobuf_field *field,
			bool *broken)
{
	struct mc_otlp_span span = field->span;
	uint64_t number = field->value;

	if (field->wire == PROTOBUF_64BIT) {
		if (*len < MC_OTLP_BUCKETS_MAX)
			items[*len].counter = number;
		++*len;
	} else if (field->wire == PROTOBUF_BYTES) {
		for (; protobuf_take_fixed64(&span, &number); ++*len)
			if (*len < MC_OTLP_BUCKETS_MAX)
				items[*len].counter = number;
		*broken |= span.at < span.end;
	}
}

static void add_quantile(struct mc_otlp *otlp, struct sent *sent, struct mc_otlp_span span)
{
	union mc_value quantile = { .gauge = 0 }, value = { .gauge = 0 };
	struct protobuf_field field;

	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.wire != PROTOBUF_64BIT)
			continue;
		if (field.number == OTLP_QUANTILE_QUANTILE)
			quantile.counter = field.value;
		else if (field.number == OTLP_QUANTILE_VALUE)
			value.counter = field.value;
	}
	if (sent->bounds_len < MC_OTLP_BUCKETS_MAX) {
		otlp->own.distribution.bounds[sent->bounds_len] = quantile;
		otlp->own.distribution.counts[sent->bounds_len] = value;
	}
	sent->bounds_len++;
}

/* The fields that only one of the three has. */
static void read_special(struct mc_otlp *otlp, struct sent *sent,
			 const struct protobuf_field *field)
{
	unsigned template = otlp->own.metric.template;
	bool *broken = &otlp->own.broken;

	if (template == OTLP_METRIC_HISTOGRAM) {
		if (field->number == OTLP_HISTOGRAM_COUNTS)
			add_numbers(otlp->own.distribution.counts, &sent->counts_len, field,
				    broken);
		else if (field->number == OTLP_HISTOGRAM_BOUNDS)
			add_numbers(otlp->own.distribution.bounds, &sent->bounds_len, field,
				    broken);
	} else if (template == OTLP_METRIC_SUMMARY) {
		if (field->number == OTLP_SUMMARY_QUANTILES && field->wire == PROTOBUF_BYTES)
			add_quantile(otlp, sent, field->span);
	} else if (field->wire == PROTOBUF_VARINT) {
		if (field->number == OTLP_EXPONENTIAL_SCALE)
			sent->scale = zigzag(field->value);
	} else if (field->wire == PROTOBUF_64BIT) {
		if (field->number == OTLP_EXPONENTIAL_ZEROS)
			sent->zeros = field->value;
		else if (field->number == OTLP_EXPONENTIAL_THRESHOLD)
			sent->threshold = double_of(field->value);
	} else if (field->wire == PROTOBUF_BYTES) {
		if (field->number == OTLP_EXPONENTIAL_POSITIVE)
			sent->positive = field->span;
		else if (field->number == OTLP_EXPONENTIAL_NEGATIVE)
			sent->negative = field->span;
	}
}

/* Whether it is one that all have, which then is read. */
static bool read_common(struct mc_otlp *otlp, struct sent *sent, const struct protobuf_field *field)
{
	const struct numbers *numbers = &numbers_of[otlp->own.metric.template];
	bool is_number = field->wire == PROTOBUF_64BIT;

	if (field->number == OTLP_POINT_TIME && is_number)
		otlp->own.distribution.time = (mc_time)field->value;
	else if (field->number == OTLP_POINT_START && is_number)
		otlp->sent.start = (mc_time)field->value;
	else if (field->number == OTLP_POINT_PARTS && field->wire == PROTOBUF_BYTES)
		sent->parts = field->span;
	else if (field->number == OTLP_POINT_COUNT && is_number)
		otlp->own.distribution.count = field->value;
	else if (field->number == OTLP_POINT_SUM && is_number)
		otlp->own.distribution.sum = double_of(field->value);
	else if (field->number == numbers->min && is_number)
		otlp->own.distribution.min = double_of(field->value);
	else if (field->number == numbers->max && is_number)
		otlp->own.distribution.max = double_of(field->value);
	else if (field->number == numbers->flags && field->wire == PROTOBUF_VARINT)
		sent->no_value = field->value & OTLP_NO_VALUE;
	else if (field->number == numbers->attributes && field->wire == PROTOBUF_BYTES)
		otlp_pairs_add(&sent->pairs, field->span, &otlp->own.broken);
	else
		return false;
	return true;
}

static void read_fields(struct mc_otlp *otlp, struct sent *sent, struct mc_otlp_span span)
{
	struct protobuf_field field;

	otlp->own.distribution.time = 0;
	otlp->own.distribution.count = 0;
	otlp->own.distribution.sum = NAN;
	otlp->own.distribution.min = otlp->own.distribution.max = NAN;
	while (protobuf_take(&span, &field, &otlp->own.broken))
		if (!read_common(otlp, sent, &field))
			read_special(otlp, sent, &field);
}

/* --- Buckets of an exponential histogram ---------------------------------- */

static int64_t floor_power(int64_t index, int64_t scale)
{
	return scale >= 0 ? index >> scale : index * ((int64_t)1 << (unsigned)-scale);
}

/* A power of two that no number of the bucket is above. */
static double bound_of(int64_t index, int64_t scale, bool negative)
{
	int64_t exponent = negative     ? floor_power(index, scale)
			   : scale >= 0 ? floor_power(index, scale) + 1
					: floor_power(index + 1, scale);

	if (exponent > EXPONENT_MAX)
		exponent = EXPONENT_MAX;
	if (exponent < -EXPONENT_MAX)
		exponent = -EXPONENT_MAX;
	return ldexp(negative ? -1 : 1, (int)exponent);
}

/* Adds it to the bucket before, if that has the same bound. */
static void add_bucket(struct mc_otlp *otlp, struct sent *sent, double bound, uint64_t count)
{
	union mc_value *counts = otlp->own.distribution.counts;
	union mc_value *bounds = otlp->own.distribution.bounds;
	unsigned len = sent->bounds_len;

	if (bound == INFINITY)
		return; /* They are in the count of all. */
	if (count > INT64_MAX)
		count = (uint64_t)INT64_MAX + 1; /* Found when added up. */
	if (len > 0 && bounds[len - 1].gauge == bound && counts[len - 1].counter <= INT64_MAX) {
		counts[len - 1].counter += count;
	} else if (len == MC_OTLP_BUCKETS_MAX) {
		sent->cut = true;
	} else {
		bounds[len].gauge = bound;
		counts[len].counter = count;
		sent->bounds_len++;
	}
}

static int64_t read_offset(struct mc_otlp_span span, bool *broken)
{
	struct protobuf_field field;
	int64_t offset = 0;

	while (span.at != NULL && protobuf_take(&span, &field, broken))
		if (field.number == OTLP_BUCKETS_OFFSET && field.wire == PROTOBUF_VARINT)
			offset = (int32_t)zigzag((uint32_t)field.value);
	return offset;
}

/* The buckets of one sign, from the one next to zero. */
static void add_buckets(struct mc_otlp *otlp, struct sent *sent, struct mc_otlp_span span,
			bool negative)
{
	bool *broken = &otlp->own.broken;
	int64_t index = read_offset(span, broken);
	struct protobuf_field field;
	uint64_t count;

	while (span.at != NULL && protobuf_take(&span, &field, broken)) {
		if (field.number != OTLP_BUCKETS_COUNTS)
			continue;
		if (field.wire == PROTOBUF_VARINT)
			add_bucket(otlp, sent, bound_of(index++, sent->scale, negative),
				   field.value);
		if (field.wire != PROTOBUF_BYTES)
			continue;
		while (protobuf_take_varint(&field.span, &count))
			add_bucket(otlp, sent, bound_of(index++, sent->scale, negative), count);
		*broken |= field.span.at < field.span.end;
	}
}

static void reverse(union mc_value *items, unsigned len)
{
	for (unsigned i = 0; i < len / 2; i++) {
		union mc_value item = items[i];

		items[i] = items[len - 1 - i];
		items[len - 1 - i] = item;
	}
}

static const char *add_exponential(struct mc_otlp *otlp, struct sent *sent)
{
	if (sent->scale < SCALE_MIN || sent->scale > SCALE_MAX)
		return "scale out of range";
	add_buckets(otlp, sent, sent->negative, true);
	reverse(otlp->own.distribution.bounds, sent->bounds_len);
	reverse(otlp->own.distribution.counts, sent->bounds_len);
	if (sent->zeros > 0 || sent->bounds_len > 0)
		add_bucket(otlp, sent, sent->threshold, sent->zeros);
	add_buckets(otlp, sent, sent->positive, false);
	return sent->cut ? TOO_MANY : NULL;
}

/* --- A point -------------------------------------------------------------- */

/* Makes each count cumulative: the number of values up to its bound. */
static const char *add_up(struct mc_otlp *otlp, unsigned len)
{
	const union mc_value *bounds = otlp->own.distribution.bounds;
	union mc_value *counts = otlp->own.distribution.counts;
	double before = -INFINITY;
	uint64_t sum = 0;

	for (unsigned i = 0; i < len; before = bounds[i++].gauge) {
		if (!(bounds[i].gauge > before)) /* As of NaN. */
			return "bounds of buckets that do not rise";
		if (counts[i].counter > INT64_MAX - sum)
			return "count out of range";
		counts[i].counter = sum += counts[i].counter;
	}
	return NULL;
}

static const char *read_buckets(struct mc_otlp *otlp, struct sent *sent)
{
	const char *why = NULL;

	if (otlp->own.metric.template == OTLP_METRIC_EXPONENTIAL)
		why = add_exponential(otlp, sent);
	else if (sent->bounds_len > MC_OTLP_BUCKETS_MAX || sent->counts_len > MC_OTLP_BUCKETS_MAX)
		return TOO_MANY;
	else if (otlp->own.metric.template == OTLP_METRIC_SUMMARY)
		return NULL;
	else if (sent->counts_len == 0) /* Only a count and a sum. */
		sent->bounds_len = 0;
	else if (sent->counts_len != sent->bounds_len + 1)
		return "not a count for each bucket";
	return why != NULL ? why : add_up(otlp, sent->bounds_len);
}

/* The common part of all samples of the point. */
static void begin_point(struct mc_otlp *otlp, struct mc_otlp_point *point, const char *suffix)
{
	size_t size = otlp->own.distribution.name_size;
	char *name = otlp->own.distribution.name;

	*point = (struct mc_otlp_point){
		.host = otlp->own.distribution.host,
		.plugin = otlp->own.distribution.plugin,
		.plugin_instance = { name, size + strlen(suffix) },
		.type = otlp_literal("gauge"),
		.type_instance = { otlp->own.joined, otlp->own.distribution.instance_size },
		.source = otlp_literal(""),
		.stamp = { otlp->own.distribution.time, otlp->own.metric.interval },
		.kind = MC_GAUGE,
		.rate = NAN,
	};
	memcpy(name + size, suffix, strlen(suffix));
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* The sum, as a point of a sum would be. */
static const char *set_sum(struct mc_otlp *otlp, struct mc_otlp_point *point)
{
	point->value.gauge = otlp->own.distribution.sum;
	if (isnan(otlp->own.distribution.sum) || otlp->own.metric.delta)
		return NULL;
	return otlp_point_count(otlp, point, OTLP_POINT_DOUBLE,
				bits_of(otlp->own.distribution.sum));
}

/* Sets the parts of the name that a collector has sent. */
static const char *take_parts(struct mc_otlp *otlp, const struct sent *sent,
			      struct mc_otlp_text *instance)
{
	struct mc_otlp_point point;
	const char *why = otlp_point_parts(otlp, &point, sent->parts);

	if (why != NULL)
		return why;
	if (point.type_instance.size + LABEL_ROOM > OTLP_PART_MAX)
		return OTLP_LONG_ATTRIBUTES;
	memcpy(otlp->own.joined, point.type_instance.at, point.type_instance.size);
	otlp->own.distribution.instance_size = point.type_instance.size;
	otlp->own.distribution.host = point.host;
	otlp->own.distribution.plugin = point.plugin;
	otlp->sent.attributes_sum = otlp_origin_sum(&sent->pairs);
	*instance = point.plugin_instance;
	return NULL;
}

static const char *set_parts(struct mc_otlp *otlp, struct sent *sent, struct mc_otlp_text *instance)
{
	struct mc_otlp_text joined;
	const char *why;

	if (sent->parts.at != NULL)
		return take_parts(otlp, sent, instance);
	why = otlp_point_instance(otlp, &sent->pairs, LABEL_ROOM, &joined);
	if (why != NULL)
		return why;
	otlp->own.distribution.instance_size = joined.size;
	otlp->own.distribution.host = otlp->own.host;
	otlp->own.distribution.plugin = otlp_point_plugin(otlp);
	return otlp_point_plugin_instance(otlp, instance);
}

/* NULL, or why not all samples of the point can be made, whose plugin instance begins so. */
static const char *point_fault(struct mc_otlp *otlp, struct mc_otlp_text instance)
{
	struct mc_otlp_point point;
	const char *why;

	if (instance.size + strlen(LONGEST_SUFFIX) > OTLP_PART_MAX)
		return OTLP_LONG_NAME;
	memcpy(otlp->own.distribution.name, instance.at, instance.size);
	otlp->own.distribution.name_size = instance.size;
	begin_point(otlp, &point, LONGEST_SUFFIX);
	if (point.stamp.time < 0 || point.stamp.interval < 0)
		return "time out of range";
	if (otlp->own.distribution.count > INT64_MAX)
		return "count out of range";
	why = set_sum(otlp, &point);
	return why != NULL ? why : otlp_point_fault(&point);
}

const char *otlp_distribution_read(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct sent sent;
	struct mc_otlp_text instance;
	const char *why;

	sent.pairs.len = 0; /* Its content need not be zeroed. */
	sent.pairs.cut = sent.no_value = sent.cut = false;
	sent.bounds_len = sent.counts_len = 0;
	sent.scale = 0;
	sent.zeros = 0;
	sent.threshold = 0;
	sent.positive = sent.negative = sent.parts = (struct mc_otlp_span){ 0 };
	otlp->sent.point = span;
	otlp->sent.start = 0;
	otlp->sent.role = MC_OTLP_MEASURED;
	read_fields(otlp, &sent, span);
	if (sent.no_value)
		return OTLP_VALUELESS;
	why = read_buckets(otlp, &sent);
	if (why != NULL)
		return why;
	if (otlp->own.metric.delta)
		otlp->sent.start = 0;
	why = set_parts(otlp, &sent, &instance);
	if (why != NULL)
		return why;
	otlp->own.distribution.len = sent.bounds_len;
	otlp->own.distribution.next = COUNT;
	otlp->own.distribution.refused = false;
	if (sent.bounds_len + FIRST > otlp->own.distribution.samples_left)
		return "more buckets than a request of its size may have";
	otlp->own.distribution.samples_left -= sent.bounds_len + FIRST;
	return point_fault(otlp, instance);
}

/* --- Its samples ---------------------------------------------------------- */

static bool is_there(const struct mc_otlp *otlp, unsigned n)
{
	switch (n) {
	case COUNT:
		return true;
	case SUM:
		return !isnan(otlp->own.distribution.sum);
	case MIN:
		return !isnan(otlp->own.distribution.min);
	case MAX:
		return !isnan(otlp->own.distribution.max);
	default:
		return n - FIRST < otlp->own.distribution.len;
	}
}

bool otlp_distribution_left(const struct mc_otlp *otlp)
{
	return otlp->own.distribution.next < FIRST + otlp->own.distribution.len;
}

/* Appends "key=number" to the type instance, as short as it is exact. */
static void append_label(struct mc_otlp *otlp, struct mc_otlp_point *point, const char *key,
			 double number)
{
	struct otlp_pair pair = { .key = otlp_literal(key), .template = OTLP_ANY_STRING };
	char text[MC_PRINT_DOUBLE_SIZE + 1];

	text[mc_print_double(text, number)] = '\0';
	pair.text = otlp_literal(text);
	otlp_origin_append(otlp->own.joined, &point->type_instance.size, &pair);
}

static void set_count(const struct mc_otlp *otlp, struct mc_otlp_point *point, uint64_t count)
{
	otlp_point_count(otlp, point, OTLP_POINT_INT, count);
}

bool otlp_distribution_next(struct mc_otlp *otlp, struct mc_otlp_point *point)
{
	static const char *const suffixes[] = { "_count", "_sum", "_min", "_max", "_bucket" };
	static const enum mc_metric_part first_parts[] = {
		[COUNT] = MC_METRIC_COUNT,
		[SUM] = MC_METRIC_SUM,
		[MIN] = MC_METRIC_MIN,
		[MAX] = MC_METRIC_MAX,
	};
	bool summary = otlp->own.metric.template == OTLP_METRIC_SUMMARY;
	unsigned n = otlp->own.distribution.next++;
	unsigned i = n < FIRST ? 0 : n - FIRST;

	otlp->sent.part = n < FIRST ? first_parts[n]
			  : summary ? MC_METRIC_QUANTILE
				    : MC_METRIC_BUCKET;
	otlp->sent.bound = n < FIRST ? 0 : otlp->own.distribution.bounds[i].gauge;
	otlp->sent.integer = false;
	begin_point(otlp, point, n < FIRST ? suffixes[n] : summary ? "" : suffixes[FIRST]);
	if (n == COUNT)
		set_count(otlp, point, otlp->own.distribution.count);
	else if (n == SUM)
		set_sum(otlp, point);
	else if (n < FIRST)
		point->value.gauge =
			n == MIN ? otlp->own.distribution.min : otlp->own.distribution.max;
	else if (summary)
		point->value = otlp->own.distribution.counts[i];
	else
		set_count(otlp, point, otlp->own.distribution.counts[i].counter);
	if (n >= FIRST)
		append_label(otlp, point, summary ? "quantile" : "le",
			     otlp->own.distribution.bounds[i].gauge);
	while (otlp->own.distribution.next < FIRST && !is_there(otlp, otlp->own.distribution.next))
		otlp->own.distribution.next++;
	return n != COUNT && (n < FIRST || summary);
}
