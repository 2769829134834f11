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
	assert_string_equal(heard, "disk: cannot read '/proc/x': No such file or directory\n"
				   "disk: works again after 3 failures\n");
	log_once_done(&log_once);
}

/* What is shown has the numbers of now. */
static void a_reason_with_other_numbers_is_no_news(void **state)
{
	struct log_once log_once;
	char text[LOG_ONCE_SIZE];

	(void)state;
	heard[0] = '\0';
	log_once_init(&log_once);
	for (int i = 1; i <= 20; i++) {
		say(&log_once, 0, "timed out with %d bytes received", i * 512);
		log_once_result(&log_once, "forward", -EIO);
	}
	assert_string_equal(heard, "forward: timed out with 512 bytes received\n");
	log_once_text(&log_once, text);
	assert_string_equal(text, "timed out with 10240 bytes received");
	log_once_done(&log_once);
}

static void the_first_reason_of_a_call_stays_and_the_others_are_counted(void **state)
{
	struct log_once log_once;
	char text[LOG_ONCE_SIZE];

	(void)state;
	heard[0] = '\0';
	log_once_init(&log_once);
	say(&log_once, 0, "one");
	log_once_result(&log_once, "x", -EINVAL);
	/* The same reason: another number of the others is not logged. */
	say(&log_once, 0, "one");
	say(&log_once, 0, "two");
	say(&log_once, 0, "three");
	log_once_result(&log_once, "x", -EINVAL);
	log_once_text(&log_once, text);
	assert_string_equal(text, "one (and 2 more)");
	say(&log_once, 0, "three");
	say(&log_once, 0, "four");
	log_once_result(&log_once, "x", -EINVAL);
	/* What succeeds in the end has no reason. */
	say(&log_once, 0, "five");
	log_once_result(&log_once, "x", 0);
	say(&log_once, 0, "six");
	log_once_result(&log_once, "x", -EINVAL);
	assert_string_equal(heard, "x: one\n"
				   "x: three (and 1 more)\n"
				   "x: works again after 3 failures\n"
				   "x: six\n");
	log_once_done(&log_once);
}

static void a_long_reason_leaves_room_for_the_number_of_others(void **state)
{
	struct log_once log_once;
	char text[LOG_ONCE_SIZE];

	(void)state;
	log_once_init(&log_once);
	say(&log_once, 0, "%0300d", 0);
	say(&log_once, 0, "two");
	log_once_result(&log_once, "x", -EINVAL);
	log_once_text(&log_once, text);
	assert_string_equal(text + strlen(text) - 14, "0 (and 1 more)");
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
	char text[LOG_ONCE_SIZE], wanted[LOG_ONCE_SIZE + 16];

	(void)state;
	heard[0] = '\0';
	log_once_init(&log_once);
	say(&log_once, 0, "one");
	log_once_result(&log_once, "x", -EIO);
	say(&log_once, 0, "two");
	log_once_result(&log_once, "x", -EIO);
	log_once_result(&log_once, "x", -EIO);
	snprintf(wanted, sizeof(wanted), "x: one\nx: two\nx: %s\n", strerror(EIO));
	assert_string_equal(heard, wanted);
	log_once_text(&log_once, text);
	assert_string_equal(text, strerror(EIO));
	heard[0] = '\0';
	log_once_result(&log_once, "x", 0);
	assert_string_equal(heard, "x: works again after 3 failures\n");
	log_once_done(&log_once);
}

static void a_hint_is_said_once_for_its_reason(void **state)
{
	struct log_once log_once;

	(void)state;
	heard[0] = '\0';
	clock_stop(MC_SECOND, MC_SECOND);
	log_once_init(&log_once);
	for (int i = 0; i < 100; i++) {
		log_once_hint(&log_once, "x", "odd", "odd name %d", i);
		clock_step(LOG_ONCE_PAUSE);
	}
	assert_string_equal(heard, "x: odd name 0\n");
	clock_step(LOG_ONCE_AGAIN);
	log_once_hint(&log_once, "x", "odd", "odd name 100");
	assert_string_equal(heard, "x: odd name 0\nx: odd name 100\n");
	log_once_done(&log_once);
}

static void hints_pause(void **state)
{
	char reason[16];
	struct log_once log_once;

	(void)state;
	heard[0] = '\0';
	clock_stop(MC_SECOND, MC_SECOND);
	log_once_init(&log_once);
	for (int i = 0; i < 100; i++) {
		snprintf(reason, sizeof(reason), "%d", i);
		log_once_hint(&log_once, "x", reason, "reason %d", i);
	}
	assert_string_equal(heard, "x: reason 0\n");
	clock_step(LOG_ONCE_PAUSE);
	log_once_hint(&log_once, "x", "0", "reason 0");
	assert_string_equal(heard, "x: reason 0\n");
	log_once_hint(&log_once, "x", "99", "reason 99");
	assert_string_equal(heard, "x: reason 0\nx: reason 99\n");
	/* More than are remembered: the first one is forgotten. */
	for (int i = 0; i < LOG_ONCE_HINTS; i++) {
		clock_step(LOG_ONCE_PAUSE);
		snprintf(reason, sizeof(reason), "%d", 1 + i);
		log_once_hint(&log_once, "x", reason, "more");
	}
	heard[0] = '\0';
	clock_step(LOG_ONCE_PAUSE);
	log_once_hint(&log_once, "x", "0", "reason 0");
	assert_string_equal(heard, "x: reason 0\n");
	log_once_done(&log_once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_logged_once_and_its_end_too),
		cmocka_unit_test(a_reason_with_other_numbers_is_no_news),
		cmocka_unit_test(that_it_comes_again_is_no_reason),
		cmocka_unit_test(the_first_reason_of_a_call_stays_and_the_others_are_counted),
		cmocka_unit_test(a_long_reason_leaves_room_for_the_number_of_others),
		cmocka_unit_test(another_reason_is_logged_again),
		cmocka_unit_test(a_hint_is_said_once_for_its_reason),
		cmocka_unit_test(hints_pause),
	};

	log_to_stderr(-1);
	log_add_target(hear, heard);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
