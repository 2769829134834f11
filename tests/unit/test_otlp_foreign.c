/* SPDX-License-Identifier: MIT */
/* Foreign metrics are written as they came: each request here comes out again byte by byte, but for
 * what a collector adds for the next one. */
#include "unit.h"

#include <collector/metadata.h>
#include <collector/metric.h>

#include <endian.h>
#include <math.h>
#include <stdlib.h>

#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"
#include "otlp_desk.h"
#include "otlp_fixture.h"

static void put(struct desk *desk, const void *bytes, size_t size)
{
	struct mc_otlp_owners owners = { 0 };
	const struct mc_otlp_request request = {
		.stamp = { OTLP_TIME, 60 * MC_SECOND },
		.host = "peer",
		.bytes = bytes,
		.size = size,
		.owners = &owners,
	};
	struct mc_otlp_result result;

	assert_true(mc_otlp_put(desk->batch, &request, &result));
	if (result.rejected > 0)
		fail_msg("%s", result.why);
	mc_otlp_owners_done(&owners);
}

/* --- Without what a collector adds ------------------------------------------ */

enum level { REQUEST, RESOURCES, SCOPES, METRIC, DATA, POINT };

static bool leads_on(enum level level, unsigned field)
{
	switch (level) {
	case REQUEST:
		return field == OTLP_REQUEST_RESOURCES;
	case RESOURCES:
		return field == OTLP_RESOURCES_SCOPES;
	case SCOPES:
		return field == OTLP_SCOPES_ITEMS;
	case METRIC:
		return field >= OTLP_METRIC_GAUGE && field <= OTLP_METRIC_SUMMARY;
	case DATA:
		return field == OTLP_DATA_POINTS;
	case POINT:
		break;
	}
	return false;
}

static struct otlp_message without_ours(struct mc_otlp_span span, enum level level)
{
	struct otlp_message out = { .size = 0 };
	struct protobuf_field field;
	const unsigned char *begin = span.at;
	bool broken = false;

	for (; protobuf_take(&span, &field, &broken); begin = span.at) {
		struct otlp_message inner;

		if ((level == METRIC && field.number == OTLP_METRIC_METADATA) ||
		    (level == POINT && field.number == OTLP_POINT_PARTS))
			continue;
		if (field.wire == PROTOBUF_BYTES && leads_on(level, field.number)) {
			inner = without_ours(field.span, level + 1);
			otlp_add_message(&out, field.number, &inner);
		} else {
			otlp_add(&out, begin, (size_t)(span.at - begin));
		}
	}
	assert_false(broken);
	return out;
}

static struct mc_otlp_bytes write_all(struct desk *desk)
{
	struct mc_otlp_bytes bytes;

	assert_non_null(mc_otlp_write(desk->writer, desk->batch, NULL, &bytes));
	return bytes;
}

static void assert_bytes(const struct mc_otlp_bytes *bytes, const struct otlp_message *expected)
{
	const struct mc_otlp_span span = { bytes->at, bytes->at + bytes->size };
	struct otlp_message out = without_ours(span, REQUEST);

	assert_int_equal(out.size, expected->size);
	assert_memory_equal(out.at, expected->at, out.size);
}

/* The request comes out as it went in: here, and at a collector behind, for which this host is
 * another one. */
static void assert_passes(void **state, const struct otlp_message *request)
{
	struct desk *desk = *state;
	struct mc_otlp_bytes bytes;
	struct otlp_message first = { .size = 0 };

	put(desk, request->at, request->size);
	bytes = write_all(desk);
	assert_bytes(&bytes, request);
	otlp_add(&first, bytes.at, bytes.size);
	desk_close(state);
	desk_open(state);
	desk = *state;
	put(desk, first.at, first.size);
	bytes = write_all(desk);
	assert_int_equal(bytes.size, first.size);
	assert_memory_equal(bytes.at, first.at, first.size);
}

/* --- Requests ---------------------------------------------------------------- */

#define BEGUN (OTLP_TIME - 600 * MC_SECOND)

/* A point that began then: start and time. */
static struct otlp_message point_of(mc_time start)
{
	struct otlp_message point = { .size = 0 };

	if (start != 0)
		otlp_add_fixed(&point, OTLP_POINT_START, (uint64_t)start);
	otlp_add_fixed(&point, OTLP_POINT_TIME, OTLP_TIME);
	return point;
}

static void add_sum_fields(struct otlp_message *data, unsigned temporality, bool monotonic)
{
	otlp_add_number(data, OTLP_SUM_TEMPORALITY, temporality);
	if (monotonic)
		otlp_add_number(data, OTLP_SUM_MONOTONIC, 1);
}

