/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
	assert_string_equal(heard.line, "a?b?[31mc?");
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
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(the_number_of_targets_is_bounded),
	};

	log_to_stderr(-1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
