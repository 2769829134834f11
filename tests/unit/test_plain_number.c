/* SPDX-License-Identifier: MIT */
/* Numbers: exact values, exact ends, exact limits. */
#include "formats/plaintext/plain_number.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As cmocka compares no doubles. */
static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		mc_time time; /* -1: refused. */
		size_t size;
	} cases[] = {
		{ "0", 0, 1 },
		{ "1700000000", 1700000000 * MC_SECOND, 10 },
		{ "1700000000:1", 1700000000 * MC_SECOND, 10 },
		{ "1700000000.123:1", 1700000000 * MC_SECOND + 123 * MC_MILLISECOND, 14 },
		{ "0.1234567891", 123456789, 12 },
		{ "5. x", 5 * MC_SECOND, 2 },
		{ ".5", MC_SECOND / 2, 2 },
		{ "1e3", 1000 * MC_SECOND, 3 },
		{ "4102444800", 4102444800 * MC_SECOND, 10 },
		{ "4102444801", -1, 0 },
		{ "99999999999999999999", -1, 0 },
		{ "00000000000000000000000010", 10 * MC_SECOND, 26 },
		{ "-1", -1, 0 },
		{ "nan", -1, 0 },
		{ "inf", -1, 0 },
		{ "", -1, 0 },
		{ " 1", -1, 0 },
		{ "1x", -1, 0 },
		{ "N", -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		mc_time time = -1;
		const char *end = plain_number_time(cases[i].text, &time);

		assert_int_equal(time, cases[i].time);
		if (time == -1)
			assert_null(end);
		else
			assert_int_equal(end - cases[i].text, cases[i].size);
	}
}

static void test_unsigned(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t number;
	} cases[] = {
		{ "0", true, 0 },
		{ "42:1", true, 42 },
		{ "+7 ", true, 7 },
		{ "010", true, 10 },
		{ "9999999999999999999", true, UINT64_C(9999999999999999999) },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "19999999999999999999", false, 0 },
		{ "20000000000000000000", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "100000000000000000000", false, 0 },
		{ "000000000000000000000000000001", true, 1 },
		{ "1.5", true, 1 },
		{ "1.", true, 1 },
		{ "0x10", true, 16 },
		{ "0xffffffffffffffff", true, UINT64_MAX },
		{ "0x10000000000000000", false, 0 },
		{ "0x", false, 0 },
		{ "-1", false, 0 },
		{ ".5", false, 0 },
		{ "U", false, 0 },
		{ "1e3", false, 0 },
		{ "1a", false, 0 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t number = 0;
		bool good = plain_number_unsigned(cases[i].text, &number) != NULL;

		assert_int_equal(good, cases[i].good);
		assert_int_equal(number, cases[i].number);
	}
}

static void test_signed(void **state)
{
	int64_t number = 3;

	(void)state;
	assert_non_null(plain_number_signed("9223372036854775807", &number));
	assert_int_equal(number, INT64_MAX);
	assert_non_null(plain_number_signed("-9223372036854775808", &number));
	assert_int_equal(number, INT64_MIN);
	assert_non_null(plain_number_signed("-1.9", &number));
	assert_int_equal(number, -1);
	assert_null(plain_number_signed("9223372036854775808", &number));
	assert_null(plain_number_signed("-9223372036854775809", &number));
	assert_null(plain_number_signed("-+1", &number));
	assert_null(plain_number_signed("--1", &number));
	assert_null(plain_number_signed("-", &number));
	assert_int_equal(number, -1);
}

static void test_gauge(void **state)
{
	static const char *const good[] = {
		"0",         "-0",
		"1",         "42",
		"-42",       "0.1",
		"123.456",   "9007199254740992",
		"+5",        "1e-7",
		"1.5e300",   "9007199254740993",
		".5",        "5.",
		"-.25",      "4.9e-324",
		"0x10",      "inf",
		"-infinity", "0.30000000000000004",
		"2.5e-1",    "1e22",
		"1e23",      "1.7976931348623157e308",
		"0.000001",  "179769313486231570000",
		"nan",       "0.1000000000000000055511151231257827",
	};
	static const char *const bad[] = { "",   "-",  ".",  "-.",   "1e400", "-1e999",
					   "1x", " 1", "1:", "1..2", "0x",    "--1" };
	double number = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		const char *end = plain_number_gauge(good[i], &number);

		assert_non_null(end);
		assert_int_equal(*end, '\0');
		assert_true(same(number, strtod(good[i], NULL)));
	}
	number = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *end = plain_number_gauge(bad[i], &number);

		if (strcmp(bad[i], "1:") == 0)
			assert_ptr_equal(end, bad[i] + 1);
		else
			assert_null(end);
	}
	assert_true(same(number, 1));
}

/* Decimal numbers of every shape are read as strtod() reads them. */
static void test_gauge_like_strtod(void **state)
{
	uint64_t seed = 88172645463325252;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[64];
		double number = 0;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		snprintf(text, sizeof(text), "%s%" PRIu64 ".%0*" PRIu64, seed & 1 ? "-" : "",
			 seed >> (seed % 64), (int)(seed % 12), seed >> (32 + seed % 32));
		assert_non_null(plain_number_gauge(text, &number));
		assert_true(same(number, strtod(text, NULL)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_unsigned),
		cmocka_unit_test(test_signed),
		cmocka_unit_test(test_gauge),
		cmocka_unit_test(test_gauge_like_strtod),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
