/* SPDX-License-Identifier: MIT */
/* PUTVAL: times, values of every kind, options, several lists. */
#include "formats/plaintext/plaintext_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plain_fixture.h"

static void test_refused(void **state)
{
	static const char *const lists[] = {
		"gauge 1700000000",
		"gauge 1700000000:",
		"gauge :1",
		"gauge 1700000000:1:2",
		"gauge abc:1",
		"gauge 170abc:1",
		"gauge -1:1",
		"gauge nan:1",
		"gauge inf:1",
		"gauge 99999999999999999999:1",
		"gauge 4102444801:1",
		"gauge N:abc",
		"gauge N:1abc",
		"gauge n:1",
		"gauge N:u",
		"gauge N: 1",
		"gauge N:1e400",
		"gauge \"\"",
		"gauge =1",
		"gauge = N:1",
		"gauge meta:foo N:1",
		"gauge interval",
		"gauge 1:1 2:x 3:3",
		"gauge 1:1 2:2 3:3:4",
		"derive N:U",
		"derive N:abc",
		"derive N:99999999999999999999",
		"counter N:U",
		"counter N:-5",
		"counter N:99999999999999999999",
		"absolute N:U",
		"absolute N:x",
		"if_octets 1700000000:1",
		"if_octets 1700000000:1:",
		"if_octets 1700000000:1:2:",
		"if_octets 1700000000:1::2",
		"if_octets 1700000000:1:2:3",
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		char text[128];
		char *line;

		snprintf(text, sizeof(text), "PUTVAL h/p/%s", lists[i]);
		line = plain_parse(&request, text, false);
		assert_string_equal(request.error, "Parsing the values string failed.");
		free(line);
	}
}

static void test_typical(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request,
				 "PUTVAL \"host/cpu-0/derive-idle\" interval=10.5 "
				 "1700000000.123:42",
				 true);

	(void)state;
	assert_int_equal(request.verb, MC_PLAIN_PUTVAL);
	assert_string_equal(request.name.name, "host/cpu-0/derive-idle");
	assert_ptr_equal(request.type, &derive);
	assert_int_equal(request.lists_len, 1);
	assert_true(mc_plain_next(&request));
	assert_int_equal(request.stamp.interval, 10500 * MC_MILLISECOND);
	assert_int_equal(request.stamp.time, 1700000000123 * MC_MILLISECOND);
	assert_int_equal(request.values[0].derive, 42);
	assert_false(mc_plain_next(&request));
	assert_false(mc_plain_next(&request));
	free(line);
}

static void test_kinds(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request,
				 "putval h/p/mixed N:-1.5e3:-9223372036854775808:"
				 "18446744073709551615:0",
				 true);

	(void)state;
	assert_true(mc_plain_next(&request));
	assert_int_equal(request.stamp.time, PLAIN_NOW);
	assert_int_equal(request.stamp.interval, 10 * MC_SECOND);
	assert_true(request.values[0].gauge == -1500);
	assert_int_equal(request.values[1].derive, INT64_MIN);
	assert_int_equal(request.values[2].counter, UINT64_MAX);
	assert_int_equal(request.values[3].absolute, 0);
	free(line);
	line = plain_parse(&request, "PUTVAL h/p/mixed 0:U:1.9:0x1f:010", true);
	assert_true(mc_plain_next(&request));
	assert_int_equal(request.stamp.time, PLAIN_NOW);
	assert_true(isnan(request.values[0].gauge));
	assert_int_equal(request.values[1].derive, 1);
	assert_int_equal(request.values[2].counter, 31);
	assert_int_equal(request.values[3].absolute, 10);
	free(line);
}

