/* SPDX-License-Identifier: MIT */
/* Histograms and summaries: which samples become of them, and which points are rejected. */
#include "formats/otlp/otlp_distribution.h"

#include "unit.h"

#include "otlp_fixture.h"

#define HISTOGRAM 9
#define EXPONENTIAL 10
#define SUMMARY 11
#define CUMULATIVE 2
#define DELTA 1

struct wanted { /* A sample: what follows the host, and its value. */
	const char *name;
	enum mc_kind kind;
	double number;
	const char *unit;
};

static void request_of(struct otlp_message *request, unsigned template, unsigned temporality,
		       const struct otlp_message *point)
{
	struct otlp_message data = { .size = 0 }, metric = { .size = 0 };
	struct otlp_message resource = { .size = 0 };

	otlp_add_message(&data, 1, point);
	otlp_add_number(&data, 2, temporality);
	otlp_add_text(&metric, 1, "latency");
	otlp_add_text(&metric, 3, "s");
	otlp_add_message(&metric, template, &data);
	otlp_add_pair(&resource, 1, "service.name", "shop");
	otlp_request(request, &resource, "lib", &metric);
}

static void assert_samples(const struct otlp_message *request, const struct wanted *wanted)
{
	struct mc_otlp otlp;
	char unit[32];

	mc_otlp_open(&otlp, request->at, request->size, false, "h");
	for (; wanted->name != NULL; wanted++) {
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
		assert_memory_equal(otlp.name.name, "h/shop-latency", 14);
		assert_string_equal(otlp.name.name + 14, wanted->name);
		assert_int_equal(strlen(otlp.name.name),
				 otlp.name.host_size + otlp.name.plugin_size +
					 otlp.name.plugin_instance_size + otlp.name.type_size +
					 otlp.name.type_instance_size + 3 +
					 (otlp.name.type_instance_size > 0));
		assert_int_equal(otlp.values_len, 1);
		assert_int_equal(otlp.kinds[0], wanted->kind);
		if (wanted->kind == MC_GAUGE)
			assert_true(otlp.values[0].gauge == wanted->number);
		else
			assert_int_equal(otlp.values[0].counter, (uint64_t)wanted->number);
		assert_int_equal(otlp.stamp.time, 1000);
		snprintf(unit, sizeof(unit), "%.*s", (int)otlp.said[0].unit.size,
			 otlp.said[0].unit.at);
		assert_string_equal(unit, wanted->unit);
	}
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
}

static void assert_rejected(unsigned template, const struct otlp_message *point, const char *why)
{
	struct otlp_message request;
	struct mc_otlp otlp;

	request_of(&request, template, CUMULATIVE, point);
	mc_otlp_open(&otlp, request.at, request.size, false, "h");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_REJECT);
	assert_int_equal(otlp.rejected, 1);
	assert_string_equal(otlp.why, why);
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
}

/* Time, count and sum, which are where they are in all three. */
static void begin_point(struct otlp_message *point, uint64_t count, double sum)
{
	point->size = 0;
	otlp_add_fixed(point, 3, 1000);
	otlp_add_fixed(point, 4, count);
	otlp_add_double(point, 5, sum);
}

static void add_packed(struct otlp_message *to, unsigned field, const uint64_t *numbers, size_t len)
{
	struct otlp_message fixed = { .size = 0 };

	for (size_t i = 0; i < len; i++)
		for (unsigned n = 0; n < 8; n++)
			fixed.at[fixed.size++] = (unsigned char)(numbers[i] >> 8 * n);
	otlp_add_message(to, field, &fixed);
}

static void add_bounds(struct otlp_message *to, const double *bounds, size_t len)
{
	uint64_t bits[3];

	memcpy(bits, bounds, len * sizeof(*bits));
	add_packed(to, 7, bits, len);
}