static struct otlp_message metric_of(const char *name, const char *unit, unsigned form,
				     const struct otlp_message *data)
{
	struct otlp_message metric = { .size = 0 };

	otlp_add_text(&metric, OTLP_METRIC_NAME, name);
	otlp_add_text(&metric, OTLP_METRIC_DESCRIPTION, "As it came.");
	if (unit != NULL)
		otlp_add_text(&metric, OTLP_METRIC_UNIT, unit);
	otlp_add_message(&metric, form, data);
	return metric;
}

/* Of a service with an array, a number and a text, and of a scope with a version. */
static void make(struct otlp_message *request, const struct otlp_message *metric)
{
	struct otlp_message scope = { .size = 0 }, scopes = { .size = 0 }, list = { .size = 0 };
	struct otlp_message resource = { .size = 0 }, resources = { .size = 0 };
	struct otlp_message any = { .size = 0 }, pair = { .size = 0 }, item = { .size = 0 };

	otlp_add_text(&item, OTLP_ANY_STRING, "--all");
	otlp_add_message(&list, 1, &item);
	otlp_add_message(&any, 5, &list);
	otlp_add_text(&pair, OTLP_PAIR_KEY, "process.command_args");
	otlp_add_message(&pair, OTLP_PAIR_VALUE, &any);
	otlp_add_message(&resource, OTLP_RESOURCE_ATTRIBUTES, &pair);
	any.size = pair.size = 0;
	otlp_add_number(&any, OTLP_ANY_INT, 77);
	otlp_add_text(&pair, OTLP_PAIR_KEY, "process.pid");
	otlp_add_message(&pair, OTLP_PAIR_VALUE, &any);
	otlp_add_message(&resource, OTLP_RESOURCE_ATTRIBUTES, &pair);
	otlp_add_pair(&resource, OTLP_RESOURCE_ATTRIBUTES, "service.name", "shop");
	otlp_add_text(&scope, OTLP_SCOPE_NAME, "library");
	otlp_add_text(&scope, OTLP_SCOPE_VERSION, "1.2");
	otlp_add_pair(&scope, OTLP_SCOPE_ATTRIBUTES, "by", "hand");
	otlp_add_message(&scopes, OTLP_SCOPES_SCOPE, &scope);
	otlp_add_message(&scopes, OTLP_SCOPES_ITEMS, metric);
	otlp_add_message(&resources, OTLP_RESOURCES_RESOURCE, &resource);
	otlp_add_message(&resources, OTLP_RESOURCES_SCOPES, &scopes);
	request->size = 0;
	otlp_add_message(request, OTLP_REQUEST_RESOURCES, &resources);
}

/* --- Numbers ----------------------------------------------------------------- */

struct number {
	const char *name, *unit;
	unsigned form, temporality;
	bool monotonic, integer;
	double value;
};

static void numbers_pass(void **state)
{
	static const struct number numbers[] = {
		{ "queue.size", "{message}", OTLP_METRIC_GAUGE, 0, false, true, -7 },
		{ "load", "1", OTLP_METRIC_GAUGE, 0, false, false, 0.25 },
		{ "http.requests", "{request}", OTLP_METRIC_SUM, OTLP_CUMULATIVE, true, true, 42 },
		{ "cpu.time", "s", OTLP_METRIC_SUM, OTLP_CUMULATIVE, true, false, 1234.567 },
		{ "connections", NULL, OTLP_METRIC_SUM, OTLP_CUMULATIVE, false, true, 3 },
		{ "jobs", "By", OTLP_METRIC_SUM, OTLP_DELTA, true, true, 9 },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct number *number = &numbers[i];
		bool since = number->temporality == OTLP_CUMULATIVE;
		struct otlp_message data = { .size = 0 }, point, metric, request;

		point = point_of(since                               ? BEGUN
				 : number->temporality == OTLP_DELTA ? OTLP_TIME - 60 * MC_SECOND
								     : 0);
		if (number->integer)
			otlp_add_fixed(&point, OTLP_POINT_INT, (uint64_t)(int64_t)number->value);
		else
			otlp_add_double(&point, OTLP_POINT_DOUBLE, number->value);
		otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "code", "200");
		otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "method", "GET");
		otlp_add_message(&data, OTLP_DATA_POINTS, &point);
		if (number->form == OTLP_METRIC_SUM)
			add_sum_fields(&data, number->temporality, number->monotonic);
		metric = metric_of(number->name, number->unit, number->form, &data);
		make(&request, &metric);
		assert_passes(state, &request);
		desk_close(state);
		desk_open(state);
	}
}

