/* SPDX-License-Identifier: MIT */
/* Curves drawn with characters. */
#include "ctl/print/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void assert_plot(const struct plot *plot, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	plot_print(plot, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static struct plot of(const double *values, size_t len, bool braille)
{
	return (struct plot){ .values = values,
			      .len = len,
			      .unit = "watts",
			      .start = 1800000000,
			      .step = 60,
			      .width = 40,
			      .rows = 3,
			      .braille = braille };
}

static void with_braille(void **state)
{
	static const double values[] = { 0, 50, 100, 50 };
	const struct plot plot = of(values, 4, true);

	(void)state;
	assert_plot(&plot, "       100 ┤              ⡏⠉⠉⠉⠉⠉⠉⡆\n"
			   "        50 ┤       ⡖⠒⠒⠒⠒⠒⠒⠁      ⠓⠒⠒⠒⠒⠒⠒\n"
			   "         0 ┤⣀⣀⣀⣀⣀⣀⣀⠇\n"
			   "           └────────────────────────────\n"
			   "            08:00:00  08:02:00  08:04:00\n");
}

static void with_a_gap(void **state)
{
	static const double values[] = { 10, NAN, NAN, 5 };
	struct plot plot = of(values, 4, false);

	(void)state;
	plot.step = 3600;
	assert_plot(&plot, "        10 |*******\n"
			   "         5 |                     *******\n"
			   "         0 |\n"
			   "           +----------------------------\n"
			   "            08:00      10:00       12:00\n");
}

/* A curve far from zero has a scale of its own, and sizes are in powers of 1024. */
static void scales(void **state)
{
	static const double high[] = { 101, 119 }, sizes[] = { 0, 3e6 }, below[] = { -30, 10 };
	struct plot plot = of(high, 2, false);

	(void)state;
	plot.start = 0;
	plot.step = 86400;
	assert_plot(&plot, "       120 |              **************\n"
			   "       110 |              *\n"
			   "       100 |***************\n"
			   "           +----------------------------\n"
			   "            1970-01-01         1970-01-03\n");
	plot = of(sizes, 2, false);
	plot.unit = "bytes/s";
	plot.step = 3600;
	assert_plot(&plot, "  3.00 MiB |              **************\n"
			   "  1.50 MiB |              *\n"
			   "       0 B |***************\n"
			   "           +----------------------------\n"
			   "            08:00      09:00       10:00\n");
	plot = of(below, 2, false);
	plot.step = 3600;
	assert_plot(&plot, "        10 |              **************\n"
			   "       -10 |              *\n"
			   "       -30 |***************\n"
			   "           +----------------------------\n"
			   "            08:00      09:00       10:00\n");
}

static void nothing(void **state)
{
	static const double values[] = { NAN, INFINITY }, zero[] = { 0, 0 };
	struct plot plot = of(values, 2, true);

	(void)state;
	assert_plot(&plot, "");
	plot = of(zero, 2, false);
	plot.width = PLOT_WIDTH_MIN - 1;
	assert_plot(&plot, "");
	plot.width = PLOT_WIDTH_MIN;
	plot.step = 3600;
	assert_plot(&plot, "         1 |\n"
			   "       0.5 |\n"
			   "         0 |****************************\n"
			   "           +----------------------------\n"
			   "            08:00      09:00       10:00\n");
}

static void environment(void **state)
{
	(void)state;
	unsetenv("LC_ALL");
	setenv("LC_CTYPE", "", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	assert_true(plot_has_braille());
	setenv("LC_ALL", "C", 1);
	assert_false(plot_has_braille());
	setenv("LC_ALL", "C.utf8", 1);
	assert_true(plot_has_braille());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_braille), cmocka_unit_test(with_a_gap),
		cmocka_unit_test(scales),       cmocka_unit_test(nothing),
		cmocka_unit_test(environment),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
