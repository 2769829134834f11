/* SPDX-License-Identifier: MIT */
/* Which times a line may have. */
#include "formats/graphite/line.h"

#include <string.h>

#include "unit.h"

static mc_time read_time(const char *text)
{
	mc_time time;

	if (line_read_time(text, strlen(text), &time) != LINE_GOOD)
		return -1;
	return time;
}

static void seconds_and_milliseconds(void **state)
{
	(void)state;
	assert_int_equal(read_time("N"), 0);
	assert_int_equal(read_time("-1"), 0);
	assert_int_equal(read_time("1"), MC_SECOND);
	assert_int_equal(read_time("1700000000"), 1700000000 * MC_SECOND);
	assert_int_equal(read_time("1700000000.5"), 1700000000 * MC_SECOND + MC_SECOND / 2);
	assert_int_equal(read_time("4000000000"), 4000000000 * MC_SECOND);
	assert_int_equal(read_time("1000000000000"), 1000000000 * MC_SECOND);
	assert_int_equal(read_time("1700000000500"), 1700000000 * MC_SECOND + MC_SECOND / 2);
}

/* Neither seconds of a year that one means nor milliseconds: 5e9 was January 1970. */
static void what_is_neither_is_refused(void **state)
{
	(void)state;
	assert_int_equal(read_time("4000000001"), -1);
	assert_int_equal(read_time("5000000000"), -1);
	assert_int_equal(read_time("5e9"), -1);
	assert_int_equal(read_time("999999999999"), -1);
	assert_int_equal(read_time("4000000000001"), -1);
	assert_int_equal(read_time("0"), -1);
	assert_int_equal(read_time("nan"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_and_milliseconds),
		cmocka_unit_test(what_is_neither_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
