/* SPDX-License-Identifier: MIT */
/* The reference is printf(3) itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/base/decimal.h"
#include <collector/print.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_read(const char *text, double expected)
{
	double value = -1;

	if (isinf(expected)) {
		assert_false(mc_decimal_read(text, strlen(text), &value));
		return;
	}
	assert_true(mc_decimal_read(text, strlen(text), &value));
	assert_memory_equal(&value, &expected, sizeof(value));
}

static void check_written(double value)
{
	char out[MC_DECIMAL_SIZE], expected[MC_DECIMAL_SIZE];

	out[mc_decimal_fixed(out, value)] = '\0';
	snprintf(expected, sizeof(expected), "%.6f", value);
	assert_string_equal(out, expected);
	out[mc_decimal_short(out, value)] = '\0';
	snprintf(expected, sizeof(expected), "%.15g", value);
	assert_string_equal(out, expected);
	check_read(expected, strtod(expected, NULL));
}

static void test_fixed(void **state)
{
	static const double values[] = {
		0,          -0.0,       1,         -1,         0.5,
		1e-6,       5e-7,       4.9e-7,    1.5e-6,     2.5e-6,
		0.000001,   0.0000005,  0.9999994, 0.9999995,  0.99999951,
		99.9999999, 123456.789, 1e12,      0x1p43,     0x1p43 - 0.0009765625,
		0x1p53,     1e15,       1e300,     DBL_MAX,    DBL_MIN,
		-DBL_MAX,   4.9e-324,   0.0000015, INFINITY,   -INFINITY,
		1.0 / 3,    2.0 / 3,    -1e-9,     0.00390625, 0.0078125,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_written(values[i]);
}

static void test_nan_has_no_sign(void **state)
{
	char out[MC_DECIMAL_SIZE];

	(void)state;
	assert_int_equal(mc_decimal_fixed(out, NAN), 3);
	assert_memory_equal(out, "nan", 3);
	assert_int_equal(mc_decimal_fixed(out, -NAN), 3);
	assert_memory_equal(out, "nan", 3);
}

/* Halves of a millionth are where rounding goes wrong: x.5e-6 is exact only
 * for multiples of 2^-7, and near misses are everywhere else. */
static void test_rounding(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double value;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		value = (double)(random >> 11) * ldexp(1, -(int)(random % 64)) / 128;
		check_written(i % 2 != 0 ? value : -value);
		check_written((double)(random % 1000000000) / 128);
		check_written((double)(random % 100000000) / 10000);
		check_written(ldexp((double)(random >> 11), (int)(random % 2000) - 1040));
		check_written(nearbyint(value) / 1e6);
		check_written((nearbyint(value) + 0.5) / 1e6);
	}
}

static void test_integers(void **state)
{
	static const int64_t values[] = { 0, 9, 10, -1, INT64_MAX, INT64_MIN };
	char out[MC_DECIMAL_SIZE], expected[32];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		out[mc_print_i64(out, values[i])] = '\0';
		snprintf(expected, sizeof(expected), "%" PRId64, values[i]);
		assert_string_equal(out, expected);
	}
	out[mc_print_u64(out, UINT64_MAX)] = '\0';
	assert_string_equal(out, "18446744073709551615");
}

/* What collectd 5.12 makes of a time (utils_time.h): seconds times 2^30, as a double. */
static double as_collectd(int64_t ns)
{
	int64_t second = 1000000000;
	uint64_t units = (((uint64_t)(ns % second) << 30) + 500000000) / (uint64_t)second;

	return (double)(ns / second + (int64_t)(units >> 30)) +
	       (double)(units & 0x3fffffff) / 1073741824.0;
}

static void seconds_are_those_of_collectd(void **state)
{
	char out[MC_DECIMAL_SIZE], wanted[32];
	uint64_t random = 1;

	(void)state;
	out[mc_decimal_seconds(out, INT64_C(1400000000332500000))] = '\0';
	assert_string_equal(out, "1400000000.332");
	out[mc_decimal_seconds(out, INT64_C(1400000000333500000))] = '\0';
	assert_string_equal(out, "1400000000.333");
	for (int i = 0; i < 200000; i++) {
		int64_t ns;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		ns = (int64_t)(random >> (1 + i % 40));
		if (i % 2 == 0) /* Halves of a millisecond are what is rounded. */
			ns = ns / 500000 * 500000;
		out[mc_decimal_seconds(out, ns)] = '\0';
		snprintf(wanted, sizeof(wanted), "%.3f", as_collectd(ns));
		assert_string_equal(out, wanted);
	}
}

static void test_seconds(void **state)
{
	char out[MC_DECIMAL_SIZE];

	(void)state;
	out[mc_decimal_seconds(out, INT64_C(1234567890123499000))] = '\0';
	assert_string_equal(out, "1234567890.123");
	out[mc_decimal_seconds(out, INT64_C(1234567890999500000))] = '\0';
	assert_string_equal(out, "1234567891.000");
	out[mc_decimal_seconds(out, 0)] = '\0';
	assert_string_equal(out, "0.000");
	out[mc_decimal_seconds(out, INT64_MAX)] = '\0';
	assert_string_equal(out, "9223372036.855");
}

/* As strtod(3) reads them, whatever the number of digits. */
static void test_read(void **state)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"+1",
		".5",
		"5.",
		"1e3",
		"-1.25E-2",
		"9007199254740993",
		"123456789012345678",
		"1234567890123456789",
		"18446744073709551616",
		"0.1000000000000000055511151231257827",
		"1.7976931348623157e308",
		"4.9e-324",
		"000000000000000000000000000001.5",
	};
	static const char *const wrong[] = {
		"",    ".",    "-",  "+",  "+-1", "--1", "1..2", "1.2.3",  "1e",
		"1e+", "0x10", " 1", "1 ", "nan", "inf", "1,5",  "1e9999", "1_000",
	};
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_read(texts[i], strtod(texts[i], NULL));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(mc_decimal_read(wrong[i], strlen(wrong[i]), &value));
	assert_false(mc_decimal_read("1\0002", 3, &value));
	assert_true(value == 7);
	assert_true(mc_decimal_read("12345", 3, &value));
	assert_true(value == 123);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),    cmocka_unit_test(test_nan_has_no_sign),
		cmocka_unit_test(test_rounding), cmocka_unit_test(test_integers),
		cmocka_unit_test(test_seconds),  cmocka_unit_test(seconds_are_those_of_collectd),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
