/* SPDX-License-Identifier: MIT */
/* Facts: metrics.proto of opentelemetry-proto 1.x; the OpenTelemetry specification, "Metrics Data
 * Model", for the buckets of an exponential histogram.  These are put together between powers of
 * two when they are read, so the scale of the point is 0. */
#include "engine/otlp/foreign/otlp_foreign_point.h"

#include <math.h>

#include "engine/otlp/otlp_number.h"
#include "formats/otlp/otlp_distribution.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"
#include "model/series.h"

#define LABEL_SIZE 24 /* Bytes of a label at most, without its texts. */

static const union mc_value *value_of(const struct otlp_foreign *one)
{
	return &one->sample->values[one->source];
}

static enum mc_kind kind_of(const struct otlp_foreign *one)
{
	return one->sample->series->type->sources[one->source].kind;
}

/* Seconds with a fraction are kept in milliseconds. */
static double divisor_of(const struct otlp_foreign *one)
{
	if (kind_of(one) != MC_GAUGE && one->unit == NULL &&
	    strcmp(one->sample->series->type->name, OTLP_TYPE_SECONDS) == 0)
		return 1000;
	return one->divisor;
}

static double number_of(const struct otlp_foreign *one)
{
	if (kind_of(one) == MC_GAUGE)
		return value_of(one)->gauge / one->divisor;
	return (double)value_of(one)->derive / divisor_of(one);
}

/* The samples of a point by their part. */
struct parts {
	const struct otlp_foreign *count, *sum, *min, *max;
	const struct otlp_foreign *buckets; /* Or quantiles, from the least bound on. */
	size_t buckets_len;
};

static struct parts parts_of(const struct otlp_foreign *items, size_t len)
{
	struct parts parts = { 0 };

	for (size_t i = 0; i < len; i++) {
		switch (items[i].metric.part) {
		case MC_METRIC_COUNT:
			parts.count = &items[i];
			break;
		case MC_METRIC_SUM:
			parts.sum = &items[i];
			break;
		case MC_METRIC_MIN:
			parts.min = &items[i];
			break;
		case MC_METRIC_MAX:
			parts.max = &items[i];
			break;
		default:
			if (parts.buckets_len++ == 0)
				parts.buckets = &items[i];
		}
	}
	return parts;
}

static uint64_t count_up_to(const struct parts *parts, size_t bucket)
{
	return value_of(&parts->buckets[bucket])->counter;
}

/* Those in a bucket alone. */
static uint64_t count_in(const struct parts *parts, size_t bucket)
{
	return count_up_to(parts, bucket) - (bucket > 0 ? count_up_to(parts, bucket - 1) : 0);
}

bool otlp_foreign_point_is_complete(const struct otlp_foreign *items, size_t len)
{
	enum mc_metric_kind kind = items[0].metric.kind;
	struct parts parts;
	uint64_t before = 0;

	if (kind < MC_METRIC_HISTOGRAM)
		return len == 1 && items[0].metric.part == MC_METRIC_VALUE;
	parts = parts_of(items, len);
	if (parts.count == NULL || parts.buckets_len > MC_OTLP_BUCKETS_MAX)
		return false;
	for (size_t i = 0; i < parts.buckets_len && kind != MC_METRIC_SUMMARY; i++) {
		if (count_up_to(&parts, i) < before)
			return false;
		before = count_up_to(&parts, i);
	}
	return before <= value_of(parts.count)->counter;
}

unsigned otlp_foreign_point_field(const struct mc_metric *metric)
{
	static const unsigned fields[] = {
		[MC_METRIC_GAUGE] = OTLP_METRIC_GAUGE,
		[MC_METRIC_COUNTER] = OTLP_METRIC_SUM,
		[MC_METRIC_UP_DOWN_COUNTER] = OTLP_METRIC_SUM,
		[MC_METRIC_HISTOGRAM] = OTLP_METRIC_HISTOGRAM,
		[MC_METRIC_EXPONENTIAL_HISTOGRAM] = OTLP_METRIC_EXPONENTIAL,
		[MC_METRIC_SUMMARY] = OTLP_METRIC_SUMMARY,
	};

	return fields[metric->kind];
}

/* --- What all points have --------------------------------------------------- */

size_t otlp_foreign_labels_size(const struct mc_metric_labels *labels)
{
	size_t size = 0;

	for (size_t i = 0; i < labels->len; i++)
		size += LABEL_SIZE + strlen(labels->items[i].name) +
			(labels->items[i].encoded_size > 0 ? labels->items[i].encoded_size
							   : strlen(labels->items[i].value));
	return size;
}

unsigned char *otlp_foreign_labels_put(unsigned char *at, unsigned field,
				       const struct mc_metric_labels *labels)
{
	for (size_t i = labels->len; i-- > 0;) {
		const struct mc_metric_label *label = &labels->items[i];
		unsigned char *end = at;

		if (label->encoded_size > 0)
			at = protobuf_put_raw(at, label->encoded, label->encoded_size);
		else
			at = protobuf_put_text(at, OTLP_ANY_STRING, label->value,
					       strlen(label->value));
		at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
		at = protobuf_put_text(at, OTLP_PAIR_KEY, label->name, strlen(label->name));
		at = protobuf_put_head(at, field, end);
	}
	return at;
}

