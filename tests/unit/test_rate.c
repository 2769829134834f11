/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "model/rate.h"

static double between(enum mc_kind kind, uint64_t old, uint64_t new, double seconds)
{
	struct mc_source source = { "value", kind, NAN, NAN };

	return rate_between(&source, (union mc_value){ .counter = old },
			    (union mc_value){ .counter = new }, seconds);
}

static void assert_double(double value, double expected)
{
	assert_true(value == expected);
}

static void counters_grow_and_wrap(void **state)
{
	(void)state;
	assert_double(between(MC_COUNTER, 1000, 1500, 10), 50);
	assert_double(between(MC_COUNTER, 1000, 1000, 10), 0);
	assert_double(between(MC_COUNTER, UINT32_MAX - 9, 90, 10), 10);
	assert_double(between(MC_COUNTER, UINT64_MAX - 9, 90, 10), 10);
}

static void a_counter_that_restarts_has_no_rate(void **state)
{
	(void)state;
	assert_true(isnan(between(MC_COUNTER, 1000, 0, 10)));
	assert_true(isnan(between(MC_COUNTER, UINT64_C(1) << 40, 5, 10)));
}

static void a_derive_goes_both_ways(void **state)
{
	struct mc_source source = { "value", MC_DERIVE, 0, NAN };

	(void)state;
	assert_double(between(MC_DERIVE, 100, 50, 10), -5);
	assert_double(between(MC_DERIVE, 0, (uint64_t)INT64_MIN, 1), -0x1p63);
	assert_true(isnan(rate_between(&source, (union mc_value){ .derive = 9 },
				       (union mc_value){ .derive = 0 }, 1)));
}

static void an_absolute_counts_from_the_last_read(void **state)
{
	(void)state;
	assert_double(between(MC_ABSOLUTE, 1000, 50, 10), 5);
}

static void gauges_are_taken_as_they_are_within_their_range(void **state)
{
	struct mc_source source = { "value", MC_GAUGE, 0, 100 };
	union mc_value old = { .gauge = 1 };

	(void)state;
	assert_double(rate_between(&source, old, (union mc_value){ .gauge = 99.5 }, 10), 99.5);
	assert_true(isnan(rate_between(&source, old, (union mc_value){ .gauge = 101 }, 10)));
	assert_true(isnan(rate_between(&source, old, (union mc_value){ .gauge = -1 }, 10)));
	assert_true(isnan(rate_between(&source, old, (union mc_value){ .gauge = NAN }, 10)));
}

static void first_values_tell_what_they_can(void **state)
{
	struct mc_source gauge = { "value", MC_GAUGE, NAN, NAN };
	struct mc_source counter = { "value", MC_COUNTER, NAN, NAN };
	struct mc_source absolute = { "value", MC_ABSOLUTE, NAN, NAN };

	(void)state;
	assert_double(rate_first(&gauge, (union mc_value){ .gauge = 7 }, 10), 7);
	assert_true(isnan(rate_first(&counter, (union mc_value){ .counter = 7 }, 10)));
	assert_double(rate_first(&absolute, (union mc_value){ .absolute = 70 }, 10), 7);
	assert_true(isnan(rate_first(&absolute, (union mc_value){ .absolute = 7 }, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_grow_and_wrap),
		cmocka_unit_test(a_counter_that_restarts_has_no_rate),
		cmocka_unit_test(a_derive_goes_both_ways),
		cmocka_unit_test(an_absolute_counts_from_the_last_read),
		cmocka_unit_test(gauges_are_taken_as_they_are_within_their_range),
		cmocka_unit_test(first_values_tell_what_they_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
