/* SPDX-License-Identifier: MIT */
#include "daemon/arguments.h"

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arguments arguments;

/* Parses words, separated by blanks. */
static int parse(const char *words)
{
	static char copy[256];
	static char program[] = "collectord";
	char *argv[16] = { program }, *rest = copy;
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0')
			argv[argc++] = word;
	optind = 0; /* getopt_long(3): starts anew. */
	return arguments_parse(&arguments, argc, argv);
}

static void test_run(void **state)
{
	(void)state;
	assert_int_equal(parse(""), -1);
	assert_int_equal(arguments.mode, MODE_RUN);
	assert_false(arguments.foreground);
	assert_string_equal(arguments.config, MC_SYSCONFDIR "/collector/collector.conf");
	assert_null(arguments.plugin_dir);
	assert_int_equal(parse("-f -C a.conf --plugin-dir=p"), -1);
	assert_true(arguments.foreground);
	assert_string_equal(arguments.config, "a.conf");
	assert_string_equal(arguments.plugin_dir, "p");
	assert_null(arguments.pid_file);
	assert_false(arguments.keep_folders);
	assert_int_equal(parse("-P p.pid -B"), -1); /* As of collectd. */
	assert_string_equal(arguments.pid_file, "p.pid");
	assert_true(arguments.keep_folders);
	assert_false(arguments.strict);
	assert_int_equal(parse("-t --strict"), -1);
	assert_true(arguments.strict);
}

static void test_modes(void **state)
{
	(void)state;
	assert_int_equal(parse("-t"), -1);
	assert_int_equal(arguments.mode, MODE_TEST);
	assert_int_equal(parse("-T"), -1);
	assert_int_equal(arguments.mode, MODE_CYCLE);
	assert_int_equal(parse("--list-plugins"), -1);
	assert_int_equal(arguments.mode, MODE_SHOW);
	assert_int_equal(arguments.show, SHOW_LIST);
	assert_int_equal(parse("--describe cpu"), -1);
	assert_int_equal(arguments.show, SHOW_DESCRIBE);
	assert_string_equal(arguments.subject, "cpu");
	assert_int_equal(parse("--manual cpu words.txt"), -1);
	assert_int_equal(arguments.show, SHOW_MANUAL);
	assert_string_equal(arguments.subject, "cpu");
	assert_string_equal(arguments.prose, "words.txt");
	assert_int_equal(parse("--example"), -1);
	assert_int_equal(arguments.show, SHOW_EXAMPLE);
}

static void test_done(void **state)
{
	(void)state;
	assert_int_equal(parse("-h"), 0);
	assert_int_equal(parse("--version"), 0);
	assert_int_equal(parse("-x"), 64);
	assert_int_equal(parse("-C"), 64);
	assert_int_equal(parse("a.conf"), 64);
	assert_int_equal(parse("--manual cpu a b"), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
