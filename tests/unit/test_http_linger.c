/* SPDX-License-Identifier: MIT */
/* When requests linger. */
#include "kit/net/http_server/http_linger.h"

#include "unit.h"

/* After a second of that many requests. */
static bool after(struct http_linger *linger, unsigned requests, unsigned connections)
{
	linger->requests += requests;
	return http_linger_look(linger, linger->since + MC_SECOND, connections);
}

static void a_fleet_lingers(void **state)
{
	struct http_linger linger = { .since = MC_SECOND };

	(void)state;
	assert_true(after(&linger, 500, 5000));
	assert_true(after(&linger, 500, 5000));
	assert_false(after(&linger, HTTP_LINGER_LEAST - 1, 5000));
	assert_true(after(&linger, HTTP_LINGER_LEAST, 5000));
}

static void who_sends_at_once_again_does_not_wait(void **state)
{
	struct http_linger linger = { .since = MC_SECOND };

	(void)state;
	assert_false(after(&linger, 1000, 1));
	assert_false(after(&linger, 1000, 400));
	assert_true(after(&linger, 1000, 500));
	assert_false(after(&linger, 1001, 500));
}

static void it_counts_for_a_second(void **state)
{
	struct http_linger linger = { .since = MC_SECOND, .requests = 1000 };

	(void)state;
	assert_false(http_linger_look(&linger, 2 * MC_SECOND - 1, 5000));
	assert_int_equal(linger.requests, 1000);
	assert_true(http_linger_look(&linger, 2 * MC_SECOND, 5000));
	assert_int_equal(linger.requests, 0);
	assert_true(http_linger_look(&linger, 3 * MC_SECOND - 1, 5000));
	linger.requests = 100000;
	assert_false(http_linger_look(&linger, 12 * MC_SECOND, 50000));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fleet_lingers),
		cmocka_unit_test(who_sends_at_once_again_does_not_wait),
		cmocka_unit_test(it_counts_for_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
