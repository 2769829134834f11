/* SPDX-License-Identifier: MIT */
#include "daemon/config/report.h"

#include <stdlib.h>

#include "base/log.h"
#include "problems.h"

static struct problems problems;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	problem_done(&problems);
	return 0;
}

/* As found by passes that each go through all files. */
static void add_some(void)
{
	problem_error(&problems, (struct place){ "a", 9, 1 }, "one");
	problem_warn(&problems, (struct place){ "b", 2, 1 }, "two");
	problem_warn(&problems, (struct place){ 0 }, "three");
	problem_error(&problems, (struct place){ "a", 1, 7 }, "four");
	problem_error(&problems, (struct place){ "b", 2, 1 }, "five");
	problem_error(&problems, (struct place){ "a", 1, 3 }, "six");
}

static void test_order(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	add_some();
	report_problems(&problems, out);
	fclose(out);
	assert_string_equal(text, "a:1:3: error: six\n"
				  "a:1:7: error: four\n"
				  "a:9:1: error: one\n"
				  "b:2:1: warning: two\n"
				  "b:2:1: error: five\n"
				  "warning: three\n");
	free(text);
}

static void test_host(void **state)
{
	struct problems others;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	problem_init(&others);
	problem_error(&others, (struct place){ "b", 2, 1 }, "five");
	problem_error(&others, (struct place){ "a", 1, 7 }, "another");
	add_some();
	problem_mark_host(&problems, 2, &others);
	assert_int_equal(report_errors_of_host(&problems), 2);
	report_problems(&problems, out);
	fclose(out);
	assert_string_equal(text, "a:9:1: error: one\n"
				  "b:2:1: warning: two\n"
				  "b:2:1: error: five\n"
				  "On this host, which --no-environment leaves out:\n"
				  "a:1:3: error: six\n"
				  "a:1:7: error: four\n"
				  "warning: three\n");
	problem_done(&others);
	free(text);
}

static void test_too_many(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < PROBLEMS_MAX + 5; i++)
		problem_warn(&problems, (struct place){ "a", i + 1, 1 }, "x");
	report_problems(&problems, out);
	fclose(out);
	assert_non_null(strstr(text, "\na:1000:1: warning: x\nand 5 more\n"));
	free(text);
}

static void hear(void *argument, enum mc_level level, const char *line)
{
	char *heard = argument;
	size_t used = strlen(heard);

	snprintf(heard + used, 1024 - used, "%d %s\n", level, line);
}

static void test_log(void **state)
{
	char heard[1024] = "";

	(void)state;
	add_some();
	log_to_stderr(-1);
	log_add_target(hear, heard);
	report_log(&problems);
	log_remove_target(heard);
	assert_string_equal(heard, "0 a:1: six\n0 a:1: four\n0 a:9: one\n"
				   "1 b:2: two\n0 b:2: five\n1 three\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, start, stop),
		cmocka_unit_test_setup_teardown(test_host, start, stop),
		cmocka_unit_test_setup_teardown(test_too_many, start, stop),
		cmocka_unit_test_setup_teardown(test_log, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
