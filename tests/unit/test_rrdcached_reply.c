/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "formats/rrdcached/reply.h"

/* Takes 'size' bytes of the text at a time, and writes each line found as
 * "S6 errors" or "D1 text", with a '.' where the reply ends. */
static const char *read_all(const char *text, size_t size)
{
	static char out[1024];
	struct reply reply = { 0 };
	const char *end = text + strlen(text);
	size_t used = 0;

	out[0] = '\0';
	while (text < end) {
		const char *at = text;

		text += (size_t)(end - text) < size ? (size_t)(end - text) : size;
		for (;;) {
			struct reply_line line = reply_next(&reply, &at, text);

			if (line.kind == REPLY_NONE)
				break;
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%c",
						 line.kind == REPLY_STATUS   ? 'S'
						 : line.kind == REPLY_DETAIL ? 'D'
									     : 'B');
			if (line.numbered)
				used += (size_t)snprintf(out + used, sizeof(out) - used, "%ld ",
							 line.number);
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%s|", line.text,
						 line.last ? "." : "");
		}
	}
	return out;
}

/* However it is cut. */
static void check(const char *text, const char *expected)
{
	for (size_t size = 1; size <= strlen(text); size++)
		assert_string_equal(read_all(text, size), expected);
}

static void test_replies(void **state)
{
	(void)state;
	check("0 PONG\n", "S0 PONG.|");
	check("0 Go ahead.  End with dot '.' on its own line.\n"
	      "2 errors\n1 illegal attempt\n12 No such file: /a b.rrd\n"
	      "0 errors\n",
	      "S0 Go ahead.  End with dot '.' on its own line..|S2 errors|"
	      "D1 illegal attempt|D12 No such file: /a b.rrd.|S0 errors.|");
	check("2 Statistics follow\nQueueLength: 0\nTreeDepth: 4\n",
	      "S2 Statistics follow|DQueueLength: 0|DTreeDepth: 4.|");
}

static void test_errors_of_two_lines(void **state)
{
	(void)state;
	check("-1 No permission to recursively create: /a\n"
	      "Did you pass -R to the daemon?\n0 PONG\n",
	      "S-1 No permission to recursively create: /a.|S0 PONG.|");
}

static void test_what_is_no_reply(void **state)
{
	char largest[64];

	(void)state;
	check("HTTP/1.1 400 Bad Request\n", "BHTTP/1.1 400 Bad Request.|");
	check("\n", "B.|");
	check("0x\n", "B0x.|");
	check("1000001 lines\n", "B1000001 lines.|");
	snprintf(largest, sizeof(largest), "B%ld lines.|", LONG_MAX);
	check("99999999999999999999 lines\n", largest);
	check(" 1 line\n", "B 1 line.|");
}

static void test_long_lines_are_cut(void **state)
{
	struct reply reply = { 0 };
	struct reply_line line;
	char text[5000];
	const char *at = text;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "-1 ", 3);
	text[4999] = '\n';
	line = reply_next(&reply, &at, text + sizeof(text));
	assert_int_equal(line.kind, REPLY_STATUS);
	assert_int_equal(line.number, -1);
	assert_int_equal(strlen(line.text), REPLY_LINE_SIZE - 1 - 3);
	assert_ptr_equal(at, text + sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_errors_of_two_lines),
		cmocka_unit_test(test_what_is_no_reply),
		cmocka_unit_test(test_long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
