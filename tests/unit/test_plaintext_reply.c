/* SPDX-License-Identifier: MIT */
/* Replies: exact texts, buffers of every size, and what is written is read back as it was. */
#include "formats/plaintext/plaintext_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plain_fixture.h"

static void test_numbers(void **state)
{
	char out[MC_PLAIN_NUMBER_SIZE];

	(void)state;
	assert_int_equal(mc_plain_rate(out, sizeof(out), 1.26), 12);
	assert_string_equal(out, "1.260000e+00");
	mc_plain_rate(out, sizeof(out), NAN);
	assert_string_equal(out, "NaN");
	mc_plain_rate(out, sizeof(out), INFINITY);
	assert_string_equal(out, "         inf");
	mc_plain_rate(out, sizeof(out), -0.0);
	assert_string_equal(out, "-0.000000e+00");
	mc_plain_time(out, sizeof(out), 1182204284 * MC_SECOND + 5999999);
	assert_string_equal(out, "1182204284.005");
	mc_plain_time(out, sizeof(out), -1500 * MC_MILLISECOND);
	assert_string_equal(out, "-1.500");
	mc_plain_gauge(out, sizeof(out), 0.1);
	assert_string_equal(out, "0.1");
	mc_plain_gauge(out, sizeof(out), 1.0 / 3);
	assert_string_equal(out, "0.3333333333333333");
	mc_plain_gauge(out, sizeof(out), 123456789012);
	assert_string_equal(out, "123456789012");
	mc_plain_gauge(out, sizeof(out), 5e-324);
	assert_string_equal(out, "4.94065645841247e-324");
	mc_plain_gauge(out, sizeof(out), -INFINITY);
	assert_string_equal(out, "-inf");
	mc_plain_gauge(out, sizeof(out), -0.0);
	assert_string_equal(out, "-0");
	assert_int_equal(mc_plain_rate(out, 12, 1.26), 0);
	assert_string_equal(out, "");
}

static void test_quote(void **state)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "plain", "plain" },       { "", "\"\"" },
		{ "a b", "\"a b\"" },       { "a\"b\\", "\"a\\\"b\\\\\"" },
		{ "a\nb\tc", "\"a b c\"" }, { "Füße", "Füße" },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].word);

		assert_int_equal(mc_plain_quote(out, size + 1, cases[i].text), size);
		assert_string_equal(out, cases[i].word);
		assert_int_equal(mc_plain_quote(out, size, cases[i].text), 0);
		assert_string_equal(out, "");
	}
}

static void test_put(void **state)
{
	const union mc_value values[] = { { .gauge = 0.5 },
					  { .derive = INT64_MIN },
					  { .counter = UINT64_MAX },
					  { .absolute = 7 } };
	static const char expected[] =
		"PUTVAL \"h/p/mixed-a b\" interval=0.25 1700000000.000000001:"
		"0.5:-9223372036854775808:18446744073709551615:7";
	const struct mc_stamp stamp = { 1700000000 * MC_SECOND + 1, 250 * MC_MILLISECOND };
	char out[256];

	(void)state;
	assert_int_equal(
		mc_plain_put(out, sizeof(expected), "h/p/mixed-a b", &mixed, stamp, values),
		sizeof(expected) - 1);
	assert_string_equal(out, expected);
	for (size_t size = 1; size < sizeof(expected); size++) {
		assert_int_equal(mc_plain_put(out, size, "h/p/mixed-a b", &mixed, stamp, values),
				 0);
		assert_string_equal(out, "");
	}
}

