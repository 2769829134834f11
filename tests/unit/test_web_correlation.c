/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <math.h>

#include "correlation.h"

#define LEN 8

static const double spike[LEN] = { 1, 1, 1, 5, 9, 5, 1, 1 };

static double with(const double *values, const double other[LEN])
{
	struct mc_history_point points[LEN];

	for (unsigned i = 0; i < LEN; i++)
		points[i] = (struct mc_history_point){ .average = other[i] };
	return correlation(values, points, LEN);
}

static void scale_and_offset_do_not_count(void **state)
{
	const double larger[LEN] = { 700, 700, 700, 2700, 4700, 2700, 700, 700 };

	(void)state;
	assert_float_equal(with(spike, spike), 1, 1e-12);
	assert_float_equal(with(spike, larger), 1, 1e-12);
}

static void what_falls_meanwhile_is_opposite(void **state)
{
	const double falling[LEN] = { 90, 90, 90, 86, 82, 86, 90, 90 };

	(void)state;
	assert_float_equal(with(spike, falling), -1, 1e-12);
}

static void of_a_line_and_a_spike_it_is_known(void **state)
{
	const double rising[LEN] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)state;
	/* Sums of squares are 42 and 64, that of products 8. */
	assert_float_equal(with(rising, spike), 8 / sqrt(42 * 64), 1e-12);
}

static void what_does_not_move_is_like_nothing(void **state)
{
	double still[LEN], rounding[LEN];

	(void)state;
	for (unsigned i = 0; i < LEN; i++) {
		still[i] = 4;
		rounding[i] = 0.3 + (i % 2) * 1e-16;
	}
	assert_true(isnan(with(spike, still)));
	assert_true(isnan(with(still, spike)));
	assert_true(isnan(with(spike, rounding)));
}

static void large_values_that_move_little_do(void **state)
{
	double large[LEN];

	(void)state;
	for (unsigned i = 0; i < LEN; i++)
		large[i] = 1e9 + spike[i];
	assert_float_equal(with(spike, large), 1, 1e-9);
}

static void unknown_points_of_either_are_left_out(void **state)
{
	const double gap[LEN] = { 1, NAN, 1, 5, 9, 5, 1, 1 };
	const double six[LEN] = { 2, 77, 2, 10, 18, 10, 2, NAN };
	const double five[LEN] = { 2, 77, 2, 10, INFINITY, 10, 2, NAN };

	(void)state;
	assert_float_equal(with(gap, six), 1, 1e-12);
	assert_true(isnan(with(gap, five)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scale_and_offset_do_not_count),
		cmocka_unit_test(what_falls_meanwhile_is_opposite),
		cmocka_unit_test(of_a_line_and_a_spike_it_is_known),
		cmocka_unit_test(what_does_not_move_is_like_nothing),
		cmocka_unit_test(large_values_that_move_little_do),
		cmocka_unit_test(unknown_points_of_either_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
