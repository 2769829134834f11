/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/log_once.h"

static char heard[1000];

static void hear(void *argument, enum mc_level level, const char *line)
{
	size_t size = strlen(heard);

	(void)argument;
	(void)level;
	snprintf(heard + size, sizeof(heard) - size, "%s\n", line);
}

static void say(struct log_once *log_once, int errnum, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_once_reason(log_once, errnum, fmt, args);
	va_end(args);
}

static void a_reason_is_logged_once_and_its_end_too(void **state)
{
	struct log_once log_once;

	(void)state;
	heard[0] = '\0';
	log_once_init(&log_once);
	for (int i = 0; i < 3; i++) {
		say(&log_once, ENOENT, "cannot read '%s'", "/proc/x");
		assert_true(log_once_result(&log_once, "disk", -ENOENT));
	}
	assert_false(log_once_result(&log_once, "disk", 0));
	assert_false(log_once_result(&log_once, "disk", 0));
	assert_string_equal(
		heard,
		"disk: cannot read '/proc/x': No such file or directory\n"
		"disk: works again after 3 failures\n");
	log_once_done(&log_once);
}

static void that_it_comes_again_is_no_reason(void **state)
{
	struct log_once log_once;
	char text[LOG_ONCE_SIZE];

	(void)state;
	log_once_init(&log_once);
	say(&log_once, EAGAIN, "'%s' answers with status 503", "http://a");
	assert_true(log_once_result(&log_once, "forward", -EAGAIN));
	log_once_text(&log_once, text);
	assert_string_equal(text, "'http://a' answers with status 503");
	log_once_done(&log_once);
}

static void another_reason_is_logged_again(void **state)
{
	struct log_once log_once;
	char text[LOG_ONCE_SIZE];

	(void)state;
	heard[0] = '\0';
	log_once_init(&log_once);
	say(&log_once, 0, "one");
	log_once_result(&log_once, "x", -EIO);
	say(&log_once, 0, "two");
	log_once_result(&log_once, "x", -EIO);
	log_once_result(&log_once, "x", -EIO);
	assert_string_equal(heard, "x: one\nx: two\nx: Input/output error\n");
	log_once_text(&log_once, text);
	assert_string_equal(text, "Input/output error");
	heard[0] = '\0';
	log_once_result(&log_once, "x", 0);
	assert_string_equal(heard, "x: works again after 3 failures\n");
	log_once_done(&log_once);
}

static void hints_pause(void **state)
{
	struct log_once log_once;

	(void)state;
	heard[0] = '\0';
	clock_stop(MC_SECOND, MC_SECOND);
	log_once_init(&log_once);
	for (int i = 0; i < 100; i++)
		log_once_hint(&log_once, "x", "odd name %d", i);
	assert_string_equal(heard, "x: odd name 0\n");
	clock_step(LOG_ONCE_PAUSE);
	log_once_hint(&log_once, "x", "odd name 100");
	assert_string_equal(heard, "x: odd name 0\nx: odd name 100\n");
	log_once_done(&log_once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_logged_once_and_its_end_too),
		cmocka_unit_test(that_it_comes_again_is_no_reason),
		cmocka_unit_test(another_reason_is_logged_again),
		cmocka_unit_test(hints_pause),
	};

	log_to_stderr(-1);
	log_add_target(hear, heard);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
