/* SPDX-License-Identifier: MIT */
/* The line through the past: what it foresees, and what it does not. */
#include "unit.h"

#include <math.h>

#include "trend.h"

#define HOUR (3600 * MC_SECOND)
#define EVERY (10 * MC_SECOND)
#define AHEAD (8 * HOUR)
#define WINDOW (4 * HOUR)
#define BEGIN (INT64_C(1700000000) * MC_SECOND)

/* A number from -1 to 1; the same each time. */
static double noise(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return (double)(*seed >> 8 & 0xffff) / 32767.5 - 1;
}

/* When a forecast first reaches 'bound', in hours from the beginning; -1: it
 * does not within 'hours'. */
static double first_above(double (*value)(double hour), double bound, double hours,
			  double noise_size)
{
	struct trend line = { 0 };
	unsigned seed = 1;

	for (mc_time at = 0; at < (mc_time)(hours * (double)HOUR); at += EVERY) {
		double hour = (double)at / (double)HOUR;

		trend_add(&line, BEGIN + at, value(hour) + noise_size * noise(&seed), WINDOW);
		if (trend_forecast(&line, WINDOW, AHEAD) > bound)
			return hour;
	}
	return -1;
}

/* 2 % an hour from 10 %: 95 % after 42.5 hours. */
static double fills(double hour)
{
	return 10 + 2 * hour;
}

static void a_disk_that_fills_is_told_eight_hours_before(void **state)
{
	(void)state;
	assert_true(fabs(first_above(fills, 95, 40, 0) - 34.5) < 0.01);
	/* Between nine and seven hours, when it is not smooth. */
	for (int i = 1; i <= 3; i++) {
		double hour = first_above(fills, 95, 40, 0.5 * i);

		assert_true(hour > 33.5 && hour < 35.5);
	}
}

static double steps_up(double hour)
{
	return hour < 20 ? 40 : 70;
}

static double saw_tooth(double hour)
{
	return 40 + 30 * (hour - floor(hour));
}

static double stands(double hour)
{
	(void)hour;
	return 90;
}

static void others_are_not(void **state)
{
	(void)state;
	assert_true(first_above(steps_up, 95, 60, 0) == -1);
	assert_true(first_above(steps_up, 95, 60, 1) == -1);
	assert_true(first_above(saw_tooth, 95, 60, 0) == -1);
	assert_true(first_above(saw_tooth, 95, 60, 1) == -1);
	assert_true(first_above(stands, 95, 60, 0) == -1);
	assert_true(first_above(stands, 95, 60, 3) == -1);
}

static void the_slope_is_that_of_the_window(void **state)
{
	struct trend line = { 0 };
	mc_time at = BEGIN;

	(void)state;
	assert_true(isnan(trend_slope(&line, WINDOW)));
	for (int i = 0; i < 10000; i++, at += EVERY) {
		double slope = trend_slope(&line, WINDOW);

		trend_add(&line, at, 1e12 + 3 * 10.0 * i, WINDOW);
		if (i <= 720) /* Half of the window. */
			assert_true(isnan(slope));
		else
			assert_true(fabs(slope - 3) < 1e-6);
	}
	/* A value that is not a number, and a time that goes back, change nothing. */
	trend_add(&line, at, NAN, WINDOW);
	trend_add(&line, at, INFINITY, WINDOW);
	trend_add(&line, at - 2 * EVERY, 0, WINDOW);
	assert_true(fabs(trend_slope(&line, WINDOW) - 3) < 1e-6);
	/* After a gap it begins anew. */
	trend_add(&line, at + WINDOW, 0, WINDOW);
	assert_true(isnan(trend_slope(&line, WINDOW)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_fills_is_told_eight_hours_before),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(the_slope_is_that_of_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