static unsigned char *put_double(unsigned char *at, unsigned field, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return protobuf_put_fixed64(at, field, bits);
}

static size_t suffix_size(enum mc_metric_part part)
{
	static const char *const suffixes[] = {
		[MC_METRIC_VALUE] = "",    [MC_METRIC_COUNT] = "_count",
		[MC_METRIC_SUM] = "_sum",  [MC_METRIC_MIN] = "_min",
		[MC_METRIC_MAX] = "_max",  [MC_METRIC_BUCKET] = "_bucket",
		[MC_METRIC_QUANTILE] = "",
	};

	return strlen(suffixes[part]);
}

/* The five parts of the name, separated by '\0'; of a histogram the count's, without a suffix. */
static unsigned char *put_parts(unsigned char *at, const struct otlp_foreign *one)
{
	const struct mc_series *series = one->sample->series;
	const struct {
		const char *text;
		size_t left_out;
	} parts[] = {
		{ mc_host(series), 0 },
		{ mc_plugin(series), 0 },
		{ mc_plugin_instance(series), suffix_size(one->metric.part) },
		{ mc_type(series)->name, 0 },
		{ mc_type_instance(series), 0 },
	};
	unsigned char *end = at;

	for (size_t i = sizeof(parts) / sizeof(*parts); i-- > 0;) {
		size_t size = strlen(parts[i].text);

		size -= size > parts[i].left_out ? parts[i].left_out : size;
		at = protobuf_put_raw(at, parts[i].text, size);
		if (i > 0)
			*--at = '\0';
	}
	at = protobuf_put_varint(at, (uint64_t)(end - at));
	return protobuf_put_varint(at, PROTOBUF_TAG(OTLP_POINT_PARTS, PROTOBUF_BYTES));
}

static unsigned char *put_times(unsigned char *at, const struct otlp_foreign *one)
{
	mc_time start =
		one->metric.delta ? one->sample->time - one->sample->interval : one->metric.start;

	at = protobuf_put_fixed64(at, OTLP_POINT_TIME, (uint64_t)one->sample->time);
	if (start > 0)
		at = protobuf_put_fixed64(at, OTLP_POINT_START, (uint64_t)start);
	return at;
}

/* --- Numbers ---------------------------------------------------------------- */

static unsigned char *put_number(unsigned char *at, const struct otlp_foreign *one)
{
	struct otlp_number number =
		otlp_number(kind_of(one), *value_of(one), divisor_of(one), one->metric.integer);

	if (number.field == OTLP_POINT_FLAGS)
		return protobuf_put_number(at, number.field, number.bits);
	return protobuf_put_fixed64(at, number.field, number.bits);
}

static unsigned char *put_number_point(unsigned char *at, const struct otlp_foreign *one)
{
	unsigned char *end = at;

	if (one->unit == NULL)
		at = put_parts(at, one);
	at = otlp_foreign_labels_put(at, OTLP_POINT_ATTRIBUTES, &one->metric.labels);
	at = put_number(at, one);
	at = put_times(at, one);
	return protobuf_put_head(at, OTLP_DATA_POINTS, end);
}

/* --- Histograms and summaries ----------------------------------------------- */

/* Numbers of 64 bits, before 'at'. */
static unsigned char *put_bits(unsigned char *at, uint64_t bits)
{
	bits = htole64(bits);
	return protobuf_put_raw(at, &bits, sizeof(bits));
}

static unsigned char *put_optional(unsigned char *at, unsigned field,
				   const struct otlp_foreign *one)
{
	return one != NULL ? put_double(at, field, number_of(one)) : at;
}

static unsigned char *put_explicit(unsigned char *at, const struct parts *parts)
{
	unsigned char *end = at;
	size_t len = parts->buckets_len;

	if (len == 0)
		return at;
	for (size_t i = len; i-- > 0;) {
		uint64_t bits;

		memcpy(&bits, &parts->buckets[i].metric.bound, sizeof(bits));
		at = put_bits(at, bits);
	}
	at = protobuf_put_head(at, OTLP_HISTOGRAM_BOUNDS, end);
	end = at;
	at = put_bits(at, value_of(parts->count)->counter - count_up_to(parts, len - 1));
	for (size_t i = len; i-- > 0;)
		at = put_bits(at, count_in(parts, i));
	return protobuf_put_head(at, OTLP_HISTOGRAM_COUNTS, end);
}

static unsigned char *put_histogram(unsigned char *at, const struct parts *parts)
{
	at = put_optional(at, OTLP_HISTOGRAM_MAX, parts->max);
	at = put_optional(at, OTLP_HISTOGRAM_MIN, parts->min);
	at = otlp_foreign_labels_put(at, OTLP_HISTOGRAM_ATTRIBUTES, &parts->count->metric.labels);
	at = put_explicit(at, parts);
	at = put_optional(at, OTLP_POINT_SUM, parts->sum);
	return protobuf_put_fixed64(at, OTLP_POINT_COUNT, value_of(parts->count)->counter);
}

