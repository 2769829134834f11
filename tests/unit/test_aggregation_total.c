/* SPDX-License-Identifier: MIT */
/* Rates that become counting values again. */
#include "total.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define AT(seconds) ((mc_time)(1700000000 + (seconds)) * MC_SECOND)

static void carries_fractions(void **unused)
{
	struct total total = { 0 };

	(void)unused;
	assert_false(total_next(&total, MC_DERIVE, 0.3, AT(0)));
	assert_true(total_next(&total, MC_DERIVE, 0.3, AT(1)));
	assert_int_equal(total.value.derive, 0);
	assert_true(total_next(&total, MC_DERIVE, 0.3, AT(2)));
	assert_true(total_next(&total, MC_DERIVE, 0.3, AT(3)));
	assert_int_equal(total.value.derive, 1);
	for (int i = 4; i < 1000; i++)
		assert_true(total_next(&total, MC_DERIVE, 0.3, AT(i)));
	assert_in_range(total.value.derive, 299, 300);
}

static void goes_down(void **unused)
{
	struct total total = { 0 };

	(void)unused;
	assert_false(total_next(&total, MC_DERIVE, -1.5, AT(0)));
	assert_true(total_next(&total, MC_DERIVE, -1.5, AT(10)));
	assert_int_equal(total.value.derive, -16);
	assert_true(total_next(&total, MC_DERIVE, -1.5, AT(11)));
	assert_int_equal(total.value.derive, -18);
}

static void counts_from_zero(void **unused)
{
	struct total total = { 0 };

	(void)unused;
	assert_false(total_next(&total, MC_COUNTER, 5, AT(0)));
	assert_true(total_next(&total, MC_COUNTER, 5, AT(10)));
	assert_int_equal(total.value.counter, 55);
	assert_false(total_next(&total, MC_COUNTER, -5, AT(20)));
	assert_int_equal(total.value.counter, 55);
}

static void is_what_came_since(void **unused)
{
	struct total total = { 0 };

	(void)unused;
	assert_false(total_next(&total, MC_ABSOLUTE, 5, AT(0)));
	assert_true(total_next(&total, MC_ABSOLUTE, 5, AT(10)));
	assert_int_equal(total.value.absolute, 50);
	assert_true(total_next(&total, MC_ABSOLUTE, 0, AT(20)));
	assert_int_equal(total.value.absolute, 0);
}

static void a_gauge_is_the_rate(void **unused)
{
	struct total total = { 0 };

	(void)unused;
	assert_true(total_next(&total, MC_GAUGE, INFINITY, AT(0)));
	assert_true(isinf(total.value.gauge));
	assert_true(total_next(&total, MC_GAUGE, NAN, AT(0)));
	assert_true(isnan(total.value.gauge));
}

/* What cannot be added changes nothing: the next value counts from before. */
static void what_does_not_fit_is_left_out(void **unused)
{
	static const double wrong[] = { NAN, INFINITY, -INFINITY, 1e19, -1e19 };
	struct total total = { 0 };

	(void)unused;
	assert_false(total_next(&total, MC_DERIVE, NAN, AT(0)));
	assert_false(total_next(&total, MC_DERIVE, 1, AT(0)));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(total_next(&total, MC_DERIVE, wrong[i], AT(5)));
	assert_true(total_next(&total, MC_DERIVE, 1, AT(10)));
	assert_int_equal(total.value.derive, 11);
	assert_false(total_next(&total, MC_DERIVE, 1, AT(10)));
	assert_false(total_next(&total, MC_DERIVE, 1, AT(9)));
	assert_int_equal(total.value.derive, 11);
	for (int i = 11; i < 20; i++) /* It wraps, as what it counts does. */
		assert_true(total_next(&total, MC_DERIVE, 9e18, AT(i)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_fractions),
		cmocka_unit_test(goes_down),
		cmocka_unit_test(counts_from_zero),
		cmocka_unit_test(is_what_came_since),
		cmocka_unit_test(a_gauge_is_the_rate),
		cmocka_unit_test(what_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
