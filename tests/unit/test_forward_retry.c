/* SPDX-License-Identifier: MIT */
/* When the forward plugin sends again. */
#include "retry.h"

#include <stdio.h>

#include "unit.h"

static void test_verdicts(void **state)
{
	static const long later[] = { 0, 401, 403, 429, 502, 503, 504 };
	static const long never[] = { 301, 400, 404, 409, 413, 415, 500, 501 };

	(void)state;
	assert_int_equal(retry_verdict(200), RETRY_DONE);
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		assert_int_equal(retry_verdict(later[i]), RETRY_LATER);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		assert_int_equal(retry_verdict(never[i]), RETRY_NEVER);
}

/* The longest of a thousand waits after that many failures. */
static mc_time longest(unsigned failures)
{
	struct retry retry = { .random = 1, .longest = RETRY_LONGEST };
	mc_time most = 0;

	for (unsigned i = 0; i < 1000; i++) {
		retry.failures = failures;
		retry_failed(&retry, 100 * MC_SECOND, 0);
		assert_true(retry.until >= 100 * MC_SECOND);
		if (retry.until - 100 * MC_SECOND > most)
			most = retry.until - 100 * MC_SECOND;
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
	struct retry retry = { .random = 1, .longest = 3 * MC_SECOND };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		retry_failed(&retry, 0, 0);
		assert_true(retry.until < 3 * MC_SECOND);
	}
}

static void test_asked_for(void **state)
{
	struct retry retry = { .random = 1, .longest = RETRY_LONGEST };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		retry_failed(&retry, 0, 120);
		assert_true(retry.until >= 120 * MC_SECOND);
		assert_true(retry.until < 180 * MC_SECOND);
	}
	retry_failed(&retry, 0, INT64_MAX);
	assert_true(retry.until <= 3660 * MC_SECOND);
	retry_done(&retry);
	assert_int_equal(retry.until, 0);
	assert_int_equal(retry.failures, 0);
}

static void test_durations(void **state)
{
	static const char *const cases[][2] = {
		{ "Failed to connect to h port 1 after 12 ms: Couldn't connect",
		  "Failed to connect to h port 1: Couldn't connect" },
		{ "Operation timed out after 5001 milliseconds with 0 bytes",
		  "Operation timed out with 0 bytes" },
		{ "1 after 2 ms after 3 ms", "1" },
		{ "after 2 ms after 3 messages after ", "after 2 ms after 3 "
							"messages after " },
		{ "", "" },
	};
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s", cases[i][0]);
		retry_strip_duration(text);
		assert_string_equal(text, cases[i][1]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_waits_double),
		cmocka_unit_test(test_waits_have_an_end),
		cmocka_unit_test(test_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
