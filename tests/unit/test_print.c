/* SPDX-License-Identifier: MIT */
#include <collector/print.h>

#include "unit.h"

#include <float.h>
#include <math.h>

static const char *text_of(double number)
{
	static char out[MC_PRINT_DOUBLE_SIZE + 1];
	size_t size = mc_print_double(out, number);

	assert_true(size <= MC_PRINT_DOUBLE_SIZE);
	out[size] = '\0';
	return out;
}

static void shortest(void **state)
{
	(void)state;
	assert_string_equal(text_of(0), "0");
	assert_string_equal(text_of(-0.0), "-0");
	assert_string_equal(text_of(0.1), "0.1");
	assert_string_equal(text_of(0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(text_of(1e15 / 3), "333333333333333.3");
	assert_string_equal(text_of(1e300), "1e+300");
	assert_string_equal(text_of(-DBL_MAX), "-1.7976931348623157e+308");
	assert_string_equal(text_of(DBL_TRUE_MIN), "4.94065645841247e-324");
}

static void no_numbers(void **state)
{
	(void)state;
	assert_string_equal(text_of(INFINITY), "inf");
	assert_string_equal(text_of(-INFINITY), "-inf");
	assert_string_equal(text_of(NAN), "nan");
}

/* All of these read back the same. */
static void exact(void **state)
{
	double number = 1.0 / 3;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		assert_true(strtod(text_of(number), NULL) == number);
		number = fabs(number) < 1e200 ? -number * 1.0000001e3 / 7 : number / 1e250;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest),
		cmocka_unit_test(no_numbers),
		cmocka_unit_test(exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
