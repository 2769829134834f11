/* SPDX-License-Identifier: MIT */
/* The expected archives are those that collectd 5.12 makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rrd/rrd.h"

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};
static const struct mc_type octets = {
	.name = "if_octets",
	.sources_len = 2,
	.sources = { { "rx", MC_DERIVE, 0, NAN }, { "tx", MC_DERIVE, 0, 4e9 } },
};
static const struct mc_type mixed = {
	.name = "mixed",
	.sources_len = 4,
	.sources = { { "c", MC_COUNTER, 0, 1 },
		     { "g", MC_GAUGE, -1.5, 1e300 },
		     { "d", MC_DERIVE, 0, NAN },
		     { "a", MC_ABSOLUTE, 0, NAN } },
};
static const struct mc_rrd_rules usual = { .rows = 1200, .xff = 0.1 };

static void check_archives(const struct mc_rrd_rules *rules, mc_time interval, size_t spans_len,
			   const int expected[][2])
{
	static const char *const functions[] = { "AVERAGE", "MIN", "MAX" };
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout = mc_rrd_layout(&list, rules, &gauge, interval);

	assert_int_equal(layout->argc, 1 + 3 * spans_len);
	for (size_t i = 0; i < 3 * spans_len; i++) {
		char text[80];

		snprintf(text, sizeof(text), "RRA:%s:%.10f:%d:%d", functions[i % 3], rules->xff,
			 expected[i / 3][0], expected[i / 3][1]);
		assert_string_equal(layout->argv[1 + i], text);
	}
	assert_null(layout->argv[layout->argc]);
	mc_rrd_layouts_free(list);
}

static void test_archives(void **state)
{
	struct mc_rrd_rules rules = usual;

	(void)state;
	check_archives(
		&usual, 10 * MC_SECOND, 5,
		(const int[][2]){
			{ 1, 1200 }, { 7, 1235 }, { 50, 1210 }, { 223, 1202 }, { 2635, 1201 } });
	check_archives(&usual, MC_SECOND, 5,
		       (const int[][2]){ { 1, 3600 },
					 { 72, 1200 },
					 { 504, 1200 },
					 { 2232, 1200 },
					 { 26352, 1200 } });
	check_archives(
		&usual, 60 * MC_SECOND, 5,
		(const int[][2]){
			{ 1, 1200 }, { 1, 1440 }, { 8, 1260 }, { 37, 1207 }, { 439, 1201 } });
	check_archives(&usual, 86400 * MC_SECOND, 5,
		       (const int[][2]){
			       { 1, 1200 }, { 1, 1200 }, { 1, 1200 }, { 1, 1200 }, { 1, 1200 } });
	rules.rows = 100;
	rules.xff = 0.5;
	rules.step = 20;
	assert_true(mc_rrd_add_timespans(&rules, "86400"));
	assert_true(mc_rrd_add_timespans(&rules, " 3600,\t604800 "));
	check_archives(&rules, 10 * MC_SECOND, 3,
		       (const int[][2]){ { 1, 180 }, { 43, 101 }, { 302, 101 } });
	free(rules.timespans);
}

static void test_timespans_as_given(void **state)
{
	struct mc_rrd_rules rules = { .rows = 100, .xff = 0.5, .as_given = true };

	(void)state;
	assert_true(mc_rrd_add_timespans(&rules, "86400 3600"));
	check_archives(&rules, 20 * MC_SECOND, 2, (const int[][2]){ { 1, 4320 }, { 1, 180 } });
	free(rules.timespans);
}

static void test_single_keeps_averages(void **state)
{
	struct mc_rrd_rules rules = usual;
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout;

	(void)state;
	rules.single = true;
	layout = mc_rrd_layout(&list, &rules, &gauge, 10 * MC_SECOND);
	assert_int_equal(layout->argc, 6);
	assert_string_equal(layout->argv[2], "RRA:AVERAGE:0.1000000000:7:1235");
	mc_rrd_layouts_free(list);
}

static void test_timespans_that_are_none(void **state)
{
	struct mc_rrd_rules rules = { 0 };

	(void)state;
	assert_false(mc_rrd_add_timespans(&rules, "1h"));
	assert_false(mc_rrd_add_timespans(&rules, "-1"));
	assert_false(mc_rrd_add_timespans(&rules, "0 7 99999999999"));
	assert_true(mc_rrd_add_timespans(&rules, ""));
	assert_int_equal(rules.timespans_len, 1);
	assert_int_equal(rules.timespans[0], 7);
	free(rules.timespans);
}

static void test_sources(void **state)
{
	struct mc_rrd_rules rules = usual;
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout;

	(void)state;
	layout = mc_rrd_layout(&list, &rules, &octets, 10 * MC_SECOND);
	assert_string_equal(layout->argv[0], "DS:rx:DERIVE:20:0.000000:U");
	assert_string_equal(layout->argv[1], "DS:tx:DERIVE:20:0.000000:4000000000.000000");
	assert_ptr_equal(layout, mc_rrd_layout(&list, &rules, &octets, 10 * MC_SECOND));
	rules.step = 30;
	layout = mc_rrd_layout(&list, &rules, &mixed, 10 * MC_SECOND);
	assert_int_equal(layout->step, 30);
	assert_string_equal(layout->argv[0], "DS:c:COUNTER:60:0.000000:1.000000");
	assert_non_null(strstr(layout->argv[1], "DS:g:GAUGE:60:-1.500000:10"));
	assert_string_equal(layout->argv[3], "DS:a:ABSOLUTE:60:0.000000:U");
	rules.heartbeat = 7;
	layout = mc_rrd_layout(&list, &rules, &gauge, 10 * MC_SECOND);
	assert_string_equal(layout->argv[0], "DS:value:GAUGE:7:U:U");
	mc_rrd_layouts_free(list);
}

static int64_t heartbeat_of(int64_t step, int64_t given, mc_time interval)
{
	struct mc_rrd_rules rules = usual;
	struct mc_rrd_layout *list = NULL;
	int64_t heartbeat;

	rules.step = step;
	rules.heartbeat = given;
	heartbeat = mc_rrd_layout(&list, &rules, &gauge, interval)->heartbeat;
	mc_rrd_layouts_free(list);
	return heartbeat;
}

/* Two steps, as collectd has it, unless the file would then hold nothing. */
static void test_heartbeat(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(heartbeat_of(0, 0, 300 * MC_SECOND), 600);
	assert_int_equal(heartbeat_of(60, 0, 10 * MC_SECOND), 120);
	assert_int_equal(heartbeat_of(60, 0, 60 * MC_SECOND), 120);
	assert_int_equal(heartbeat_of(60, 0, 300 * MC_SECOND), 750);
	assert_int_equal(heartbeat_of(1, 0, 1500 * MC_MILLISECOND), 4);
	assert_int_equal(heartbeat_of(60, 120, 300 * MC_SECOND), 120);
	assert_false(mc_rrd_unheld("x.rrd", 300, 300 * MC_SECOND, text, sizeof(text)));
	assert_true(mc_rrd_unheld("x.rrd", 120, 300 * MC_SECOND, text, sizeof(text)));
	assert_non_null(strstr(text, "'x.rrd' can hold no value"));
	assert_non_null(strstr(text, "-h SOURCE:750"));
}

