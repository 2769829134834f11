/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/line_limit.h"
#include "base/log.h"

struct heard {
	char line[2000];
	enum mc_level level;
	unsigned lines;
};

static void hear(void *argument, enum mc_level level, const char *line)
{
	struct heard *heard = argument;

	snprintf(heard->line, sizeof(heard->line), "%s", line);
	heard->level = level;
	heard->lines++;
}

static void targets_hear_until_they_are_removed(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	assert_int_equal(log_add_target(hear, &heard), 0);
	log_warn("disk '%s' is slow", "sda");
	assert_string_equal(heard.line, "disk 'sda' is slow");
	assert_int_equal(heard.level, MC_WARN);
	log_remove_target(&heard);
	log_warn("more");
	assert_int_equal(heard.lines, 1);
}

static void control_characters_do_not_reach_the_log(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	log_add_target(hear, &heard);
	log_error("a\nb\033[31mc\x7f");
	assert_string_equal(heard.line, "a b [31mc ");
	log_remove_target(&heard);
}

/* 20 at once, five a second, and how many more there were. */
static void many_of_a_class_are_limited(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	clock_stop(1000 * MC_SECOND, 0);
	log_add_target(hear, &heard);
	for (int i = 0; i < 300; i++)
		log_warn("cannot write 'file %d': error %d", i, i);
	assert_int_equal(heard.lines, LINE_LIMIT_BURST);
	log_error("another class");
	log_debug("one that is not limited");
	assert_int_equal(heard.lines, LINE_LIMIT_BURST + 2);
	clock_step(2 * MC_SECOND);
	for (int i = 0; i < 100; i++)
		log_warn("cannot write 'file %d': error %d", i, i);
	assert_int_equal(heard.lines, LINE_LIMIT_BURST + 2 + 10);
	log_tell_left_out(); /* Not yet. */
	assert_int_equal(heard.lines, LINE_LIMIT_BURST + 2 + 10);
	clock_step(LINE_LIMIT_PAUSE);
	log_note("whoever comes next");
	assert_int_equal(heard.lines, LINE_LIMIT_BURST + 2 + 10 + 2);
	log_tell_left_out(); /* Once. */
	assert_int_equal(heard.lines, LINE_LIMIT_BURST + 2 + 10 + 2);
	log_remove_target(&heard);
}

static void what_was_left_out_is_told_by_its_last(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	clock_stop(5000 * MC_SECOND, 0);
	log_add_target(hear, &heard);
	for (int i = 0; i < 312 + LINE_LIMIT_BURST; i++)
		log_warn("no room for %d", i);
	clock_step(LINE_LIMIT_PAUSE);
	log_tell_left_out();
	assert_string_equal(heard.line, "and 312 more like it: no room for 331");
	assert_int_equal(heard.level, MC_WARN);
	heard.lines = 0;
	for (int i = 0; i < 100; i++)
		log_all(MC_WARN, "no room for %d", i);
	assert_int_equal(heard.lines, 100);
	log_remove_target(&heard);
}

static void long_lines_are_cut(void **state)
{
	struct heard heard = { 0 };
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_add_target(hear, &heard);
	log_error("%s", text);
	assert_int_equal(strlen(heard.line), 999);
	log_remove_target(&heard);
}

static void the_number_of_targets_is_bounded(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	for (int i = 0; i < LOG_TARGETS_MAX; i++)
		assert_int_equal(log_add_target(hear, &heard), 0);
	assert_int_equal(log_add_target(hear, &heard), -ENOSPC);
	log_remove_target(&heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_hear_until_they_are_removed),
		cmocka_unit_test(control_characters_do_not_reach_the_log),
		cmocka_unit_test(many_of_a_class_are_limited),
		cmocka_unit_test(what_was_left_out_is_told_by_its_last),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(the_number_of_targets_is_bounded),
	};

	log_to_stderr(-1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