static unsigned char *put_zigzag(unsigned char *at, unsigned field, int64_t number)
{
	return protobuf_put_number(at, field, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* The index of the bucket with that bound, which has the numbers up to it; below zero, from it
 * down. */
static int index_of(double bound)
{
	int exponent;

	frexp(fabs(bound), &exponent); /* A power of two is 0.5 times that of its exponent. */
	return bound > 0 ? exponent - 2 : exponent - 1;
}

/* The buckets from 'begin' to before 'end', of one sign, with the empty ones between them. */
static unsigned char *put_buckets(unsigned char *at, unsigned field, const struct parts *parts,
				  size_t begin, size_t end)
{
	unsigned char *message_end = at, *counts_end = at;
	bool negative = begin < end && parts->buckets[begin].metric.bound < 0;
	int least = 0;

	if (begin == end)
		return at;
	for (size_t n = 0; n < end - begin; n++) { /* From the largest index to the least. */
		size_t bucket = negative ? begin + n : end - 1 - n;
		int index = index_of(parts->buckets[bucket].metric.bound);

		for (; n > 0 && least > index + 1; least--)
			at = protobuf_put_varint(at, 0);
		at = protobuf_put_varint(at, count_in(parts, bucket));
		least = index;
	}
	at = protobuf_put_head(at, OTLP_BUCKETS_COUNTS, counts_end);
	if (least != 0)
		at = put_zigzag(at, OTLP_BUCKETS_OFFSET, least);
	return protobuf_put_head(at, field, message_end);
}

static bool is_power_of_two(double number)
{
	int exponent;

	return number > 0 && frexp(number, &exponent) == 0.5;
}

static unsigned char *put_exponential(unsigned char *at, const struct parts *parts)
{
	size_t negatives = 0, positives;
	bool has_zero;

	while (negatives < parts->buckets_len && parts->buckets[negatives].metric.bound < 0)
		negatives++;
	has_zero = negatives < parts->buckets_len &&
		   !is_power_of_two(parts->buckets[negatives].metric.bound);
	positives = negatives + has_zero;
	if (has_zero && parts->buckets[negatives].metric.bound > 0)
		at = put_double(at, OTLP_EXPONENTIAL_THRESHOLD,
				parts->buckets[negatives].metric.bound);
	at = put_optional(at, OTLP_EXPONENTIAL_MAX, parts->max);
	at = put_optional(at, OTLP_EXPONENTIAL_MIN, parts->min);
	at = put_buckets(at, OTLP_EXPONENTIAL_NEGATIVE, parts, 0, negatives);
	at = put_buckets(at, OTLP_EXPONENTIAL_POSITIVE, parts, positives, parts->buckets_len);
	if (has_zero && count_in(parts, negatives) > 0)
		at = protobuf_put_fixed64(at, OTLP_EXPONENTIAL_ZEROS, count_in(parts, negatives));
	at = put_optional(at, OTLP_POINT_SUM, parts->sum);
	at = protobuf_put_fixed64(at, OTLP_POINT_COUNT, value_of(parts->count)->counter);
	return otlp_foreign_labels_put(at, OTLP_EXPONENTIAL_ATTRIBUTES,
				       &parts->count->metric.labels);
}

static unsigned char *put_summary(unsigned char *at, const struct parts *parts)
{
	at = otlp_foreign_labels_put(at, OTLP_POINT_ATTRIBUTES, &parts->count->metric.labels);
	for (size_t i = parts->buckets_len; i-- > 0;) {
		unsigned char *end = at;

		at = put_double(at, OTLP_QUANTILE_VALUE, number_of(&parts->buckets[i]));
		at = put_double(at, OTLP_QUANTILE_QUANTILE, parts->buckets[i].metric.bound);
		at = protobuf_put_head(at, OTLP_SUMMARY_QUANTILES, end);
	}
	at = put_optional(at, OTLP_POINT_SUM, parts->sum);
	return protobuf_put_fixed64(at, OTLP_POINT_COUNT, value_of(parts->count)->counter);
}

unsigned char *otlp_foreign_point_put(unsigned char *at, const struct otlp_foreign *items,
				      size_t len)
{
	enum mc_metric_kind kind = items[0].metric.kind;
	struct parts parts;
	unsigned char *end = at;

	if (kind < MC_METRIC_HISTOGRAM)
		return put_number_point(at, &items[0]);
	parts = parts_of(items, len);
	at = put_parts(at, parts.count);
	if (kind == MC_METRIC_HISTOGRAM)
		at = put_histogram(at, &parts);
	else if (kind == MC_METRIC_SUMMARY)
		at = put_summary(at, &parts);
	else
		at = put_exponential(at, &parts);
	at = put_times(at, parts.count);
	return protobuf_put_head(at, OTLP_DATA_POINTS, end);
}
