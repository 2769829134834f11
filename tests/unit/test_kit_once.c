/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/once.h>
#include <collector/private/status.h>

static char said[600]; /* The last line, and how many there were. */
static unsigned lines;
static enum mc_level last_level;

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	last_level = level;
	lines++;
}

static unsigned failures;

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
	failures++;
}

static void a_reason_is_said_until_it_changes(void **state)
{
	struct mc_once once = { 0 };

	(void)state;
	lines = 0;
	mc_works(NULL, &once, "'%s' is written", "a");
	assert_int_equal(lines, 0);
	for (int i = 0; i < 3; i++)
		mc_complain(NULL, &once, ENOSPC, "cannot write '%s'", "a");
	assert_int_equal(lines, 1);
	assert_int_equal(failures, 3);
	assert_int_equal(last_level, MC_WARN);
	assert_string_equal(said, "cannot write 'a': No space left on device");
	mc_complain(NULL, &once, 0, "cannot write '%s'", "a");
	assert_int_equal(lines, 2);
	assert_string_equal(said, "cannot write 'a'");
	mc_works(NULL, &once, "'%s' is written", "a");
	assert_int_equal(lines, 3);
	assert_int_equal(last_level, MC_NOTE);
	assert_string_equal(said, "'a' is written after 4 failures");
	mc_works(NULL, &once, "'%s' is written", "a");
	assert_int_equal(lines, 3);
}

static void it_is_said_again_after_it_worked(void **state)
{
	struct mc_once once = { 0 };

	(void)state;
	lines = 0;
	mc_complain(NULL, &once, ENOSPC, "cannot write");
	mc_works(NULL, &once, "is written");
	assert_string_equal(said, "is written after 1 failure");
	mc_complain(NULL, &once, ENOSPC, "cannot write");
	assert_int_equal(lines, 3);
}

/* libcurl's reasons have times and sizes, which differ with each attempt. */
static void another_amount_is_no_news(void **state)
{
	struct mc_once once = { 0 };

	(void)state;
	lines = 0;
	for (int i = 0; i < 20; i++)
		mc_complain(NULL, &once, 0,
			    "'http://a/' timed out after %d.%d s with %d bytes "
			    "received; couldn't go on",
			    5 + i, i, i * 8400000);
	assert_int_equal(lines, 1);
	assert_string_equal(said, "'http://a/' timed out after 5.0 s with 0 "
				  "bytes received; couldn't go on");
}

static void names_and_codes_are_told_apart(void **state)
{
	static const char *const reasons[] = {
		"cannot read 'sda1'", "cannot read 'sda2'",    "cannot read sda2",
		"cannot read sda3",   "answers status 404",    "answers status 503",
		"ended by signal 9",  "ended by signal 11",    "has 5 lines",
		"has 5 rows",         "isn't 'a1', it's 'b1'", "isn't 'a1', it's 'b2'",
	};
	struct mc_once once = { 0 };

	(void)state;
	lines = 0;
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		mc_complain(NULL, &once, 0, "%s", reasons[i]);
		assert_int_equal(lines, i + 1);
	}
}

static void what_is_too_long_is_cut(void **state)
{
	struct mc_once once = { 0 };
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	mc_complain(NULL, &once, EIO, "%s", text);
	assert_int_equal(strlen(said), 511);
}

static void a_pause_is_kept(void **state)
{
	mc_time logged = 0, pause = 60 * MC_SECOND;

	(void)state;
	assert_true(mc_once_in(&logged, 5 * MC_SECOND, pause));
	assert_false(mc_once_in(&logged, 64 * MC_SECOND, pause));
	assert_int_equal(logged, 5 * MC_SECOND);
	assert_true(mc_once_in(&logged, 65 * MC_SECOND, pause));
	assert_int_equal(logged, 65 * MC_SECOND);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_said_until_it_changes),
		cmocka_unit_test(it_is_said_again_after_it_worked),
		cmocka_unit_test(another_amount_is_no_news),
		cmocka_unit_test(names_and_codes_are_told_apart),
		cmocka_unit_test(what_is_too_long_is_cut),
		cmocka_unit_test(a_pause_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
