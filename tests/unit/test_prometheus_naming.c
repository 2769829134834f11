/* SPDX-License-Identifier: MIT */
/* Names as Prometheus makes them: the expected ones are those that its own translation gives. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/prometheus/naming.h"

static const struct {
	const char *name, *unit;
	enum mc_metric_kind kind;
	const char *expected;
} metrics[] = {
	{ "http.requests", "", MC_METRIC_COUNTER, "http_requests_total" },
	{ "requests_total", "", MC_METRIC_COUNTER, "requests_total" },
	{ "a.total.b", "", MC_METRIC_COUNTER, "a_b_total" },
	{ "system.cpu.time", "s", MC_METRIC_COUNTER, "system_cpu_time_seconds_total" },
	{ "system.memory.usage", "By", MC_METRIC_UP_DOWN_COUNTER, "system_memory_usage_bytes" },
	{ "http.server.request.duration", "s", MC_METRIC_HISTOGRAM,
	  "http_server_request_duration_seconds" },
	{ "response_time_seconds", "s", MC_METRIC_GAUGE, "response_time_seconds" },
	{ "utilization", "1", MC_METRIC_GAUGE, "utilization_ratio" },
	{ "cpu_usage_ratio", "1", MC_METRIC_GAUGE, "cpu_usage_ratio" },
	{ "items", "1", MC_METRIC_COUNTER, "items_total" },
	{ "items", "1", MC_METRIC_UP_DOWN_COUNTER, "items" },
	{ "requests", "1/s", MC_METRIC_GAUGE, "requests_per_second" },
	{ "throughput", "By/s", MC_METRIC_GAUGE, "throughput_bytes_per_second" },
	{ "throughput", "By/m", MC_METRIC_COUNTER, "throughput_bytes_per_minute_total" },
	{ "packets", "{packet}", MC_METRIC_COUNTER, "packets_total" },
	{ "custom", "By/{thing}", MC_METRIC_GAUGE, "custom_bytes" },
	{ "custom", "{thing}/s", MC_METRIC_GAUGE, "custom_per_second" },
	{ "custom", "unit@with#special/chars", MC_METRIC_GAUGE,
	  "custom_unit_with_special_per_chars" },
	{ "metric__with___some", "unit__more__x", MC_METRIC_GAUGE, "metric_with_some_unit_more_x" },
	{ "temperature", "Cel", MC_METRIC_GAUGE, "temperature_celsius" },
	{ "share", "%", MC_METRIC_GAUGE, "share_percent" },
	{ "area", " m ", MC_METRIC_GAUGE, "area_meters" },
	{ "a:b.c", "", MC_METRIC_GAUGE, "a:b_c" },
	{ "123metric", "", MC_METRIC_GAUGE, "_123metric" },
	{ "_leading.", "", MC_METRIC_GAUGE, "leading" },
	{ "m\xc3\xa9trique", "", MC_METRIC_GAUGE, "m_trique" },
	{ "__name__", "", MC_METRIC_GAUGE, "name" },
};

static void metrics_are_named_as_by_prometheus(void **state)
{
	char out[NAMING_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		const struct mc_metric metric = { .name = metrics[i].name,
						  .kind = metrics[i].kind };

		assert_true(naming_has_name(&metric));
		assert_true(naming_metric(out, &metric, metrics[i].unit));
		assert_string_equal(out, metrics[i].expected);
	}
}

static void deltas_are_no_totals(void **state)
{
	const struct mc_metric metric = { .name = "a", .kind = MC_METRIC_COUNTER, .delta = true };
	char out[NAMING_SIZE];

	(void)state;
	assert_true(naming_metric(out, &metric, ""));
	assert_string_equal(out, "a");
}

static void what_has_no_letters_has_no_name(void **state)
{
	const char *const names[] = { "", "@#$%", "___", "\xe3\x82\x88" };
	char out[NAMING_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct mc_metric metric = { .name = names[i] };

		assert_false(naming_metric(out, &metric, ""));
		assert_false(naming_has_name(&metric));
		assert_false(naming_label(out, names[i]));
	}
}

static void long_names_are_cut(void **state)
{
	char name[MC_METRIC_NAME_SIZE], unit[600], out[NAMING_SIZE];
	const struct mc_metric metric = { .name = name, .kind = MC_METRIC_COUNTER };

	(void)state;
	memset(unit, 'u', sizeof(unit) - 1);
	unit[sizeof(unit) - 1] = '\0';
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = "a."[i % 2];
	name[sizeof(name) - 1] = '\0';
	assert_true(naming_metric(out, &metric, unit));
	assert_in_range(strlen(out), MC_METRIC_NAME_SIZE - 2, NAMING_SIZE - 1);
	naming_unit(out, unit);
	assert_in_range(strlen(out), 0, NAMING_SIZE - 1);
}

static void units_are_words(void **state)
{
	static const char *const units[][2] = {
		{ "By/s", "bytes_per_second" },
		{ "1", "" },
		{ "{packet}", "" },
		{ "", "" },
		{ "1/s", "per_second" },
		{ "m\xc2\xb2", "m" },
		{ "/", "" },
	};
	char out[NAMING_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		naming_unit(out, units[i][0]);
		assert_string_equal(out, units[i][1]);
	}
}

static void labels_are_named_as_by_prometheus(void **state)
{
	static const char *const labels[][2] = {
		{ "http.method", "http_method" },       { "with:colons", "with_colons" },
		{ "special$chars)", "special_chars_" }, { "two..dots", "two__dots" },
		{ "123label", "key_123label" },         { "_label", "key_label" },
		{ "\xc3\xa9tat", "key_tat" },           { "__reserved__", "__reserved__" },
		{ "__name__", "key__name__" },
	};
	char out[NAMING_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		assert_true(naming_label(out, labels[i][0]));
		assert_string_equal(out, labels[i][1]);
	}
}

static void bounds_have_no_exponent(void **state)
{
	static const struct {
		double bound;
		const char *expected;
	} bounds[] = {
		{ 0, "0" },
		{ 0.005, "0.005" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 2.5, "2.5" },
		{ 10, "10" },
		{ 1e6, "1000000" },
		{ -7.25, "-7.25" },
		{ 0x1p-30, "0.0000000009313225746154785" },
		{ 0x1p60, "1152921504606847000" },
		{ INFINITY, "+Inf" },
		{ -INFINITY, "-Inf" },
		{ NAN, "NaN" },
	};
	char out[NAMING_BOUND_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		naming_bound(out, bounds[i].bound);
		assert_string_equal(out, bounds[i].expected);
	}
	naming_bound(out, -0x1.fffffffffffffp+1023);
	assert_int_equal(strlen(out), 1 + 309);
	naming_bound(out, -0x1p-1074);
	assert_int_equal(strlen(out), strlen("-0.") + 324);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_named_as_by_prometheus),
		cmocka_unit_test(deltas_are_no_totals),
		cmocka_unit_test(what_has_no_letters_has_no_name),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(units_are_words),
		cmocka_unit_test(labels_are_named_as_by_prometheus),
		cmocka_unit_test(bounds_have_no_exponent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
