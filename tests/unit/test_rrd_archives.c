/* SPDX-License-Identifier: MIT */
/* The layouts of other programs.  What is expected of Munin and MRTG was printed by `rrdtool info`
 * of files that they made; tests/scenario/rrd_layouts makes some again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/rrd/rrd.h"

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

/* "AVERAGE:0.5:1:576 MIN:0.5:1:576 ..." */
static void check(const struct mc_rrd_rules *rules, int64_t seconds, const char *expected)
{
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout =
		mc_rrd_layout(&list, rules, &gauge, seconds * MC_SECOND);
	char text[2048];
	size_t used;
	char function[16];
	double xff;
	int steps, rows;

	used = (size_t)snprintf(text, sizeof(text), "%lu %s", layout->step,
				strstr(layout->argv[0], "GAUGE"));
	for (int i = 1; i < layout->argc; i++) {
		assert_int_equal(sscanf(layout->argv[i], "RRA:%15[A-Z]:%lf:%d:%d", function, &xff,
					&steps, &rows),
				 4);
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s:%g:%d:%d", function,
					 xff, steps, rows);
		assert_true(used < sizeof(text));
	}
	assert_string_equal(text, expected);
	mc_rrd_layouts_free(list);
}

static struct mc_rrd_rules rules_of(enum mc_rrd_program program)
{
	return (struct mc_rrd_rules){ .program = program, .rows = 1200, .xff = 0.1 };
}

static void test_munin(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_MUNIN);
	static const char expected[] = "300 GAUGE:600:U:U"
				       " AVERAGE:0.5:1:576 MIN:0.5:1:576 MAX:0.5:1:576"
				       " AVERAGE:0.5:6:432 MIN:0.5:6:432 MAX:0.5:6:432"
				       " AVERAGE:0.5:24:540 MIN:0.5:24:540 MAX:0.5:24:540"
				       " AVERAGE:0.5:288:450 MIN:0.5:288:450 MAX:0.5:288:450";

	(void)state;
	check(&rules, 300, expected);
	check(&rules, 10, expected); /* Whatever the interval. */
}

static void test_mrtg(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_MRTG);

	(void)state;
	check(&rules, 300,
	      "300 GAUGE:600:U:U"
	      " AVERAGE:0.5:1:800 AVERAGE:0.5:6:800 AVERAGE:0.5:24:800 AVERAGE:0.5:288:800"
	      " MAX:0.5:1:800 MAX:0.5:6:800 MAX:0.5:24:800 MAX:0.5:288:800");
	check(&rules, 60,
	      "60 GAUGE:600:U:U"
	      " AVERAGE:0.5:1:4000 AVERAGE:0.5:30:800 AVERAGE:0.5:120:800 AVERAGE:0.5:1440:800"
	      " MAX:0.5:1:4000 MAX:0.5:30:800 MAX:0.5:120:800 MAX:0.5:1440:800");
	check(&rules, 3600,
	      "3600 GAUGE:7200:U:U"
	      " AVERAGE:0.5:1:66 AVERAGE:0.5:2:800 AVERAGE:0.5:24:800"
	      " MAX:0.5:1:66 MAX:0.5:2:800 MAX:0.5:24:800");
}

static void test_pnp(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_PNP);

	(void)state;
	check(&rules, 300,
	      "60 GAUGE:8460:U:U"
	      " AVERAGE:0.5:1:2880 AVERAGE:0.5:5:2880 AVERAGE:0.5:30:4320 AVERAGE:0.5:360:5840"
	      " MAX:0.5:1:2880 MAX:0.5:5:2880 MAX:0.5:30:4320 MAX:0.5:360:5840"
	      " MIN:0.5:1:2880 MIN:0.5:5:2880 MIN:0.5:30:4320 MIN:0.5:360:5840");
	assert_true(mc_rrd_size(&rules, 300 * MC_SECOND) == 3 * 15920 * 8);
}

