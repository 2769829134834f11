/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "line.h"

static const struct tm moment = {
	.tm_year = 109, .tm_mon = 1, .tm_mday = 13, .tm_hour = 23, .tm_min = 31, .tm_sec = 30
};

static void test_forms(void **state)
{
	char out[LINE_SIZE];
	size_t size;

	(void)state;
	size = line_format(out, &moment, "warning", "disk: is slow");
	assert_string_equal(out, "[2009-02-13 23:31:30] [warning] disk: is slow\n");
	assert_int_equal(size, strlen(out));
	line_format(out, &moment, NULL, "x");
	assert_string_equal(out, "[2009-02-13 23:31:30] x\n");
	line_format(out, NULL, "error", "x");
	assert_string_equal(out, "[error] x\n");
	line_format(out, NULL, NULL, "");
	assert_string_equal(out, "\n");
}

static void test_one_message_is_one_line(void **state)
{
	char out[LINE_SIZE], text[2 * LINE_SIZE];
	size_t size;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	size = line_format(out, &moment, "error", text);
	assert_int_equal(size, LINE_SIZE - 1);
	assert_int_equal(out[size - 1], '\n');
	assert_int_equal(out[size - 2], 'x');
	assert_int_equal(out[size], '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_one_message_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
