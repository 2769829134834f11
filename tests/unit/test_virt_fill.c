/* SPDX-License-Identifier: MIT */
/* When something is full, which of several is first, and in which words. */
#include "fill.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)
#define MINUTE (60 * MC_SECOND)

/* A thing of 100 GiB that is filled from 'used' on, a look each ten seconds. */
static struct fill_trend trend_of(uint64_t used, int64_t a_minute, unsigned minutes)
{
	struct fill_trend trend = { 0 };
	int64_t now = (int64_t)used;

	for (unsigned i = 0; i <= 6 * minutes; i++, now += a_minute / 6)
		fill_take(&trend, (uint64_t)now, 100 * GIB, MINUTE + i * 10 * MC_SECOND);
	return trend;
}

static void what_fills_is_full_at_its_rate(void **state)
{
	struct fill_trend trend = trend_of(50 * GIB, GIB, 10);

	(void)state;
	assert_float_equal(trend.rate, (double)GIB / 60, 1);
	assert_float_equal(fill_seconds(&trend), 40 * 60, 1);
}

static void what_does_not_fill_is_never_full(void **state)
{
	struct fill_trend once = trend_of(50 * GIB, GIB, 0);
	struct fill_trend still = trend_of(50 * GIB, 0, 10);
	struct fill_trend emptied = trend_of(50 * GIB, -(int64_t)GIB, 10);
	struct fill_trend full = trend_of(100 * GIB, 0, 10);
	struct fill_trend slow = trend_of(50 * GIB, 6, 10);

	(void)state;
	assert_float_equal(fill_seconds(&once), FILL_NEVER, 0);
	assert_float_equal(fill_seconds(&still), FILL_NEVER, 0);
	assert_float_equal(fill_seconds(&emptied), FILL_NEVER, 0);
	assert_float_equal(fill_seconds(&full), FILL_NEVER, 0);
	assert_float_equal(fill_seconds(&slow), FILL_NEVER, 0);
}

/* A database that writes and deletes as much is not full in minutes. */
static void what_is_freed_counts(void **state)
{
	struct fill_trend trend = { 0 };

	(void)state;
	for (unsigned i = 0; i < 360; i++)
		fill_take(&trend, 50 * GIB + (i % 2) * GIB, 100 * GIB, MINUTE + i * 10 * MC_SECOND);
	assert_true(fill_seconds(&trend) > 1200);
}

static void an_old_burst_is_forgotten(void **state)
{
	struct fill_trend trend = trend_of(50 * GIB, GIB, 10);
	uint64_t used = trend.used;

	(void)state;
	for (unsigned i = 1; i <= 6 * 30; i++)
		fill_take(&trend, used, 100 * GIB, 11 * MINUTE + i * 10 * MC_SECOND);
	assert_true(trend.rate < (double)GIB / 60 * 0.003);
	assert_true(trend.rate > 0);
}

/* Two looks at one moment, or a clock that stands, divide by nothing. */
static void looks_at_one_moment_are_one(void **state)
{
	struct fill_trend trend = { 0 };

	(void)state;
	fill_take(&trend, 1, 100, 5);
	fill_take(&trend, 50, 100, 5);
	fill_take(&trend, 50, 100, 4);
	assert_int_equal(trend.used, 1);
	assert_true(trend.rate == 0);
	fill_take(&trend, UINT64_MAX, 0, 6); /* More than there is. */
	assert_true(fill_seconds(&trend) == 0);
}

static const char *words(const struct fill_levels *levels)
{
	static char text[768];

	fill_write(levels, text, sizeof(text));
	return text;
}

static void the_tightest_is_named_first(void **state)
{
	struct fill_levels levels = { .len = 0 };
	const struct fill_trend inside = trend_of(10 * GIB, 170 * (int64_t)MIB, 10);
	const struct fill_trend disk = trend_of(40 * GIB, 340 * (int64_t)MIB, 10);
	const struct fill_trend below = trend_of(80 * GIB, GIB, 10);
	const struct fill_trend unknown = { 0 };

	(void)state;
	assert_string_equal(words(&levels), "");
	assert_null(fill_tightest(&levels));
	fill_add(&levels, FILL_GUEST_FILE_SYSTEM, "/", &inside, true);
	fill_add(&levels, FILL_DISK, "", &disk, false);
	fill_add(&levels, FILL_IMAGE, "/dev/vg/web1", &unknown, true);
	fill_add(&levels, FILL_FILE_SYSTEM, "/srv/images", &below, true);
	assert_int_equal(levels.len, 3);
	assert_ptr_equal(fill_tightest(&levels), &levels.items[2]);
	assert_string_equal(words(&levels),
			    "full in 10 min: file system /srv/images (90 %, 1.0 GiB a minute); its "
			    "file system / in 9 h, its disk in 3 h");
}