/* All that makes a name longer is in it: that, too, is a line. */
static void test_put_longest_name(void **state)
{
	const union mc_value values[] = { { .gauge = 1 }, { 0 }, { 0 }, { 0 } };
	const struct mc_stamp stamp = { MC_SECOND, MC_SECOND };
	static char name[5 * 127 + 5], out[2048];
	struct mc_plain request;
	size_t size;

	(void)state;
	memset(name, '"', sizeof(name) - 1);
	name[127] = name[127 + 1 + 2 * 127 + 1] = '/';
	name[127 + 1 + 127] = '-';
	memcpy(name + 2 * 128 + 128, "mixed-", 6);
	name[2 * 128 + 128 + 6 + 127] = '\0';
	size = mc_plain_put(out, sizeof(out), name, &mixed, stamp, values);
	assert_true(size > 2 * strlen(name) - 20);
	assert_true(mc_plain_parse(&request, out, size, &plain_context));
	assert_string_equal(request.name.name, name);
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Any sample is read back bit by bit as it was written. */
static void test_put_reads_back(void **state)
{
	static const char characters[] = "ab \"\\_=:.-xyz";
	uint64_t seed = 88172645463325252;
	struct mc_plain request;
	union mc_value values[4];
	char line[512], name[64], expected[64];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct mc_stamp stamp = {
			random_next(&seed) % (4102444800 * MC_SECOND),
			1 + random_next(&seed) % (86400 * MC_SECOND),
		};
		size_t size, n = 8;

		if (i % 3 == 0)
			stamp.time -= stamp.time % MC_SECOND;
		memcpy(name, "h/p/mixed-x", 12);
		for (n = 11; n < 11 + random_next(&seed) % 16; n++)
			name[n] = characters[random_next(&seed) % (sizeof(characters) - 1)];
		name[n] = '\0';
		memcpy(expected, name, n + 1);
		for (int j = 0; j < 4; j++)
			values[j].counter = random_next(&seed) >> (random_next(&seed) % 64);
		if (i % 2 == 0)
			values[0].gauge = (double)(int64_t)values[1].derive / (1 << (i % 12));
		if (isnan(values[0].gauge))
			values[0].gauge = 0;
		size = mc_plain_put(line, sizeof(line), name, &mixed, stamp, values);
		assert_true(size > 0);
		assert_true(mc_plain_parse(&request, line, size, &plain_context));
		assert_string_equal(request.name.name, expected);
		assert_true(mc_plain_next(&request));
		assert_int_equal(request.stamp.time, stamp.time == 0 ? PLAIN_NOW : stamp.time);
		assert_int_equal(request.stamp.interval, stamp.interval);
		assert_memory_equal(request.values, values, sizeof(values));
		assert_false(mc_plain_next(&request));
	}
}

static void test_line(void **state)
{
	char out[256];
	const char *key, *value;
	char *at = out;
	struct mc_plain_line line = mc_plain_line(out, sizeof(out), "reader");

	(void)state;
	mc_plain_add_text(&line, "name", "cpu");
	mc_plain_add_time(&line, "interval", 10 * MC_SECOND);
	mc_plain_add_time(&line, "late", -1500 * MC_MILLISECOND);
	mc_plain_add_count(&line, "values", UINT64_MAX);
	mc_plain_add_text(&line, "failure", "cannot read \"/proc\"");
	mc_plain_add_text(&line, "none", NULL);
	assert_false(line.cut);
	assert_string_equal(line.text, "reader name=cpu interval=10 late=-1.5 "
				       "values=18446744073709551615 "
				       "failure=\"cannot read \\\"/proc\\\"\" none=\"\"");
	assert_int_equal(line.size, strlen(out));

	assert_string_equal(mc_plain_about(&at), "reader");
	assert_true(mc_plain_pair(&at, &key, &value));
	assert_string_equal(key, "name");
	assert_string_equal(value, "cpu");
	for (int i = 0; i < 4; i++)
		assert_true(mc_plain_pair(&at, &key, &value));
	assert_string_equal(key, "failure");
	assert_string_equal(value, "cannot read \"/proc\"");
	assert_true(mc_plain_pair(&at, &key, &value));
	assert_string_equal(value, "");
	assert_false(mc_plain_pair(&at, &key, &value));
	assert_null(mc_plain_about(&at));
}

static void test_line_cut(void **state)
{
	char out[16];
	struct mc_plain_line line = mc_plain_line(out, sizeof(out), "writer");

	(void)state;
	mc_plain_add_text(&line, "name", "much too long");
	assert_true(line.cut);
	assert_string_equal(line.text, "writer");
	mc_plain_add_text(&line, "a", "12345");
	assert_string_equal(line.text, "writer a=12345");
}

static void test_status(void **state)
{
	const char *message;
	long status;

	(void)state;
	assert_true(mc_plain_status("3 Values found", &status, &message));
	assert_int_equal(status, 3);
	assert_string_equal(message, "Values found");
	assert_true(mc_plain_status("-1 No such value.", &status, &message));
	assert_int_equal(status, -1);
	assert_true(mc_plain_status("0", &status, &message));
	assert_string_equal(message, "");
	assert_false(mc_plain_status("value=1", &status, &message));
	assert_false(mc_plain_status("99999999999999999999 x", &status, &message));
	assert_false(mc_plain_status("1x", &status, &message));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_put_longest_name),
		cmocka_unit_test(test_put_reads_back),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_cut),
		cmocka_unit_test(test_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