/* A file that is there may have other archives than were chosen; without a choice it may have any.
 */
static void test_kept(void **state)
{
	struct mc_rrd_rules rules = usual;
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout;
	char text[512];

	(void)state;
	layout = mc_rrd_layout(&list, &rules, &gauge, 10 * MC_SECOND);
	assert_false(mc_rrd_keeps(layout, "x.rrd", 7, text, sizeof(text)));
	rules.program = MC_RRD_MUNIN;
	rules.number = 1;
	layout = mc_rrd_layout(&list, &rules, &gauge, 10 * MC_SECOND);
	assert_int_equal(layout->rows, 3 * (576 + 432 + 540 + 450));
	assert_false(mc_rrd_keeps(layout, "x.rrd", layout->rows, text, sizeof(text)));
	assert_false(mc_rrd_keeps(layout, "x.rrd", 0, text, sizeof(text))); /* Unknown. */
	assert_true(mc_rrd_keeps(layout, "x.rrd", 18000, text, sizeof(text)));
	assert_non_null(strstr(text, "'x.rrd' and other files that are there keep"));
	mc_rrd_layouts_free(list);
}

static void check_step(mc_time interval, unsigned long step, const char *source)
{
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout = mc_rrd_layout(&list, &usual, &gauge, interval);

	assert_int_equal(layout->step, step);
	assert_string_equal(layout->argv[0], source);
	mc_rrd_layouts_free(list);
}

