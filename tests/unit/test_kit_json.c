/* SPDX-License-Identifier: MIT */
/* JSON, in and out, and numbers out of text. */
#include <collector/kit/json.h>
#include <collector/kit/number.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#define DEPTH_MAX 3

static struct {
	char text[256];
	const char *forbidden; /* A string that ends it. */
} lab;

static bool say(const char *kind, const char *text, size_t size)
{
	size_t used = strlen(lab.text);

	snprintf(lab.text + used, sizeof(lab.text) - used, "%s%.*s ", kind, (int)size, text);
	return true;
}

static bool null(void *argument)
{
	(void)argument;
	return say("null", "", 0);
}

static bool boolean(void *argument, bool value)
{
	(void)argument;
	return say(value ? "true" : "false", "", 0);
}

static bool number(void *argument, const char *text, size_t size)
{
	(void)argument;
	return say("#", text, size);
}

static bool string(void *argument, const char *text, size_t size)
{
	(void)argument;
	return say("'", text, size) && (lab.forbidden == NULL || strlen(lab.forbidden) != size ||
					memcmp(lab.forbidden, text, size) != 0);
}

static bool key(void *argument, const char *text, size_t size)
{
	(void)argument;
	return say("=", text, size);
}

static bool begin_map(void *argument)
{
	(void)argument;
	return say("{", "", 0);
}

static bool end_map(void *argument)
{
	(void)argument;
	return say("}", "", 0);
}

static bool begin_list(void *argument)
{
	(void)argument;
	return say("[", "", 0);
}

static bool end_list(void *argument)
{
	(void)argument;
	return say("]", "", 0);
}

static const struct mc_json_calls calls = {
	null, boolean, number, string, key, begin_map, end_map, begin_list, end_list,
};

static int read_text(const char *text)
{
	lab.text[0] = '\0';
	return mc_json_read(text, strlen(text), DEPTH_MAX, &calls, NULL);
}

static void all_kinds_are_read(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"a\": [1, -2.50e3, null, true, false], "
				   "\"b\\u00fc\": \"x\\ny\", \"c\": {}}"),
			 0);
	assert_string_equal(lab.text, "{ =a [ #1 #-2.50e3 null true false ] "
				      "=b\xc3\xbc 'x\ny =c { } } ");
	assert_int_equal(read_text("[18446744073709551616,-9223372036854775809,"
				   "18446744073709551615,\"18446744073709551616\"]"),
			 0);
	assert_string_equal(lab.text, "[ #18446744073709551616 #-9223372036854775809 "
				      "#18446744073709551615 '18446744073709551616 ] ");
}

static void what_is_no_json_is_said(void **state)
{
	static const char *const texts[] = { "",      "{",         "{\"a\":}", "nul",
					     "[1,]",  "1 2",       "\"\xff\"", "{'a':1}",
					     "[NaN]", "-Infinity", "[\"\n\"]", "/**/1",
					     "01",    "[1] x",     "[1" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(read_text(texts[i]), -EINVAL);
	assert_int_equal(read_text("[[[1]]]"), 0);
	assert_int_equal(read_text("[[{\"a\":[]}]]"), -ELOOP);
	assert_int_equal(read_text("[[[[]]]]"), -ELOOP);
}

static void a_call_may_end_it(void **state)
{
	static const struct mc_json_calls none = { 0 };

	(void)state;
	lab.forbidden = "b";
	assert_int_equal(read_text("[\"a\", \"b\", \"c\"]"), -ECANCELED);
	assert_string_equal(lab.text, "[ 'a 'b ");
	lab.forbidden = NULL;
	assert_int_equal(mc_json_read("[{\"a\":null}]", 12, 9, &none, NULL), 0);
}

static void all_kinds_are_written(void **state)
{
	struct mc_json *json = mc_json_new(false);
	const char *text;
	size_t size;

	(void)state;
	mc_json_map(json, NULL);
	mc_json_text(json, "t\xff", "a\"\n\xc3\xbc");
	mc_json_text(json, "u", "a\xfe\n\xc3\xbc");
	mc_json_list(json, "n");
	mc_json_number(json, NULL, 0.1);
	mc_json_number(json, NULL, 1.0 / 3);
	mc_json_number(json, NULL, (double)INFINITY);
	mc_json_signed(json, NULL, INT64_MIN);
	mc_json_unsigned(json, NULL, UINT64_MAX);
	mc_json_digits(json, NULL, "1e400");
	mc_json_list_end(json);
	mc_json_bool(json, "b", true);
	mc_json_null(json, "z");
	mc_json_map_end(json);
	text = mc_json_bytes(json, &size);
	assert_int_equal(size, strlen(text));
	assert_string_equal(text, "{\"t?\":\"a\\\"\\n\xc3\xbc\",\"u\":\"a?\\n??\","
				  "\"n\":[0.1,0.3333333333333333,null,"
				  "-9223372036854775808,18446744073709551615,1e400],"
				  "\"b\":true,\"z\":null}");
	mc_json_free(json);
	mc_json_free(NULL);
}

static void whole_numbers_are_strict(void **state)
{
	static const char *const wrong[] = {
		"", " 1", "1 ", "+1", "0x1", "1.0", "18446744073709551616", "-1",
	};
	uint64_t found = 77;
	int64_t negative = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(mc_number_unsigned(wrong[i], 10, UINT64_MAX, &found));
	assert_false(mc_number_unsigned("256", 10, 255, &found));
	assert_false(mc_number_unsigned("8", 8, 255, &found));
	assert_int_equal(found, 77);
	assert_true(mc_number_unsigned("18446744073709551615", 10, UINT64_MAX, &found));
	assert_true(found == UINT64_MAX);
	assert_true(mc_number_unsigned("0660", 8, 0777, &found));
	assert_int_equal(found, 0660);
	assert_true(mc_number_unsigned("fFff", 16, 0xffff, &found));
	assert_int_equal(found, 0xffff);
	assert_true(mc_number_signed("-9223372036854775808", INT64_MIN, INT64_MAX, &negative));
	assert_true(negative == INT64_MIN);
	assert_false(mc_number_signed("9223372036854775808", INT64_MIN, INT64_MAX, &negative));
	assert_false(mc_number_signed("--1", -9, 9, &negative));
	assert_false(mc_number_signed("-", -9, 9, &negative));
	assert_false(mc_number_signed("-10", -9, 9, &negative));
	assert_true(mc_number_signed("-9", -9, 9, &negative));
	assert_int_equal(negative, -9);
}

static void fractions_are_strict(void **state)
{
	static const char *const wrong[] = { "",    "-",   ".",     "e5",   "1e",   "1e+", "inf",
					     "nan", "0x1", "1e999", "1.5 ", " 1.5", "1,5", "+1" };
	double found = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(mc_number_double(wrong[i], &found));
	assert_true(found == 77);
	assert_true(mc_number_double("-1.25e-2", &found));
	assert_true(found == -0.0125);
	assert_true(mc_number_double(".5", &found));
	assert_true(found == 0.5);
	assert_true(mc_number_double("5.", &found));
	assert_true(found == 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_are_read),
		cmocka_unit_test(what_is_no_json_is_said),
		cmocka_unit_test(a_call_may_end_it),
		cmocka_unit_test(all_kinds_are_written),
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(fractions_are_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
