/* SPDX-License-Identifier: MIT */
/* When what has failed is tried again. */
#include <collector/kit/backoff.h>

#include "unit.h"

#define LONGEST (60 * MC_SECOND)

/* The longest of a thousand waits after that many failures. */
static mc_time longest(unsigned failures)
{
	struct mc_backoff backoff = { .random = 1, .longest = LONGEST };
	mc_time most = 0;

	for (unsigned i = 0; i < 1000; i++) {
		backoff.failures = failures;
		mc_backoff_failed(&backoff, 100 * MC_SECOND, 0);
		assert_true(backoff.until >= 100 * MC_SECOND);
		if (backoff.until - 100 * MC_SECOND > most)
			most = backoff.until - 100 * MC_SECOND;
	}
	return most;
}

static void test_waits_double(void **state)
{
	static const mc_time limits[] = { 500, 1000, 2000, 4000 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		mc_time limit = limits[i] * MC_MILLISECOND;

		assert_true(longest(i) < limit);
		assert_true(longest(i) > limit * 9 / 10);
	}
	assert_true(longest(30) < 60 * MC_SECOND);
	assert_true(longest(30) > 50 * MC_SECOND);
}

static void test_waits_have_an_end(void **state)
{
	struct mc_backoff backoff = { .random = 1, .longest = 3 * MC_SECOND };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		mc_backoff_failed(&backoff, 0, 0);
		assert_true(backoff.until < 3 * MC_SECOND);
	}
}

static void test_asked_for(void **state)
{
	struct mc_backoff backoff = { .random = 1, .longest = LONGEST };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		mc_backoff_failed(&backoff, 0, 120 * MC_SECOND);
		assert_true(backoff.until >= 120 * MC_SECOND);
		assert_true(backoff.until < 180 * MC_SECOND);
	}
	mc_backoff_failed(&backoff, 0, INT64_MAX);
	assert_true(backoff.until <= 3660 * MC_SECOND);
	mc_backoff_done(&backoff);
	assert_int_equal(backoff.until, 0);
	assert_int_equal(backoff.failures, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_double),
		cmocka_unit_test(test_waits_have_an_end),
		cmocka_unit_test(test_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