static void test_histogram(void **state)
{
	static const struct wanted cumulative[] = {
		{ "_count/derive-verb=GET", MC_DERIVE, 10, "" },
		{ "_sum/total_time_in_ms-verb=GET", MC_DERIVE, 12500, "s" },
		{ "_min/gauge-verb=GET", MC_GAUGE, 0.25, "s" },
		{ "_max/gauge-verb=GET", MC_GAUGE, 7, "s" },
		{ "_bucket/derive-verb=GET,le=0.1", MC_DERIVE, 1, "" },
		{ "_bucket/derive-verb=GET,le=0.5", MC_DERIVE, 3, "" },
		{ "_bucket/derive-verb=GET,le=2.5", MC_DERIVE, 6, "" },
		{ 0 },
	};
	static const struct wanted delta[] = {
		{ "_count/absolute-verb=GET", MC_ABSOLUTE, 10, "" },
		{ "_sum/gauge-verb=GET", MC_GAUGE, 12.5, "s" },
		{ "_min/gauge-verb=GET", MC_GAUGE, 0.25, "s" },
		{ "_max/gauge-verb=GET", MC_GAUGE, 7, "s" },
		{ "_bucket/absolute-verb=GET,le=0.1", MC_ABSOLUTE, 1, "" },
		{ "_bucket/absolute-verb=GET,le=0.5", MC_ABSOLUTE, 3, "" },
		{ "_bucket/absolute-verb=GET,le=2.5", MC_ABSOLUTE, 6, "" },
		{ 0 },
	};
	static const double bounds[] = { 0.1, 0.5, 2.5 };
	static const uint64_t counts[] = { 1, 2, 3, 4 };
	struct otlp_message point, request;

	(void)state;
	begin_point(&point, 10, 12.5);
	add_packed(&point, 6, counts, 4);
	add_bounds(&point, bounds, 3);
	otlp_add_pair(&point, 9, "verb", "GET");
	otlp_add_double(&point, 11, 0.25);
	otlp_add_double(&point, 12, 7);
	request_of(&request, HISTOGRAM, CUMULATIVE, &point);
	assert_samples(&request, cumulative);
	request_of(&request, HISTOGRAM, DELTA, &point);
	assert_samples(&request, delta);
}

/* Each number a field of its own, as protobuf 2 writes them; no sum. */
static void test_not_packed(void **state)
{
	static const struct wanted wanted[] = {
		{ "_count/derive", MC_DERIVE, 3, "" },
		{ "_bucket/derive-le=0.30000000000000004", MC_DERIVE, 1, "" },
		{ 0 },
	};
	struct otlp_message point = { .size = 0 }, request;

	(void)state;
	otlp_add_double(&point, 7, 0.1 + 0.2);
	otlp_add_fixed(&point, 6, 1);
	otlp_add_fixed(&point, 6, 2);
	otlp_add_fixed(&point, 4, 3);
	otlp_add_fixed(&point, 3, 1000);
	request_of(&request, HISTOGRAM, CUMULATIVE, &point);
	assert_samples(&request, wanted);
}

static void test_summary(void **state)
{
	static const struct wanted wanted[] = {
		{ "_count/derive", MC_DERIVE, 4, "" },
		{ "_sum/total_time_in_ms", MC_DERIVE, 2500, "s" },
		{ "/gauge-quantile=0.5", MC_GAUGE, 0.75, "s" },
		{ "/gauge-quantile=0.99", MC_GAUGE, -1, "s" },
		{ 0 },
	};
	struct otlp_message point, quantile = { .size = 0 }, request;

	(void)state;
	begin_point(&point, 4, 2.5);
	otlp_add_double(&quantile, 1, 0.5);
	otlp_add_double(&quantile, 2, 0.75);
	otlp_add_message(&point, 6, &quantile);
	quantile.size = 0;
	otlp_add_double(&quantile, 1, 0.99);
	otlp_add_double(&quantile, 2, -1);
	otlp_add_message(&point, 6, &quantile);
	request_of(&request, SUMMARY, 0, &point);
	assert_samples(&request, wanted);
}

static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static void add_buckets(struct otlp_message *to, unsigned field, int offset, const uint64_t *counts,
			size_t len)
{
	struct otlp_message buckets = { .size = 0 }, packed = { .size = 0 };

	for (size_t i = 0; i < len; i++)
		otlp_add_varint(&packed, counts[i]);
	otlp_add_number(&buckets, 1, zigzag(offset));
	otlp_add_message(&buckets, 2, &packed);
	otlp_add_message(to, field, &buckets);
}

/* At scale 1 bounds are powers of the root of 2: two buckets are one of ours. */
static void test_exponential(void **state)
{
	static const struct wanted wanted[] = {
		{ "_count/derive", MC_DERIVE, 31, "" },
		{ "_sum/total_time_in_ms", MC_DERIVE, 1000, "s" },
		{ "_bucket/derive-le=-4", MC_DERIVE, 300, "" },
		{ "_bucket/derive-le=-2", MC_DERIVE, 310, "" },
		{ "_bucket/derive-le=0", MC_DERIVE, 317, "" },
		{ "_bucket/derive-le=0.5", MC_DERIVE, 318, "" },
		{ "_bucket/derive-le=1", MC_DERIVE, 323, "" },
		{ "_bucket/derive-le=2", MC_DERIVE, 327, "" },
		{ 0 },
	};
	static const uint64_t above[] = { 1, 2, 3, 4 }, below[] = { 10, 300 };
	struct otlp_message point, request;

	(void)state;
	begin_point(&point, 31, 1);
	add_buckets(&point, 8, -3, above, 4);
	add_buckets(&point, 9, 3, below, 2);
	otlp_add_number(&point, 6, zigzag(1));
	otlp_add_fixed(&point, 7, 7);
	request_of(&request, EXPONENTIAL, CUMULATIVE, &point);
	assert_samples(&request, wanted);
}

