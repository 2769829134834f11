/* SPDX-License-Identifier: MIT */
/* FLUSH: any number of plugins and identifiers, kept in the line. */
#include "formats/plaintext/plaintext_part.h"

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
		{ "FLUSH timeout=abc", "Invalid value for option `timeout': abc" },
		{ "FLUSH timeout=", "Invalid value for option `timeout': " },
		{ "FLUSH timeout=1x", "Invalid value for option `timeout': 1x" },
		{ "FLUSH identifier=x", "Invalid identifier `x'." },
		{ "FLUSH identifier=", "Invalid identifier `'." },
		{ "FLUSH foo", "Invalid option string `foo'." },
		{ "FLUSH timeout=1 foo", "Invalid option string `foo'." },
		{ "FLUSH =1", "Invalid option string `=1'." },
		{ "FLUSH foo=bar", "Cannot parse option `foo'." },
		{ "FLUSH \"plugin=a", "Unterminated quoted string." },
		{ "FLUSH \"plugin=a\\", "Backslash at end of string." },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *line = plain_parse(&request, cases[i].line, false);

		assert_string_equal(request.error, cases[i].error);
		free(line);
	}
}

static void test_everything(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request, "FLUSH", true);

	(void)state;
	assert_int_equal(request.age, 0);
	assert_null(mc_plain_plugin(&request, NULL));
	assert_null(mc_plain_identifier(&request, NULL));
	free(line);
	line = plain_parse(&request, "FLUSH timeout=-1", true);
	assert_int_equal(request.age, 0);
	free(line);
}

static void test_lists(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request,
				 "flush TIMEOUT=1.5 identifier=\"a/b/c-d e\" "
				 "plugin=rrdtool \"identifier=x/y-/z\" plugin=\"csv\"",
				 true);
	const char *at;

	(void)state;
	assert_int_equal(request.age, 1500 * MC_MILLISECOND);
	at = mc_plain_plugin(&request, NULL);
	assert_string_equal(at, "rrdtool");
	at = mc_plain_plugin(&request, at);
	assert_string_equal(at, "csv");
	assert_null(mc_plain_plugin(&request, at));
	at = mc_plain_identifier(&request, NULL);
	assert_string_equal(at, "a/b/c-d e");
	at = mc_plain_identifier(&request, at);
	assert_string_equal(at, "x/y/z");
	assert_null(mc_plain_identifier(&request, at));
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
