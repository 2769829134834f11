/* SPDX-License-Identifier: MIT */
/* The kit that walks the text of /proc. */
#include <collector/scan.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void numbers_end_where_digits_end(void **state)
{
	const char *at = " \t12:34 x", *there;
	uint64_t number = 7;

	(void)state;
	assert_true(mc_scan_u64(&at, &number));
	assert_int_equal(number, 12);
	assert_string_equal(at, ":34 x");
	there = at;
	assert_false(mc_scan_u64(&at, &number));
	assert_int_equal(number, 12);
	assert_ptr_equal(at, there);
}

static void large_numbers_stop_at_the_largest(void **state)
{
	const char *at = "18446744073709551615 18446744073709551616 "
			 "99999999999999999999999999 0";
	uint64_t row[5] = { 0 };

	(void)state;
	assert_int_equal(mc_scan_row(&at, row, 5), 4);
	assert_true(row[0] == UINT64_MAX);
	assert_true(row[1] == UINT64_MAX);
	assert_true(row[2] == UINT64_MAX);
	assert_true(row[3] == 0);
	assert_string_equal(at, "");
}

static void a_row_ends_at_what_is_no_number(void **state)
{
	const char *at = "1 2 3x 4\n5", *other = "1\n2";
	uint64_t row[5];

	(void)state;
	assert_int_equal(mc_scan_row(&at, row, 5), 2);
	assert_string_equal(at, " 3x 4\n5");
	assert_int_equal(mc_scan_row(&other, row, 5), 1);
	assert_string_equal(other, "\n2");
	at = "-1";
	assert_int_equal(mc_scan_row(&at, row, 5), 0);
}

static void whole_numbers_may_be_negative(void **state)
{
	static const char *const wrong[] = { "", "-", "- 1", "-\n1", "a1", "9223372036854775808" };
	const char *at = " -12,";
	int64_t number = 0;

	(void)state;
	assert_true(mc_scan_i64(&at, &number));
	assert_int_equal(number, -12);
	assert_int_equal(*at, ',');
	at = "9223372036854775807";
	assert_true(mc_scan_i64(&at, &number));
	assert_int_equal(number, INT64_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		at = wrong[i];
		assert_false(mc_scan_i64(&at, &number));
		assert_ptr_equal(at, wrong[i]);
		assert_int_equal(number, INT64_MAX);
	}
}

static void decimals_are_rounded_correctly(void **state)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = {
		{ "0.08", 0.08 },
		{ "12", 12 },
		{ " 1978.55 3800.1", 1978.55 },
		{ "7.", 7 },
		{ "0.1234567891", 0.123456789 },
		{ "99999999999999999999", 18446744073709551615.0 },
	};
	const char *at;
	double number = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		at = cases[i].text;
		assert_true(mc_scan_decimal(&at, &number));
		assert_true(number == cases[i].number);
	}
	at = ".5";
	number = 5;
	assert_false(mc_scan_decimal(&at, &number));
	assert_true(number == 5);
	assert_string_equal(at, ".5");
}

static void words_and_texts(void **state)
{
	const char *at = "  eth0: 1", *there = at;
	struct mc_word word = { 0 };

	(void)state;
	assert_false(mc_scan_text(&at, "eth1"));
	assert_ptr_equal(at, there);
	assert_true(mc_scan_text(&at, "eth"));
	assert_string_equal(at, "0: 1");
	assert_true(mc_scan_word(&at, &word));
	assert_int_equal(word.size, 2);
	assert_memory_equal(word.text, "0:", 2);
	assert_true(mc_scan_word(&at, &word));
	assert_memory_equal(word.text, "1", 1);
	assert_false(mc_scan_word(&at, &word));
	assert_string_equal(at, "");
}

static void lines_end_with_the_text(void **state)
{
	const char *at = "one\n\nthree\n";

	(void)state;
	assert_true(mc_scan_line(&at));
	assert_string_equal(at, "\nthree\n");
	assert_true(mc_scan_line(&at));
	assert_string_equal(at, "three\n");
	assert_false(mc_scan_line(&at));
	assert_string_equal(at, "three\n");
	at = "";
	assert_false(mc_scan_line(&at));
}

static void a_key_is_the_first_word_of_a_line(void **state)
{
	const char *text = "nokey 1\nkeys 2\n key 3\nkey  45 6\nkey 7\nno\n";
	uint64_t number = 9;

	(void)state;
	assert_true(mc_scan_key(text, "key", &number));
	assert_int_equal(number, 45);
	assert_true(mc_scan_key(text, "nokey", &number));
	assert_int_equal(number, 1);
	assert_false(mc_scan_key(text, "no", &number));
	assert_false(mc_scan_key(text, "ke", &number));
	assert_false(mc_scan_key("", "key", &number));
	assert_false(mc_scan_key("key\n5\n", "key", &number));
	assert_int_equal(number, 1);
}

static void ranges_go_up(void **state)
{
	const char *at = " 0-3,8,5-4,7-x", *there;
	uint64_t first = 9, last = 9;

	(void)state;
	assert_true(mc_scan_range(&at, &first, &last));
	assert_int_equal(first, 0);
	assert_int_equal(last, 3);
	assert_true(mc_scan_text(&at, ","));
	assert_true(mc_scan_range(&at, &first, &last));
	assert_int_equal(first, 8);
	assert_int_equal(last, 8);
	assert_true(mc_scan_text(&at, ","));
	there = at;
	assert_false(mc_scan_range(&at, &first, &last));
	assert_ptr_equal(at, there);
	at += 4;
	assert_string_equal(at, "7-x");
	assert_false(mc_scan_range(&at, &first, &last));
	assert_int_equal(first, 8);
	assert_int_equal(last, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_end_where_digits_end),
		cmocka_unit_test(large_numbers_stop_at_the_largest),
		cmocka_unit_test(a_row_ends_at_what_is_no_number),
		cmocka_unit_test(whole_numbers_may_be_negative),
		cmocka_unit_test(decimals_are_rounded_correctly),
		cmocka_unit_test(words_and_texts),
		cmocka_unit_test(lines_end_with_the_text),
		cmocka_unit_test(a_key_is_the_first_word_of_a_line),
		cmocka_unit_test(ranges_go_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
