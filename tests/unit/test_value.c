/* SPDX-License-Identifier: MIT */
#include "conf/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void numbers(void **state)
{
	static const struct {
		const char *text;
		double number;
	} good[] = {
		{ "0", 0 },      { "60", 60 },         { "60.0", 60 },   { "-1", -1 },
		{ "+4", 4 },     { "0.005", 0.005 },   { ".5", 0.5 },    { "5.", 5 },
		{ "1e3", 1000 }, { "-1.5e+3", -1500 }, { "0x1f", 31 },   { "0XfF", 255 },
		{ "0660", 432 }, { "08", 8 },          { "-0x10", -16 }, { "0.1", 0.1 },
		{ "00", 0 },     { "1E-3", 0.001 },
	};
	static const char *const bad[] = {
		"",   "-",  "+",     "abc", "1a",  "0x",    "0xg", "1.2.3", "inf", "nan", " 1",
		"1 ", "1e", "1e400", ".",   "--1", "0x1p3", "1e+", "e1",    "0x ", "1,5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		double number = -99;

		assert_true(value_number(good[i].text, &number));
		assert_true(number == good[i].number);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		double number = -99;

		assert_false(value_number(bad[i], &number));
		assert_true(number == -99);
	}
}

static void integers(void **state)
{
	static const struct {
		const char *text;
		int64_t number;
	} good[] = {
		{ "0", 0 },
		{ "25826", 25826 },
		{ "-1", -1 },
		{ "60.0", 60 },
		{ "1e3", 1000 },
		{ "0xffff", 65535 },
		{ "0660", 432 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "0x7fffffffffffffff", INT64_MAX },
	};
	static const char *const bad[] = {
		"",      "1.5", "abc", "9223372036854775808",  "0x", "1k", "0xffffffffffffffff",
		"1e300", "0.1", "-",   "99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int64_t number = -99;

		assert_true(value_integer(good[i].text, &number));
		assert_true(number == good[i].number);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int64_t number = -99;

		assert_false(value_integer(bad[i], &number));
		assert_true(number == -99);
	}
}

static void seconds(void **state)
{
	mc_time time = -99;

	(void)state;
	assert_true(value_seconds("0.005", &time));
	assert_int_equal(time, 5 * MC_MILLISECOND);
	assert_true(value_seconds("10", &time));
	assert_int_equal(time, 10 * MC_SECOND);
	assert_true(value_seconds("0.1", &time));
	assert_int_equal(time, 100 * MC_MILLISECOND);
	assert_true(value_seconds("-1", &time));
	assert_int_equal(time, -MC_SECOND);
	assert_true(value_seconds("9e9", &time));
	assert_int_equal(time, INT64_C(9000000000) * MC_SECOND);
	assert_false(value_seconds("9.1e9", &time));
	assert_true(value_seconds("10s", &time));
	assert_true(time == 10 * MC_SECOND);
	assert_true(value_seconds("1.5m", &time));
	assert_true(time == 90 * MC_SECOND);
	assert_true(value_seconds("8h", &time));
	assert_true(time == 28800 * MC_SECOND);
	assert_true(value_seconds("-2d", &time));
	assert_true(time == -172800 * MC_SECOND);
	assert_false(value_seconds("200000d", &time));
	assert_false(value_seconds("h", &time));
	assert_false(value_seconds("8 h", &time));
	assert_false(value_seconds("8hh", &time));
	assert_false(value_seconds("0x10h", &time));
	assert_int_equal(time, INT64_C(-172800) * MC_SECOND);
}

static void booleans(void **state)
{
	static const char *const yes[] = { "true", "True", "TRUE", "yes", "Yes", "on", "ON" };
	static const char *const no[] = { "false", "False", "FALSE", "no", "No", "off", "OFF" };
	static const char *const bad[] = { "", "1", "0", "t", "true ", "y" };
	bool read;

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		read = false;
		assert_true(value_boolean(yes[i], &read));
		assert_true(read);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		read = true;
		assert_true(value_boolean(no[i], &read));
		assert_false(read);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(value_boolean(bad[i], &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(integers),
		cmocka_unit_test(seconds),
		cmocka_unit_test(booleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
