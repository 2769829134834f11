/* SPDX-License-Identifier: MIT */
/* Answers to HISTORY become curves. */
#include "ctl/answer/curves.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctl/answer/peer.h"

/* Takes in an answer of these lines; returns what curves_add() does. */
static int add(struct curves *curves, const char *text)
{
	char copy[1024], *lines[16], *rest = copy, *line;
	struct answer answer = { .lines = lines };

	assert_true(strlen(text) < sizeof(copy));
	memcpy(copy, text, strlen(text) + 1);
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0')
		lines[answer.len++] = line;
	return curves_add(curves, &answer);
}

static const char first[] =
	"history name=h/interface-e/if_octets type=if_octets unit=bytes/s provider=rrdtool "
	"start=1000 step=10 coarsest=10 points=3 time=1045.5 missing=true\n"
	"source name=rx unit=\"\" label=\"\"\n"
	"source name=tx unit=bits/s label=\"what is sent\"\n"
	"1000.000 1 2 10 20\n"
	"1020.000 3 4 nan nan\n";

static void pages_continue(void **state)
{
	struct curves curves = { 0 };
	struct curves_summary rx;
	struct curves_range known;

	(void)state;
	assert_int_equal(add(&curves, first), 0);
	assert_int_equal(curves.len, 3);
	assert_int_equal(add(&curves,
			     "history start=1030 step=10 coarsest=60 points=2 missing=true\n"
			     "source name=rx\nsource name=tx\n1030.000 5 9 nan nan\n"),
			 0);
	assert_int_equal(curves.len, 5);
	assert_int_equal(curves.sources_len, 2);
	assert_string_equal(curves.name, "h/interface-e/if_octets");
	assert_true(curves.missing);
	assert_float_equal(curves.coarsest, 60, 0);
	assert_string_equal(curves.sources[0].unit, "bytes/s");
	assert_string_equal(curves.sources[1].unit, "bits/s");
	assert_string_equal(curves.sources[1].label, "what is sent");
	assert_true(isnan(curves.sources[0].averages[1]));
	assert_float_equal(curves.sources[1].maxima[0], 20, 0);
	rx = curves_summary(&curves, &curves.sources[0]);
	assert_float_equal(rx.minimum, 1, 0);
	assert_float_equal(rx.average, 3, 0);
	assert_float_equal(rx.maximum, 9, 0);
	assert_float_equal(rx.last, 5, 0);
	known = curves_known(&curves);
	assert_int_equal(known.begin, 0);
	assert_int_equal(known.end, 4);
	curves_done(&curves);
}

static void minima_are_the_smallest(void **state)
{
	struct curves curves = { 0 };

	(void)state;
	assert_int_equal(
		add(&curves,
		    "history name=a/b/c type=gauge unit=\"\" provider=rrdtool start=0 "
		    "step=10 coarsest=10 points=2 time=10 minima=true\n"
		    "source name=value unit=\"\" label=\"\"\n0.000 5 9 2\n10.000 4 4 nan\n"),
		0);
	assert_float_equal(curves.sources[0].minima[0], 2, 0);
	assert_true(isnan(curves.sources[0].minima[1]));
	assert_float_equal(curves_summary(&curves, &curves.sources[0]).minimum, 2, 0);
	curves_done(&curves);
	curves = (struct curves){ 0 };
	assert_int_equal(add(&curves, "history name=a/b/c start=0 step=10 points=1 minima=true\n"
				      "source name=value\n0.000 5 9\n"),
			 -EPROTO);
	curves_done(&curves);
}

static void what_does_not_continue(void **state)
{
	static const char *const pages[] = {
		"history start=1030 step=20 points=2\n",   /* Another step, */
		"history start=1050 step=10 points=2\n",   /* a gap, */
		"history start=1030 step=10 points=-1\n",  /* no number, */
		"history start=1030 step=10 points=1.5\n", /* and none of points. */
		"series start=1030 step=10 points=2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct curves curves = { 0 };

		assert_int_equal(add(&curves, first), 0);
		assert_int_equal(add(&curves, pages[i]), -EPROTO);
		curves_done(&curves);
	}
}

static void garbage(void **state)
{
	static const char *const answers[] = {
		"",
		"history",
		"history step=0 start=0 points=1\n",
		"history step=nan start=0 points=1\n",
		"history step=1 start=inf points=1\n",
		"history step=1 start=0 points=1\n0 1\n", /* Without a source. */
		"history step=1 start=0 points=1\nsource name=a\n0 1\n",
		"history step=1 start=0 points=1\nsource name=a\n0 1 2 3\n",
		"history step=1 start=0 points=1\nsource name=a\n1 1 2\n", /* After the end. */
		"history step=1 start=0 points=1\nsource name=a\n-1 1 2\n",
		"history step=1 start=0 points=1\nsource name=a\nx 1 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct curves curves = { 0 };

		if (add(&curves, answers[i]) != -EPROTO)
			fail_msg("%s", answers[i]);
		curves_done(&curves);
	}
}

static void a_million_points(void **state)
{
	struct curves curves = { 0 };

	(void)state;
	assert_int_equal(add(&curves, "history step=1 start=0 points=1000000\nsource name=a\n"), 0);
	assert_int_equal(add(&curves, "history step=1 start=1000000 points=1\n"), -E2BIG);
	assert_int_equal(curves_known(&curves).end, 0);
	curves_done(&curves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_continue),         cmocka_unit_test(minima_are_the_smallest),
		cmocka_unit_test(what_does_not_continue), cmocka_unit_test(garbage),
		cmocka_unit_test(a_million_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