/* Options hold for the values after them; senseless ones are skipped. */
static void test_lists_and_options(void **state)
{
	static const struct {
		mc_time time, interval;
		double value;
	} expected[] = {
		{ 1 * MC_SECOND, 10 * MC_SECOND, 1 },
		{ 2 * MC_SECOND, 5 * MC_SECOND, 2 },
		{ 3 * MC_SECOND, 5 * MC_SECOND, 3 },
		{ PLAIN_NOW, 7 * MC_SECOND, INFINITY },
		{ 5 * MC_SECOND, 500 * MC_MILLISECOND, -0.5 },
	};
	struct mc_plain request;
	char *line = plain_parse(&request,
				 "PUTVAL h/p/gauge 1:1 interval=5 2:2\t\"3:3\" "
				 "meta:a=b foo=bar interval= interval=-1 interval=0 "
				 "interval=4x interval=nan \"INTERVAL=7\" N:inf "
				 "interval=\".5\" 5:-0.5 interval=9 ",
				 true);

	(void)state;
	assert_int_equal(request.lists_len, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(mc_plain_next(&request));
		assert_int_equal(request.stamp.time, expected[i].time);
		assert_int_equal(request.stamp.interval, expected[i].interval);
		assert_true(request.values[0].gauge == expected[i].value);
	}
	assert_false(mc_plain_next(&request));
	free(line);
}

static void test_no_list(void **state)
{
	struct mc_plain request;
	char *line = plain_parse(&request, "PUTVAL h/p/gauge interval=10", true);

	(void)state;
	assert_int_equal(request.lists_len, 0);
	assert_false(mc_plain_next(&request));
	free(line);
}

static void test_long_word(void **state)
{
	struct mc_plain request;
	char text[4096];
	char *line;

	(void)state;
	snprintf(text, sizeof(text), "PUTVAL h/p/gauge x=%03000d", 0);
	line = plain_parse(&request, text, false);
	assert_string_equal(request.error, "Parsing the values string failed.");
	free(line);
	snprintf(text, sizeof(text), "PUTVAL h/p/gauge N:%03000d", 1);
	line = plain_parse(&request, text, true);
	assert_true(mc_plain_next(&request));
	assert_true(request.values[0].gauge == 1);
	free(line);
}

/* Knows one series, whose name splits in no usual way. */
static const struct mc_type *known(void *argument, const char *name, size_t size)
{
	static const char text[] = "host/p-a b/gauge-c";

	(void)argument;
	return size == sizeof(text) - 1 && memcmp(name, text, size) == 0 ? plain_find(NULL, "gauge")
									 : NULL;
}

static bool parse_known(struct mc_plain *request, const char *text)
{
	struct mc_plain_context context = plain_context;
	static char line[200];

	context.known = known;
	snprintf(line, sizeof(line), "%s", text);
	return mc_plain_parse(request, line, strlen(line), &context);
}

static void test_known(void **state)
{
	struct mc_plain request;

	(void)state;
	assert_true(parse_known(&request, "PUTVAL \"host/p-a b/gauge-c\" interval=5 7:8"));
	assert_true(request.known);
	assert_string_equal(request.name.name, "host/p-a b/gauge-c");
	assert_string_equal(request.type->name, "gauge");
	assert_true(mc_plain_next(&request));
	assert_int_equal(request.stamp.time, 7 * MC_SECOND);
	assert_int_equal(request.stamp.interval, 5 * MC_SECOND);
	assert_true(request.values[0].gauge == 8);

	/* Not that text, though it spells the name. */
	assert_true(parse_known(&request, "PUTVAL \"host/p-a\\ b/gauge-c\" 7:8"));
	assert_false(request.known);
	assert_string_equal(request.name.name, "host/p-a b/gauge-c");
	assert_true(parse_known(&request, "PUTVAL host/p/gauge 7:8"));
	assert_false(request.known);

	assert_false(parse_known(&request, "PUTVAL \"host/p-a b/gauge-c\" "));
	assert_string_equal(request.error, "Missing identifier and/or value-list.");
	assert_false(parse_known(&request, "PUTVAL \"host/p-a b/gauge-c\" 7:x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_typical),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_lists_and_options),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_long_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
