/* SPDX-License-Identifier: MIT */
/* Where thresholds are placed, and when they are moved. */
#include "threshold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static uint64_t threshold(struct watermark_rule rule, uint64_t allocation, double rate)
{
	struct watermark_disk disk = { GIB, allocation, rate };

	return threshold_bytes(&rule, &disk);
}

static void the_lowest_limit_counts(void **state)
{
	struct watermark_rule both = { .free = 512 << 20, .percent = 75 };

	(void)state;
	assert_int_equal(threshold((struct watermark_rule){ .free = 512 << 20 }, 0, 0), 512 * MIB);
	assert_int_equal(threshold((struct watermark_rule){ .percent = 75 }, 0, 0), 768 * MIB);
	assert_int_equal(threshold(both, 0, 0), 512 * MIB);
	both.response = 30 * MC_SECOND;
	assert_int_equal(threshold(both, 0, 1.0 * MIB), 512 * MIB);
	assert_int_equal(threshold(both, 0, 20.0 * MIB), 424 * MIB);
}

static void what_was_passed_goes_half_way(void **state)
{
	struct watermark_rule rule = { .percent = 50 };

	(void)state;
	assert_int_equal(threshold(rule, 511 * MIB, 0), 512 * MIB);
	assert_int_equal(threshold(rule, 512 * MIB, 0), 768 * MIB);
	assert_int_equal(threshold(rule, GIB - 2 * MIB, 0), GIB - MIB);
	assert_int_equal(threshold(rule, GIB - MIB, 0), 0);
	assert_int_equal(threshold(rule, GIB, 0), 0);
	assert_int_equal(threshold(rule, 2 * GIB, 0), 0);
}

static void limits_beyond_the_disk(void **state)
{
	(void)state;
	/* Less than nothing is left: the first write is reported. */
	assert_int_equal(threshold((struct watermark_rule){ .free = INT64_MAX }, 0, 0), 1);
	assert_int_equal(threshold((struct watermark_rule){ .response = 60 * MC_SECOND }, 0, 1e300),
			 1);
	/* Nothing grows: shortly before the end. */
	assert_int_equal(threshold((struct watermark_rule){ .response = 60 * MC_SECOND }, 0, 0),
			 GIB - MIB);
	assert_int_equal(threshold((struct watermark_rule){ .free = 0 }, 0, 0), GIB - MIB);
}

static bool stays(uint64_t set, uint64_t allocation, double percent)
{
	struct watermark_rule rule = { .percent = percent };
	struct watermark_disk disk = { .size = GIB, .allocation = allocation };

	return threshold_stays(&rule, &disk, set);
}

static void small_moves_are_not_made(void **state)
{
	(void)state;
	assert_true(stays(512 * MIB, 0, 50));
	assert_true(stays(540 * MIB, 0, 50));
	assert_false(stays(600 * MIB, 0, 50));
	assert_false(stays(400 * MIB, 0, 50));
	/* A passed one does not fire. */
	assert_false(stays(512 * MIB, 512 * MIB, 50));
	/* Beyond the limits: half way to the end, from where it was set. */
	assert_true(stays(512 * MIB, 10 * MIB, 0.1));
	assert_true(stays(512 * MIB, 511 * MIB, 0.1));
	assert_false(stays(900 * MIB, 511 * MIB, 0.1));
}

static void rates_are_smoothed(void **state)
{
	(void)state;
	assert_true(threshold_rate(NAN, 1000, 10) == 100);
	assert_true(threshold_rate(100, 1000, 10) == 100);
	assert_true(fabs(threshold_rate(100, 2000, 10) - 130) < 1e-9);
	assert_true(fabs(threshold_rate(100, 0, 10) - 70) < 1e-9);
}

static void globs_select_disks(void **state)
{
	struct watermark_rule rule = { .guests = "web*", .disks = "vd[ab]" };

	(void)state;
	assert_true(threshold_matches(&rule, "web1", "vda"));
	assert_false(threshold_matches(&rule, "db1", "vda"));
	assert_false(threshold_matches(&rule, "web1", "vdc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lowest_limit_counts),
		cmocka_unit_test(what_was_passed_goes_half_way),
		cmocka_unit_test(limits_beyond_the_disk),
		cmocka_unit_test(small_moves_are_not_made),
		cmocka_unit_test(rates_are_smoothed),
		cmocka_unit_test(globs_select_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
