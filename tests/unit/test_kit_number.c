/* SPDX-License-Identifier: MIT */
/* Numbers that texts begin with. */
#include <collector/kit/number.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_double(const char *text, double number, const char *rest)
{
	double found = 7;

	assert_true(mc_number_take_double(&text, &found));
	assert_true(found == number);
	assert_string_equal(text, rest);
}

static void a_double_ends_where_no_longer_start_is_one(void **state)
{
	(void)state;
	expect_double("12", 12, "");
	expect_double("+1.5ms", 1.5, "ms");
	expect_double("-.5", -.5, "");
	expect_double("1e3,", 1000, ",");
	expect_double("5eggs", 5, "eggs");
	expect_double("5e+", 5, "e+");
	expect_double("1.2.3", 1.2, ".3");
}

static void what_begins_with_no_double_is_left_alone(void **state)
{
	static const char *const texts[] = { "", "x1", "-", "nan", ".", "1e400" };
	double found = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *at = texts[i];

		assert_false(mc_number_take_double(&at, &found));
		assert_ptr_equal(at, texts[i]);
		assert_true(found == 7);
	}
}

static void an_integer_has_a_sign_and_perhaps_a_base(void **state)
{
	const char *at = "-12kB";
	uint64_t number = 0;
	bool negative = false;

	(void)state;
	assert_true(mc_number_take_integer(&at, &negative, &number));
	assert_true(negative && number == 12);
	assert_string_equal(at, "kB");
	at = "0X1f";
	assert_true(mc_number_take_integer(&at, &negative, &number));
	assert_true(!negative && number == 31);
	at = "18446744073709551615";
	assert_true(mc_number_take_integer(&at, &negative, &number));
	assert_true(number == UINT64_MAX);
	at = "18446744073709551616";
	assert_false(mc_number_take_integer(&at, &negative, &number));
	at = "0x";
	assert_false(mc_number_take_integer(&at, &negative, &number));
	assert_true(number == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_double_ends_where_no_longer_start_is_one),
		cmocka_unit_test(what_begins_with_no_double_is_left_alone),
		cmocka_unit_test(an_integer_has_a_sign_and_perhaps_a_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
