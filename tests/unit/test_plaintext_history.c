/* SPDX-License-Identifier: MIT */
/* HISTORY: a series and a span. */
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
		{ "HISTORY", "Missing identifier." },
		{ "HISTORY x", "Cannot parse identifier `x'." },
		{ "HISTORY a/b/c from", "Invalid option string `from'." },
		{ "HISTORY a/b/c from=", "Invalid value for option `from': " },
		{ "HISTORY a/b/c to=-1", "Invalid value for option `to': -1" },
		{ "HISTORY a/b/c step=1h", "Invalid value for option `step': 1h" },
		{ "HISTORY a/b/c points=0", "Invalid value for option `points': 0" },
		{ "HISTORY a/b/c points=4097", "Invalid value for option `points': 4097" },
		{ "HISTORY a/b/c minima=2", "Invalid value for option `minima': 2" },
		{ "HISTORY a/b/c x=1", "Cannot parse option `x'." },
		{ "HISTORY \"a/b/c", "Unterminated quoted string." },
		{ "HISTORY a/b/c \"from=1\\", "Backslash at end of string." },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *line = plain_parse(&request, cases[i].line, false);

		assert_string_equal(request.error, cases[i].error);
		free(line);
	}
}

static void test_defaults(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request, "history \"a b/c/d-e\"", true);

	(void)state;
	assert_int_equal(request.verb, MC_PLAIN_HISTORY);
	assert_string_equal(request.name.name, "a b/c/d-e");
	assert_int_equal(request.span.from, 0);
	assert_int_equal(request.span.to, 0);
	assert_int_equal(request.span.step, 0);
	assert_int_equal(request.span.points, 0);
	assert_false(request.span.minima);
	free(line);
}

static void test_span(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(
		&request, "HISTORY a/b/c from=1000 TO=2000.5 step=0.5 points=4096 minima=1", true);

	(void)state;
	assert_int_equal(request.span.from, 1000 * MC_SECOND);
	assert_int_equal(request.span.to, 2000500 * MC_MILLISECOND);
	assert_int_equal(request.span.step, 500 * MC_MILLISECOND);
	assert_int_equal(request.span.points, 4096);
	assert_true(request.span.minima);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