static void test_compact(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_COMPACT);

	(void)state;
	check(&rules, 10,
	      "10 GAUGE:20:U:U AVERAGE:0.1:1:600"
	      " AVERAGE:0.1:14:618 MAX:0.1:14:618 AVERAGE:0.1:100:605 MAX:0.1:100:605"
	      " AVERAGE:0.1:446:601 MAX:0.1:446:601 AVERAGE:0.1:5270:601 MAX:0.1:5270:601");
	check(&rules, 300,
	      "300 GAUGE:600:U:U AVERAGE:0.1:1:600"
	      " AVERAGE:0.1:3:672 MAX:0.1:3:672 AVERAGE:0.1:14:638 MAX:0.1:14:638"
	      " AVERAGE:0.1:175:603 MAX:0.1:175:603");
	check(&rules, 1, /* An hour in full. */
	      "1 GAUGE:2:U:U AVERAGE:0.1:1:3600"
	      " AVERAGE:0.1:144:600 MAX:0.1:144:600 AVERAGE:0.1:1008:600 MAX:0.1:1008:600"
	      " AVERAGE:0.1:4464:600 MAX:0.1:4464:600 AVERAGE:0.1:52704:600 MAX:0.1:52704:600");
	check(&rules, 120, /* A day of one step a row is in the first archive. */
	      "120 GAUGE:240:U:U AVERAGE:0.1:1:720"
	      " AVERAGE:0.1:8:630 MAX:0.1:8:630 AVERAGE:0.1:37:604 MAX:0.1:37:604"
	      " AVERAGE:0.1:439:601 MAX:0.1:439:601");
	check(&rules, 86400, "86400 GAUGE:172800:U:U AVERAGE:0.1:1:600");
}

static void test_own(void **state)
{
	static const struct mc_rrd_span spans[] = {
		{ 0, 86400, 1U << MC_RRD_AVERAGE },
		{ 3600, 31622400, 1U << MC_RRD_AVERAGE | 1U << MC_RRD_MAX },
	};
	struct mc_rrd_rules rules = rules_of(MC_RRD_OWN);

	(void)state;
	rules.spans = spans;
	rules.spans_len = 2;
	check(&rules, 300,
	      "300 GAUGE:600:U:U AVERAGE:0.1:1:288 AVERAGE:0.1:12:8784 MAX:0.1:12:8784");
	check(&rules, 7200, /* No row is shorter than a step. */
	      "7200 GAUGE:14400:U:U AVERAGE:0.1:1:12 AVERAGE:0.1:1:4392 MAX:0.1:1:4392");
}

static void test_options_go_first(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_MUNIN);

	(void)state;
	rules.single = true;
	rules.step = 60;
	check(&rules, 60,
	      "60 GAUGE:120:U:U"
	      " AVERAGE:0.5:1:576 AVERAGE:0.5:6:432 AVERAGE:0.5:24:540 AVERAGE:0.5:288:450");
	rules.heartbeat = 77;
	check(&rules, 60,
	      "60 GAUGE:77:U:U"
	      " AVERAGE:0.5:1:576 AVERAGE:0.5:6:432 AVERAGE:0.5:24:540 AVERAGE:0.5:288:450");
}

/* A file of a series that comes more seldom than its program's can hold its values. */
static void test_interval_above_the_step(void **state)
{
	struct mc_rrd_rules rules = rules_of(MC_RRD_MUNIN);
	struct mc_rrd_layout *list = NULL;

	(void)state;
	assert_int_equal(mc_rrd_layout(&list, &rules, &gauge, 900 * MC_SECOND)->heartbeat, 2250);
	rules.program = MC_RRD_PNP;
	rules.number = 1;
	assert_int_equal(mc_rrd_layout(&list, &rules, &gauge, 900 * MC_SECOND)->heartbeat, 8460);
	assert_int_equal(mc_rrd_layout(&list, &rules, &gauge, 4000 * MC_SECOND)->heartbeat, 10000);
	mc_rrd_layouts_free(list);
}

static void test_rules_of_one_list(void **state)
{
	struct mc_rrd_rules one = rules_of(MC_RRD_COMPACT), two = rules_of(MC_RRD_COLLECTD);
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *first, *second;

	(void)state;
	two.number = 1;
	first = mc_rrd_layout(&list, &one, &gauge, 10 * MC_SECOND);
	second = mc_rrd_layout(&list, &two, &gauge, 10 * MC_SECOND);
	assert_int_equal(first->argc, 10);
	assert_int_equal(second->argc, 16);
	assert_ptr_equal(mc_rrd_layout(&list, &one, &gauge, 10 * MC_SECOND), first);
	mc_rrd_layouts_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_munin),
		cmocka_unit_test(test_mrtg),
		cmocka_unit_test(test_pnp),
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_options_go_first),
		cmocka_unit_test(test_interval_above_the_step),
		cmocka_unit_test(test_rules_of_one_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