/* A disk whose file systems are known: it may be written to its end. */
static void a_level_that_does_no_harm_is_only_named(void **state)
{
	struct fill_levels levels = { .len = 0 };
	const struct fill_trend inside = trend_of(50 * GIB, 0, 10);
	const struct fill_trend disk = trend_of(89 * GIB, GIB, 10);

	(void)state;
	fill_add(&levels, FILL_GUEST_FILE_SYSTEM, "/", &inside, true);
	fill_add(&levels, FILL_DISK, "", &disk, false);
	assert_ptr_equal(fill_tightest(&levels), &levels.items[0]);
	assert_string_equal(words(&levels),
			    "not filling: its file system / (50 %); its disk in 60 s");
}

static void rates_and_times_are_short(void **state)
{
	struct fill_levels levels = { .len = 0 };
	struct fill_trend trend = trend_of(50 * GIB, MIB / 30, 10);

	(void)state;
	fill_add(&levels, FILL_DISK, "", &trend, true);
	assert_string_equal(words(&levels), "not filling: its disk (50 %)");
	levels.items[0].trend.used = 100 * GIB - 240 * MIB;
	assert_string_equal(words(&levels), "full in 5 days: its disk (99.8 %, 2.0 MiB an hour)");
}

static void there_is_a_bound(void **state)
{
	struct fill_levels levels = { .len = 0 };
	const struct fill_trend trend = trend_of(50 * GIB, GIB, 10);
	char name[300], small[20];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < 3 * FILL_LEVELS_MAX; i++)
		fill_add(&levels, FILL_GUEST_FILE_SYSTEM, name, &trend, true);
	assert_int_equal(levels.len, FILL_LEVELS_MAX);
	assert_int_equal(strlen(words(&levels)), 767);
	fill_write(&levels, small, sizeof(small));
	assert_string_equal(small, "full in 40 min: its");
}

static void alarms_wait_before_they_change(void **state)
{
	struct fill_alarm alarm = { 0 };
	mc_time now = MINUTE;

	(void)state;
	assert_int_equal(fill_judge(&alarm, FILL_NEVER, now), MC_OKAY);
	assert_int_equal(fill_judge(&alarm, 3000, now += MINUTE), MC_OKAY);
	assert_int_equal(fill_judge(&alarm, 3000, now += MINUTE), MC_OKAY);
	assert_int_equal(fill_judge(&alarm, 7000, now += MINUTE), MC_OKAY); /* It was nothing. */
	assert_int_equal(fill_judge(&alarm, 3000, now += MINUTE), MC_OKAY);
	assert_int_equal(fill_judge(&alarm, 3000, now += 2 * MINUTE), MC_WARNING);
	assert_int_equal(fill_judge(&alarm, 500, now += MINUTE), MC_WARNING);
	assert_int_equal(fill_judge(&alarm, 500, now += 2 * MINUTE), MC_FAILURE);
	assert_int_equal(fill_judge(&alarm, FILL_NEVER, now += MINUTE), MC_FAILURE);
	assert_int_equal(fill_judge(&alarm, FILL_NEVER, now += 9 * MINUTE), MC_FAILURE);
	assert_int_equal(fill_judge(&alarm, FILL_NEVER, now += MINUTE), MC_OKAY);
}

/* What becomes a failure while it waits to be a warning does not wait anew. */
static void a_failure_does_not_wait_twice(void **state)
{
	struct fill_alarm alarm = { 0 };

	(void)state;
	fill_judge(&alarm, FILL_NEVER, MINUTE);
	fill_judge(&alarm, 700, 2 * MINUTE);
	assert_int_equal(fill_judge(&alarm, 500, 3 * MINUTE), MC_OKAY);
	assert_int_equal(fill_judge(&alarm, 400, 4 * MINUTE), MC_FAILURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fills_is_full_at_its_rate),
		cmocka_unit_test(what_does_not_fill_is_never_full),
		cmocka_unit_test(what_is_freed_counts),
		cmocka_unit_test(an_old_burst_is_forgotten),
		cmocka_unit_test(looks_at_one_moment_are_one),
		cmocka_unit_test(the_tightest_is_named_first),
		cmocka_unit_test(a_level_that_does_no_harm_is_only_named),
		cmocka_unit_test(rates_and_times_are_short),
		cmocka_unit_test(there_is_a_bound),
		cmocka_unit_test(alarms_wait_before_they_change),
		cmocka_unit_test(a_failure_does_not_wait_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