static void test_fractions_of_seconds(void **state)
{
	(void)state;
	check_step(1500 * MC_MILLISECOND, 2, "DS:value:GAUGE:3:U:U");
	check_step(2500 * MC_MILLISECOND, 3, "DS:value:GAUGE:5:U:U");
	check_step(500 * MC_MILLISECOND, 1, "DS:value:GAUGE:1:U:U");
	check_step(400 * MC_MILLISECOND, 1, "DS:value:GAUGE:1:U:U");
	check_step(1, 1, "DS:value:GAUGE:1:U:U");
	assert_int_equal(mc_rrd_second(1499999999), 1);
	assert_int_equal(mc_rrd_second(1500000000), 2);
}

static void check_gauge(double value, const char *expected)
{
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout = mc_rrd_layout(&list, &usual, &gauge, MC_SECOND);
	char out[MC_RRD_UPDATE_SIZE(1)];
	size_t size = mc_rrd_update(layout, 1234567890, &(union mc_value){ .gauge = value }, out);

	assert_string_equal(out, expected);
	assert_int_equal(size, strlen(expected) + 1);
	mc_rrd_layouts_free(list);
}

/* Against printf(3), with decimals of every length. */
static void test_decimals(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char expected[64];
		double value;

		random = random * 6364136223846793005 + 1442695040888963407;
		value = (double)(int64_t)(random >> (11 + i % 40)) /
			(double[]){ 10, 100, 1000, 10000, 1e5, 3 }[i % 6];
		if (value == (double)(int64_t)value)
			continue;
		snprintf(expected, sizeof(expected), "1234567890:%.15g", value);
		check_gauge(value, expected);
	}
}

static void test_updates(void **state)
{
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout = mc_rrd_layout(&list, &usual, &mixed, MC_SECOND);
	union mc_value values[] = { { .counter = UINT64_MAX },
				    { .gauge = -DBL_MAX },
				    { .derive = INT64_MIN },
				    { .absolute = 0 } };
	char out[MC_RRD_UPDATE_SIZE(4)];
	size_t size;

	(void)state;
	check_gauge(5, "1234567890:5");
	check_gauge(-3e14, "1234567890:-300000000000000");
	check_gauge(0.1, "1234567890:0.1");
	check_gauge(-12.3401, "1234567890:-12.3401");
	check_gauge(99999999999.9999, "1234567890:99999999999.9999");
	check_gauge(1.0 / 3, "1234567890:0.333333333333333");
	check_gauge(0.00005, "1234567890:5e-05");
	check_gauge(-0.0, "1234567890:0");
	check_gauge(1e300, "1234567890:1e+300");
	check_gauge(NAN, "1234567890:U");
	check_gauge(-INFINITY, "1234567890:U");
	size = mc_rrd_update(layout, 1, values, out);
	assert_int_equal(size, strlen(out) + 1);
	assert_string_equal(out, "1:18446744073709551615:-1.79769313486232e+308"
				 ":-9223372036854775808:0");
	mc_rrd_layouts_free(list);
}

/* Whoever sends an interval of its own for every series does not make as many
 * layouts, and those that were there before stay as they are. */
static void test_many_intervals(void **state)
{
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout, *one;
	unsigned len = 0;

	(void)state;
	one = mc_rrd_layout(&list, &usual, &gauge, 10 * MC_SECOND);
	assert_ptr_equal(mc_rrd_layout(&list, &usual, &gauge, 10 * MC_SECOND + MC_MILLISECOND),
			 one);
	for (int i = 1; i <= 100000; i++) {
		layout = mc_rrd_layout(&list, &usual, &gauge, i * MC_SECOND);
		assert_true(layout->step >= (unsigned long)i);
		assert_true(layout->step < 2 * (unsigned long)i);
	}
	for (layout = list; layout != NULL; layout = layout->next)
		len++;
	assert_in_range(len, MC_RRD_LAYOUTS, MC_RRD_LAYOUTS + 17);
	assert_ptr_equal(mc_rrd_layout(&list, &usual, &gauge, 10 * MC_SECOND), one);
	assert_int_equal(one->step, 10);
	mc_rrd_layouts_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_archives),
		cmocka_unit_test(test_timespans_as_given),
		cmocka_unit_test(test_single_keeps_averages),
		cmocka_unit_test(test_timespans_that_are_none),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_heartbeat),
		cmocka_unit_test(test_fractions_of_seconds),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_many_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
