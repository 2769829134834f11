/* SPDX-License-Identifier: MIT */
/* When a guest is asked again about which a call hung. */
#include "hold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define INTERVAL (5 * MC_SECOND)

static void not_while_its_call_hangs(void **state)
{
	struct hold hold = { 0 };

	(void)state;
	assert_true(hold_allows(&hold, MC_SECOND));
	hold_begin(&hold, MC_SECOND);
	assert_true(hold.lasts && hold.hangs);
	assert_false(hold_allows(&hold, 3600 * MC_SECOND));
	hold_release(&hold, 3600 * MC_SECOND, INTERVAL);
	assert_true(hold.lasts && !hold.hangs);
	assert_true(hold_allows(&hold, 3600 * MC_SECOND));
	hold_end(&hold, 3600 * MC_SECOND);
	assert_false(hold.lasts);
}

/* The wait after a hold that began at 'now' and came back at once. */
static mc_time wait_after(struct hold *hold, mc_time now)
{
	hold_begin(hold, now);
	hold_release(hold, now, INTERVAL);
	assert_true(hold->retry == now || !hold_allows(hold, hold->retry - 1));
	assert_true(hold_allows(hold, hold->retry));
	return hold->retry - now;
}

static void ever_more_seldom(void **state)
{
	static const mc_time waits[] = { 0, 5, 10, 20, 40, 60, 60, 60 };
	struct hold hold = { 0 };
	mc_time now = MC_SECOND;

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		assert_int_equal(wait_after(&hold, now), waits[i] * MC_SECOND);
		hold_end(&hold, now);
	}
	now += HOLD_FORGOTTEN;
	assert_int_equal(wait_after(&hold, now), HOLD_WAIT_MAX);
	hold_end(&hold, now);
	now += HOLD_FORGOTTEN + 1;
	assert_int_equal(wait_after(&hold, now), 0);
}

static void at_once_where_it_was_not_asked(void **state)
{
	struct hold hold = { 0 };

	(void)state;
	hold_postpone(&hold, MC_SECOND);
	assert_true(hold.lasts && !hold.hangs);
	assert_true(hold_allows(&hold, MC_SECOND));
	hold_end(&hold, MC_SECOND);
	assert_int_equal(wait_after(&hold, 2 * MC_SECOND), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_while_its_call_hangs),
		cmocka_unit_test(ever_more_seldom),
		cmocka_unit_test(at_once_where_it_was_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
