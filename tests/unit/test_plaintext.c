/* SPDX-License-Identifier: MIT */
/* Requests: what collectd 5.12 answers to each mistake, observed on its socket;
 * how words are quoted and identifiers split. */
#include "formats/plaintext/plaintext_part.h"

#include <collector/serve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plain_fixture.h"

static void test_errors(void **state)
{
	static const struct {
		const char *line, *error;
	} cases[] = {
		{ "", "Missing command." },
		{ "  \t", "Missing command." },
		{ "FOO bar", "Unknown command: FOO" },
		{ "\"LISTVAL\"", "Unknown command: \"LISTVAL\"" },
		{ "GETVALS", "Unknown command: GETVALS" },

		{ "GETVAL", "Missing identifier." },
		{ "GETVAL a b", "Garbage after identifier: `b'." },
		{ "GETVAL a", "Cannot parse identifier `a'." },
		{ "GETVAL \"\"", "Cannot parse identifier `'." },
		{ "GETVAL peer/x", "Cannot parse identifier `peer/x'." },
		{ "GETVAL peer/x/y", "Type `y' is unknown." },
		{ "GETVAL a/b/c/d", "Type `c/d' is unknown." },
		{ "GETVAL a/b/", "Type `' is unknown." },
		{ "GETVAL /b/gauge", "Cannot parse identifier `/b/gauge'." },
		{ "GETVAL a//gauge", "Cannot parse identifier `a//gauge'." },
		{ "GETVAL a/-b/gauge", "Cannot parse identifier `a/-b/gauge'." },
		{ "GETVAL \"peer/x/gauge", "Unterminated quoted string." },
		{ "GETVAL peer/x/gauge\"", "Unterminated quoted string." },
		{ "GETVAL \"\\\"", "Unterminated quoted string." },
		{ "GETVAL \"peer/x\\", "Backslash at end of string." },
		{ "GETVAL a/b/gauge \"c", "Unterminated quoted string." },

		{ "GETTHRESHOLD", "Cannot parse identifier." },
		{ "GETTHRESHOLD x", "Cannot parse identifier `x'." },
		{ "GETTHRESHOLD x y", "Garbage after end of command: y" },

		{ "LISTVAL a b", "Cannot parse label `b'." },
		{ "LISTVAL a b=c d", "Garbage after end of command: `d'." },
		{ "STATUS x", "Garbage after end of command: `x'." },
		{ "TAP a b", "Garbage after end of command: `b'." },
		{ "EXPLAIN", "Cannot parse identifier." },
		{ "EXPLAIN a/b", "Cannot parse identifier `a/b'." },

		{ "FORGET", "Missing pattern of series." },
		{ "FORGET a b", "Cannot parse option `b'." },
		{ "FORGET a files=1", "Cannot parse option `files=1'." },
		{ "FORGET a files=true x", "Garbage after end of command: `x'." },

		{ "PUTVAL", "Missing identifier and/or value-list." },
		{ "PUTVAL peer/x/gauge", "Missing identifier and/or value-list." },
		{ "PUTVAL peer/x/gauge  ", "Missing identifier and/or value-list." },
		{ "PUTVAL peer/x 1:1", "Cannot parse identifier `peer/x'." },
		{ "PUTVAL peer/x/nosuch 1:1", "1 Type `nosuch' isn't defined." },
		{ "PUTVAL peer/b/-x N:1", "1 Type `' isn't defined." },
		{ "PUTVAL \"peer/x/gauge N:1", "Unterminated quoted string." },
		{ "PUTVAL \"peer/x/gauge", "Unterminated quoted string." },
		{ "PUTVAL peer/x/gauge \"N:1", "Unterminated quoted string." },
		{ "PUTVAL peer/x/gauge \"N:1\\", "Backslash at end of string." },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *line = plain_parse(&request, cases[i].line, false);

		assert_string_equal(request.error, cases[i].error);
		free(line);
	}
}

static void test_forget(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request, "FORGET \"old host/*\"", true);

	(void)state;
	assert_string_equal(request.glob, "old host/*");
	assert_false(request.files);
	free(line);
	line = plain_parse(&request, "FORGET a/* FILES=true", true);
	assert_true(request.files);
	free(line);
	line = plain_parse(&request, "FORGET a/* files=false", true);
	assert_false(request.files);
	free(line);
}

static void test_long_parts(void **state)
{
	struct mc_plain request;
	char text[512];
	char *line;

	(void)state;
	snprintf(text, sizeof(text), "GETVAL h/p-%0128d/gauge", 0);
	line = plain_parse(&request, text, false);
	assert_string_equal(request.error, "Identifier too long.");
	free(line);
	snprintf(text, sizeof(text), "GETVAL %0127d/p-%0127d/gauge-%0127d", 0, 0, 0);
	line = plain_parse(&request, text, true);
	assert_int_equal(request.name.host_size, 127);
	assert_int_equal(request.name.plugin_instance_size, 127);
	assert_int_equal(request.name.type_instance_size, 127);
	free(line);
}