/* --- Histograms and summaries -------------------------------------------------- */

/* Numbers of 64 bits, packed: little-endian on any machine. */
static void add_packed(struct otlp_message *to, unsigned field, const void *numbers, size_t len)
{
	uint64_t words[8];

	assert_in_range(len, 1, sizeof(words) / sizeof(words[0]));
	memcpy(words, numbers, len * sizeof(words[0]));
	for (size_t i = 0; i < len; i++)
		words[i] = htole64(words[i]);
	otlp_add_bytes(to, field, words, len * sizeof(words[0]));
}

static struct otlp_message histogram_point(void)
{
	static const double bounds[] = { 0.5, 1, 2.5 };
	static const uint64_t counts[] = { 1, 0, 5, 2 };
	struct otlp_message point = point_of(BEGUN);

	otlp_add_fixed(&point, OTLP_POINT_COUNT, 8);
	otlp_add_double(&point, OTLP_POINT_SUM, 12.5);
	add_packed(&point, OTLP_HISTOGRAM_COUNTS, counts, 4);
	add_packed(&point, OTLP_HISTOGRAM_BOUNDS, bounds, 3);
	otlp_add_pair(&point, OTLP_HISTOGRAM_ATTRIBUTES, "route", "/a");
	otlp_add_double(&point, OTLP_HISTOGRAM_MIN, 0.25);
	otlp_add_double(&point, OTLP_HISTOGRAM_MAX, 3);
	return point;
}

static void make_histogram(struct otlp_message *request)
{
	struct otlp_message data = { .size = 0 }, point = histogram_point(), metric;

	otlp_add_message(&data, OTLP_DATA_POINTS, &point);
	add_sum_fields(&data, OTLP_CUMULATIVE, false);
	metric = metric_of("http.duration", "s", OTLP_METRIC_HISTOGRAM, &data);
	make(request, &metric);
}

/* Its sum of seconds is kept in milliseconds. */
static void a_histogram_passes(void **state)
{
	struct otlp_message request;

	make_histogram(&request);
	assert_passes(state, &request);
}

static void add_buckets(struct otlp_message *point, unsigned field, uint64_t offset,
			const char *counts)
{
	struct otlp_message buckets = { .size = 0 };

	if (offset != 0)
		otlp_add_number(&buckets, OTLP_BUCKETS_OFFSET, offset);
	otlp_add_text(&buckets, OTLP_BUCKETS_COUNTS, counts);
	otlp_add_message(point, field, &buckets);
}

/* At scale 0, which is what it has after it was read. */
static void an_exponential_histogram_passes(void **state)
{
	struct otlp_message data = { .size = 0 }, point = point_of(BEGUN), metric, request;

	otlp_add_pair(&point, OTLP_EXPONENTIAL_ATTRIBUTES, "route", "/a");
	otlp_add_fixed(&point, OTLP_POINT_COUNT, 1 + 2 + 3 + 4 + 5 + 6 + 7);
	otlp_add_double(&point, OTLP_POINT_SUM, 12); /* Whole: bytes. */
	otlp_add_fixed(&point, OTLP_EXPONENTIAL_ZEROS, 7);
	add_buckets(&point, OTLP_EXPONENTIAL_POSITIVE, 3, "\1\2\3"); /* From 2^-2 on. */
	add_buckets(&point, OTLP_EXPONENTIAL_NEGATIVE, 0, "\4\5\6");
	otlp_add_double(&point, OTLP_EXPONENTIAL_MIN, -8);
	otlp_add_double(&point, OTLP_EXPONENTIAL_MAX, 2);
	otlp_add_message(&data, OTLP_DATA_POINTS, &point);
	add_sum_fields(&data, OTLP_CUMULATIVE, false);
	metric = metric_of("size", "By", OTLP_METRIC_EXPONENTIAL, &data);
	make(&request, &metric);
	assert_passes(state, &request);
}

static void a_summary_passes(void **state)
{
	static const double quantiles[][2] = { { 0.5, 1.5 }, { 0.99, 4 } };
	struct otlp_message data = { .size = 0 }, point = point_of(BEGUN), metric, request;

	otlp_add_fixed(&point, OTLP_POINT_COUNT, 8);
	otlp_add_double(&point, OTLP_POINT_SUM, 12);
	for (unsigned i = 0; i < 2; i++) {
		struct otlp_message quantile = { .size = 0 };

		otlp_add_double(&quantile, OTLP_QUANTILE_QUANTILE, quantiles[i][0]);
		otlp_add_double(&quantile, OTLP_QUANTILE_VALUE, quantiles[i][1]);
		otlp_add_message(&point, OTLP_SUMMARY_QUANTILES, &quantile);
	}
	otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "route", "/a");
	otlp_add_message(&data, OTLP_DATA_POINTS, &point);
	metric = metric_of("rpc.duration", "ms", OTLP_METRIC_SUMMARY, &data);
	make(&request, &metric);
	assert_passes(state, &request);
}