/* At scale -1 they are powers of 4; what no double is above is left out. */
static void test_coarse(void **state)
{
	static const struct wanted wanted[] = {
		{ "_count/derive", MC_DERIVE, 3, "" },
		{ "_sum/total_time_in_ms", MC_DERIVE, 1000, "s" },
		{ "_bucket/derive-le=4.49423283715579e+307", MC_DERIVE, 1, "" },
		{ 0 },
	};
	static const uint64_t counts[] = { 1, 2 };
	struct otlp_message point, request;

	(void)state;
	begin_point(&point, 3, 1);
	add_buckets(&point, 8, 510, counts, 2);
	otlp_add_number(&point, 6, zigzag(-1));
	request_of(&request, EXPONENTIAL, CUMULATIVE, &point);
	assert_samples(&request, wanted);
}

static void test_rejected(void **state)
{
	static const double falling[] = { 2, 1 }, nan[] = { NAN };
	static const uint64_t huge[] = { INT64_MAX, 1, 0 };
	struct otlp_message point;

	(void)state;
	begin_point(&point, 1, 1);
	add_packed(&point, 6, huge, 2);
	add_bounds(&point, falling, 2);
	assert_rejected(HISTOGRAM, &point, "not a count for each bucket");
	begin_point(&point, 1, 1);
	add_packed(&point, 6, huge + 1, 2);
	add_bounds(&point, nan, 1);
	assert_rejected(HISTOGRAM, &point, "bounds of buckets that do not rise");
	begin_point(&point, 1, 1);
	add_packed(&point, 6, (const uint64_t[]){ 1, 1, 1 }, 3);
	add_bounds(&point, falling, 2);
	assert_rejected(HISTOGRAM, &point, "bounds of buckets that do not rise");
	begin_point(&point, 1, 1);
	add_packed(&point, 6, huge, 3);
	add_bounds(&point, (const double[]){ 1, 2 }, 2);
	assert_rejected(HISTOGRAM, &point, "count out of range");
	begin_point(&point, UINT64_MAX, 1);
	assert_rejected(SUMMARY, &point, "count out of range");
	begin_point(&point, 1, -1);
	assert_rejected(HISTOGRAM, &point, "negative count");
	begin_point(&point, 1, 1);
	otlp_add_number(&point, 10, 1);
	assert_rejected(HISTOGRAM, &point, "point without a value");
	begin_point(&point, 1, 1);
	otlp_add_number(&point, 6, zigzag(21));
	assert_rejected(EXPONENTIAL, &point, "scale out of range");
	begin_point(&point, 1, 1);
	add_buckets(&point, 9, 5000, huge + 2, 1);
	assert_rejected(EXPONENTIAL, &point, "bounds of buckets that do not rise");
}

/* Of each kind the most there may be, and one more. */
static void test_limits(void **state)
{
	struct otlp_message point, more = { .size = 0 };
	uint64_t counts[MC_OTLP_BUCKETS_MAX + 1] = { 0 };

	(void)state;
	begin_point(&point, 1, 1);
	for (unsigned i = 0; i <= MC_OTLP_BUCKETS_MAX; i++)
		otlp_add_message(&point, 6, &more);
	assert_rejected(SUMMARY, &point, "more than 256 buckets");
	begin_point(&point, 1, 1);
	add_packed(&point, 6, counts, MC_OTLP_BUCKETS_MAX + 1);
	assert_rejected(HISTOGRAM, &point, "more than 256 buckets");
	begin_point(&point, 1, 1);
	add_buckets(&point, 8, 0, counts, MC_OTLP_BUCKETS_MAX + 1);
	assert_rejected(EXPONENTIAL, &point, "more than 256 buckets");
	begin_point(&point, 1, 1);
	add_buckets(&point, 8, 0, counts, MC_OTLP_BUCKETS_MAX);
	assert_rejected(EXPONENTIAL, &point, "more buckets than a request of its size may have");
	begin_point(&point, 1, 1);
	for (unsigned i = 0; i <= OTLP_PAIRS_MAX; i++)
		otlp_add_pair(&point, 7, "", "a");
	assert_rejected(SUMMARY, &point, "more than 32 attributes");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram), cmocka_unit_test(test_not_packed),
		cmocka_unit_test(test_summary),   cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_coarse),    cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
