/* SPDX-License-Identifier: MIT */
/* Growth of memory, and who is to blame for a wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "growth.h"

#include <math.h>

#define MIB (UINT64_C(1) << 20)
#define GUESTS 4096

static void test_growth(void **state)
{
	struct growth growth = { 0 };

	(void)state;
	assert_int_equal(growth_of(&growth), 0);
	growth_step(&growth, 5 * MIB, false);
	assert_int_equal(growth_of(&growth), 0);
	growth.now = 6 * MIB;
	assert_int_equal(growth_of(&growth), MIB);
	for (unsigned i = 0; i < GROWTH_STEPS; i++)
		growth_step(&growth, (10 + i) * MIB, false);
	assert_int_equal(growth_of(&growth), (GROWTH_STEPS - 1) * MIB); /* Older ones are gone. */
	growth.now = 0;
	assert_int_equal(growth_of(&growth), 0);
}

static void test_new_one_grew_from_nothing(void **state)
{
	struct growth growth = { 0 };

	(void)state;
	growth_step(&growth, 5 * MIB, true);
	assert_int_equal(growth_of(&growth), 5 * MIB);
	growth_step(&growth, UINT64_MAX, true);
	assert_int_equal(growth_of(&growth), UINT64_MAX);
}

static void test_blame(void **state)
{
	const uint64_t grown[] = { 200 * MIB, 600 * MIB, 0, 100 * MIB, 63 * MIB, 100 * MIB - 63 };
	struct top out;

	(void)state;
	growth_blame(grown, 6, 0, 0.5, &out);
	assert_int_equal(out.len, 3);
	assert_int_equal(out.items[0].user, 1);
	assert_true(fabs(out.items[0].part - 0.5 * 600 / 1063) < 1e-6);
	assert_int_equal(out.items[1].user, 3);
	assert_int_equal(out.items[2].user, 5);
	growth_blame(&grown[2], 1, 0, 0.5, &out);
	assert_int_equal(out.len, 0);
	growth_blame(grown, 1, 0, 0.5, &out);
	assert_int_equal(out.len, 0); /* Only the victim grew. */
	growth_blame(NULL, 0, 0, 0.5, &out);
	assert_int_equal(out.len, 0);
}

static void test_many(void **state)
{
	static uint64_t grown[GUESTS];
	struct top out;

	(void)state;
	for (size_t i = 0; i < GUESTS; i++)
		grown[i] = UINT64_MAX;
	growth_blame(grown, GUESTS, 5, 1, &out);
	assert_int_equal(out.len, GROWTH_TOP);
	assert_true(out.items[0].part > 0 && out.items[0].part < 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_new_one_grew_from_nothing),
		cmocka_unit_test(test_blame),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