/* --- What is not whole ---------------------------------------------------------- */

static bool is_count(const struct mc_sample *sample)
{
	struct mc_metric metric;
	bool count = mc_get_metric(sample->series, &metric) && metric.part == MC_METRIC_COUNT;

	mc_release_metric(&metric);
	return count;
}

/* Without its count it cannot be a histogram: all others leave as series of ours. */
static void an_incomplete_histogram_is_series_of_ours(void **state)
{
	struct desk *desk = *state;
	struct otlp_message request;
	struct mc_otlp_bytes bytes;
	struct mc_batch *whole;
	struct mc_otlp otlp;
	unsigned len = 0;

	make_histogram(&request);
	put(desk, request.at, request.size);
	whole = desk->batch;
	desk->batch = mc_begin(desk->ctx);
	for (const struct mc_sample *sample = mc_next(whole, NULL); sample != NULL;
	     sample = mc_next(whole, sample))
		if (!is_count(sample))
			mc_put_at(desk->batch, sample->series,
				  (struct mc_stamp){ sample->time, sample->interval },
				  sample->values, sample->values_len);
	mc_discard(whole);
	bytes = write_all(desk);
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
	while (mc_otlp_next(&otlp) == MC_OTLP_SAMPLE) {
		assert_true(otlp.own.ours);
		len++;
	}
	assert_int_equal(len, 6); /* Sum, least, largest, three buckets. */
}

/* A request that is full ends before a point, not within. */
static void a_point_is_not_divided(void **state)
{
	struct desk *desk = *state;
	struct otlp_message data = { .size = 0 }, point = histogram_point(), metric, request;
	const struct mc_sample *last = NULL, *next;
	struct mc_otlp_bytes bytes;
	unsigned points_len = 0;
	char name[16];

	mc_otlp_writer_free(desk->writer);
	desk->writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	otlp_add_message(&data, OTLP_DATA_POINTS, &point);
	add_sum_fields(&data, OTLP_CUMULATIVE, false);
	for (unsigned i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		metric = metric_of(name, "s", OTLP_METRIC_HISTOGRAM, &data);
		make(&request, &metric);
		put(desk, request.at, request.size);
	}
	while ((next = mc_otlp_write(desk->writer, desk->batch, last, &bytes)) != NULL) {
		struct mc_otlp otlp;

		mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
		while (mc_otlp_next(&otlp) == MC_OTLP_SAMPLE) {
			assert_false(otlp.own.ours);
			points_len += otlp.sent.part == MC_METRIC_COUNT;
		}
		last = next;
	}
	assert_int_equal(points_len, 60);
}

/* --- Labels ---------------------------------------------------------------------- */

static void labels_have_texts(void **state)
{
	struct desk *desk = *state;
	struct otlp_message request;
	const struct mc_sample *sample;
	struct mc_metric metric;

	make_histogram(&request);
	put(desk, request.at, request.size);
	sample = mc_next(desk->batch, NULL);
	assert_true(mc_get_metric(sample->series, &metric));
	assert_string_equal(metric.name, "http.duration");
	assert_string_equal(metric.scope, "library");
	assert_string_equal(metric.scope_version, "1.2");
	assert_int_equal(metric.kind, MC_METRIC_HISTOGRAM);
	assert_int_equal(metric.start, BEGUN);
	assert_string_equal(mc_metric_label(&metric.labels, "route"), "/a");
	assert_string_equal(mc_metric_label(&metric.scope_labels, "by"), "hand");
	assert_string_equal(mc_metric_label(&metric.resource, "process.pid"), "77");
	assert_string_equal(mc_metric_label(&metric.resource, "process.command_args"),
			    "[\"--all\"]");
	mc_release_metric(&metric);
}

