/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/complaint.h"

static char heard[1000];

static void hear(void *argument, enum mc_level level, const char *line)
{
	size_t size = strlen(heard);

	(void)argument;
	(void)level;
	snprintf(heard + size, sizeof(heard) - size, "%s\n", line);
}

static void say(struct complaint *complaint, int errnum, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complaint_say(complaint, errnum, fmt, args);
	va_end(args);
}

static void a_reason_is_logged_once_and_its_end_too(void **state)
{
	struct complaint complaint;

	(void)state;
	heard[0] = '\0';
	complaint_init(&complaint);
	for (int i = 0; i < 3; i++) {
		say(&complaint, ENOENT, "cannot read '%s'", "/proc/x");
		assert_true(complaint_judge(&complaint, "disk", -ENOENT));
	}
	assert_false(complaint_judge(&complaint, "disk", 0));
	assert_false(complaint_judge(&complaint, "disk", 0));
	assert_string_equal(
		heard,
		"disk: cannot read '/proc/x': No such file or directory\n"
		"disk: works again after 3 failures\n");
	complaint_done(&complaint);
}

static void that_it_comes_again_is_no_reason(void **state)
{
	struct complaint complaint;
	char text[COMPLAINT_SIZE];

	(void)state;
	complaint_init(&complaint);
	say(&complaint, EAGAIN, "'%s' answers with status 503", "http://a");
	assert_true(complaint_judge(&complaint, "forward", -EAGAIN));
	complaint_text(&complaint, text);
	assert_string_equal(text, "'http://a' answers with status 503");
	complaint_done(&complaint);
}

static void another_reason_is_logged_again(void **state)
{
	struct complaint complaint;
	char text[COMPLAINT_SIZE];

	(void)state;
	heard[0] = '\0';
	complaint_init(&complaint);
	say(&complaint, 0, "one");
	complaint_judge(&complaint, "x", -EIO);
	say(&complaint, 0, "two");
	complaint_judge(&complaint, "x", -EIO);
	complaint_judge(&complaint, "x", -EIO);
	assert_string_equal(heard, "x: one\nx: two\nx: Input/output error\n");
	complaint_text(&complaint, text);
	assert_string_equal(text, "Input/output error");
	complaint_done(&complaint);
}

static void hints_pause(void **state)
{
	struct complaint complaint;

	(void)state;
	heard[0] = '\0';
	clock_stop(MC_SECOND, MC_SECOND);
	complaint_init(&complaint);
	for (int i = 0; i < 100; i++)
		complaint_hint(&complaint, "x", "odd name %d", i);
	assert_string_equal(heard, "x: odd name 0\n");
	clock_step(COMPLAINT_PAUSE);
	complaint_hint(&complaint, "x", "odd name 100");
	assert_string_equal(heard, "x: odd name 0\nx: odd name 100\n");
	complaint_done(&complaint);
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