static void test_zero_byte(void **state)
{
	char line[] = "LISTVAL \0x";
	struct mc_plain request;

	(void)state;
	assert_false(mc_plain_parse(&request, line, sizeof(line) - 1, &plain_context));
	assert_string_equal(request.error, "The line has a zero byte.");
}

static void test_split(void **state)
{
	static const struct {
		const char *word, *name;
		size_t sizes[5];
	} cases[] = {
		{ "h/cpu-0/gauge-idle", "h/cpu-0/gauge-idle", { 1, 3, 1, 5, 4 } },
		{ "host/p/gauge", "host/p/gauge", { 4, 1, 0, 5, 0 } },
		{ "h/a-b-c/gauge-d-e", "h/a-b-c/gauge-d-e", { 1, 1, 3, 5, 3 } },
		{ "h/b-/gauge-", "h/b/gauge", { 1, 1, 0, 5, 0 } },
		{ "h/b-/gauge-x", "h/b/gauge-x", { 1, 1, 0, 5, 1 } },
		{ "h/b/gauge-x/y/z", "h/b/gauge-x_y_z", { 1, 1, 0, 5, 5 } },
		{ "my-host/b/gauge", "my-host/b/gauge", { 7, 1, 0, 5, 0 } },
		{ "\"h/b/gauge-a b\"", "h/b/gauge-a b", { 1, 1, 0, 5, 3 } },
		{ "\"h/b/gauge-a\\\"b\"", "h/b/gauge-a\"b", { 1, 1, 0, 5, 3 } },
		{ "\"h/b/gauge-a\\\\\"", "h/b/gauge-a\\", { 1, 1, 0, 5, 2 } },
		{ "\"h/b/gauge-a\\nb\"", "h/b/gauge-anb", { 1, 1, 0, 5, 3 } },
		{ "h\"/b/\"gauge", "h/b/gauge", { 1, 1, 0, 5, 0 } },
		{ "\"h/b\"/gauge", "h/b/gauge", { 1, 1, 0, 5, 0 } },
		{ "h/b/gauge-a\\", "h/b/gauge-a\\", { 1, 1, 0, 5, 2 } },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct mc_name_parts *name = &request.name;
		char text[128];
		char *line;

		snprintf(text, sizeof(text), " getval\t%s ", cases[i].word);
		line = plain_parse(&request, text, true);
		assert_int_equal(request.verb, MC_PLAIN_GETVAL);
		assert_string_equal(name->name, cases[i].name);
		assert_int_equal(name->host_size, cases[i].sizes[0]);
		assert_int_equal(name->plugin_size, cases[i].sizes[1]);
		assert_int_equal(name->plugin_instance_size, cases[i].sizes[2]);
		assert_int_equal(name->type_size, cases[i].sizes[3]);
		assert_int_equal(name->type_instance_size, cases[i].sizes[4]);
		assert_ptr_equal(request.type, &gauge);
		free(line);
	}
}

static void test_globs(void **state)
{
	struct mc_plain request;
	char *line;

	(void)state;
	line = plain_parse(&request, "LISTVAL", true);
	assert_int_equal(request.verb, MC_PLAIN_LISTVAL);
	assert_null(request.glob);
	free(line);
	line = plain_parse(&request, "TAP \"*/df-my disk/*\"", true);
	assert_int_equal(request.verb, MC_PLAIN_TAP);
	assert_string_equal(request.glob, "*/df-my disk/*");
	free(line);
	line = plain_parse(&request, "STATUS", true);
	assert_int_equal(request.verb, MC_PLAIN_STATUS);
	free(line);
	line = plain_parse(&request, "alerts", true);
	assert_int_equal(request.verb, MC_PLAIN_ALERTS);
	free(line);
	line = plain_parse(&request, "reload", true);
	assert_int_equal(request.verb, MC_PLAIN_RELOAD);
	free(line);
	line = plain_parse(&request, "dump", true);
	assert_int_equal(request.verb, MC_PLAIN_DUMP);
	free(line);
	line = plain_parse(&request, "EXPLAIN a/b/nosuch-type", true);
	assert_int_equal(request.verb, MC_PLAIN_EXPLAIN);
	assert_string_equal(request.name.name, "a/b/nosuch-type");
	assert_null(request.type);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),    cmocka_unit_test(test_long_parts),
		cmocka_unit_test(test_zero_byte), cmocka_unit_test(test_split),
		cmocka_unit_test(test_globs),     cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