/* Attributes that have no room in a name are a hash there; the labels have them. */
static void long_attributes_are_labels(void **state)
{
	struct desk *desk = *state;
	struct otlp_message data = { .size = 0 }, point = point_of(0), metric, request;
	const struct mc_sample *sample;
	struct mc_metric out;
	char path[200];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	otlp_add_double(&point, OTLP_POINT_DOUBLE, 1);
	otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "mountpoint", path);
	otlp_add_message(&data, OTLP_DATA_POINTS, &point);
	metric = metric_of("usage", "By", OTLP_METRIC_GAUGE, &data);
	make(&request, &metric);
	put(desk, request.at, request.size);
	sample = mc_next(desk->batch, NULL);
	assert_memory_equal(mc_type_instance(sample->series), "attributes=", 11);
	assert_int_equal(strlen(mc_type_instance(sample->series)), 11 + OTLP_HASH_SIZE);
	assert_true(mc_get_metric(sample->series, &out));
	assert_string_equal(mc_metric_label(&out.labels, "mountpoint"), path);
	mc_release_metric(&out);
}

/* --- Thresholds ------------------------------------------------------------------ */

static enum mc_otlp_name always_short(void *argument, const struct mc_otlp_claim *claim)
{
	(void)argument;
	(void)claim;
	return MC_OTLP_SHORT;
}

static const struct mc_otlp_map checks = {
	.attribute = "icinga2.host.name",
	.host = "icinga2.host.name",
	.plugin_instance = "icinga2.service.name",
	.type_instance = "perfdata_label",
	.metric = "state_check.perfdata",
	.threshold_metric = "state_check.threshold",
	.threshold_type = "threshold_type",
};

static void add_gauge(struct otlp_message *data, double number, const char *type)
{
	struct otlp_message point = point_of(0);

	otlp_add_double(&point, OTLP_POINT_DOUBLE, number);
	otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "perfdata_label", "used");
	if (type != NULL)
		otlp_add_pair(&point, OTLP_POINT_ATTRIBUTES, "threshold_type", type);
	otlp_add_message(data, OTLP_DATA_POINTS, &point);
}

static void put_check(struct desk *desk, const struct otlp_message *data, const char *name)
{
	const struct mc_otlp_naming naming = { .maps = &checks,
					       .maps_len = 1,
					       .claim = always_short };
	struct otlp_message resource = { .size = 0 }, metric = { .size = 0 }, request;
	struct mc_otlp_owners owners = { 0 };
	struct mc_otlp_result result;

	otlp_add_pair(&resource, OTLP_RESOURCE_ATTRIBUTES, "icinga2.host.name", "web02");
	otlp_add_pair(&resource, OTLP_RESOURCE_ATTRIBUTES, "icinga2.service.name", "disk");
	otlp_add_text(&metric, OTLP_METRIC_NAME, name);
	otlp_add_message(&metric, OTLP_METRIC_GAUGE, data);
	otlp_request(&request, &resource, "", &metric);
	assert_true(mc_otlp_put(desk->batch,
				&(struct mc_otlp_request){
					.stamp = { OTLP_TIME, 60 * MC_SECOND },
					.host = "peer",
					.bytes = request.at,
					.size = request.size,
					.owners = &owners,
					.naming = &naming,
				},
				&result));
	assert_int_equal(result.rejected, 0);
	mc_otlp_owners_done(&owners);
}

/* They are limits of the series that they are for, and make none themselves. */
static void thresholds_of_a_map_are_limits(void **state)
{
	struct desk *desk = *state;
	struct otlp_message values = { .size = 0 }, thresholds = { .size = 0 };
	const struct mc_metadata *metadata;
	const struct mc_sample *sample;

	add_gauge(&values, 71, NULL);
	add_gauge(&thresholds, 95, "critical");
	add_gauge(&thresholds, 80, "warning");
	add_gauge(&thresholds, 100, "max");
	put_check(desk, &thresholds, "state_check.threshold");
	assert_null(mc_next(desk->batch, NULL)); /* There is no series yet. */
	put_check(desk, &values, "state_check.perfdata");
	put_check(desk, &thresholds, "state_check.threshold");
	sample = mc_next(desk->batch, NULL);
	assert_string_equal(mc_name(sample->series), "web02/otlp-disk/gauge-used");
	assert_null(mc_next(desk->batch, sample));
	metadata = mc_get_metadata(sample->series, 0);
	assert_non_null(metadata);
	assert_true(metadata->warning.max == 80 && metadata->failure.max == 95);
	assert_true(isnan(metadata->warning.min) && isnan(metadata->failure.min));
	mc_release_metadata(metadata);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_open, desk_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_pass),
		TEST(a_histogram_passes),
		TEST(an_exponential_histogram_passes),
		TEST(a_summary_passes),
		TEST(an_incomplete_histogram_is_series_of_ours),
		TEST(a_point_is_not_divided),
		TEST(labels_have_texts),
		TEST(long_attributes_are_labels),
		TEST(thresholds_of_a_map_are_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
