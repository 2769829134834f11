/* SPDX-License-Identifier: MIT */
/* Numbers as a person reads them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctl/print/human.h"

static void seconds_have_three_digits(void **state)
{
	(void)state;
	assert_string_equal(human_seconds(0).text, "0");
	assert_string_equal(human_seconds(0.00000123).text, "1.23 us");
	assert_string_equal(human_seconds(0.0123456).text, "12.3 ms");
	assert_string_equal(human_seconds(0.9996).text, "1.00 s");
	assert_string_equal(human_seconds(1.25).text, "1.25 s");
	assert_string_equal(human_seconds(10).text, "10 s");
	assert_string_equal(human_seconds(119.4).text, "119 s");
	assert_string_equal(human_seconds(-0.25).text, "-250 ms");
	assert_string_equal(human_seconds(NAN).text, "-");
}

static void long_times_have_two_parts(void **state)
{
	(void)state;
	assert_string_equal(human_seconds(120).text, "2 min 00 s");
	assert_string_equal(human_seconds(302).text, "5 min 02 s");
	/* Rounded up it is an hour, not "59 min 60 s". */
	assert_string_equal(human_seconds(3599.7).text, "1 h 00 min");
	assert_string_equal(human_seconds(12000).text, "3 h 20 min");
	assert_string_equal(human_seconds(86399).text, "1 d 00 h");
	assert_string_equal(human_seconds(12 * 86400 + 4 * 3600).text, "12 d 04 h");
}

static void bytes_are_binary(void **state)
{
	(void)state;
	assert_string_equal(human_bytes(0).text, "0 B");
	assert_string_equal(human_bytes(999).text, "999 B");
	assert_string_equal(human_bytes(1000).text, "0.98 KiB");
	assert_string_equal(human_bytes(1024 * 1024).text, "1.00 MiB");
	assert_string_equal(human_bytes(3981312).text, "3.80 MiB");
	assert_string_equal(human_bytes(NAN).text, "-");
}

static void counts_are_decimal(void **state)
{
	(void)state;
	assert_string_equal(human_count(0).text, "0");
	assert_string_equal(human_count(999).text, "999");
	assert_string_equal(human_count(1007).text, "1,007");
	assert_string_equal(human_count(9999).text, "9,999");
	assert_string_equal(human_count(9999.6).text, "10.0 k");
	assert_string_equal(human_count(12345678).text, "12.3 M");
	assert_string_equal(human_count(18446744073709551615.0).text, "18447 P");
}

static void values_and_shares(void **state)
{
	(void)state;
	assert_string_equal(human_value(42).text, "42");
	assert_string_equal(human_value(0.000123456).text, "0.0001235");
	assert_string_equal(human_value(1.23e20).text, "1.23e+20");
	assert_string_equal(human_value(NAN).text, "-");
	assert_string_equal(human_share(0).text, "0 %");
	assert_string_equal(human_share(0.0034).text, "0.34 %");
	assert_string_equal(human_share(1).text, "100 %");
}

static void clock_has_a_date_only_if_it_must(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	assert_string_equal(human_clock(1182204284.7, 1182204290).text, "22:04:44");
	assert_string_equal(human_clock(1182204284, 1182304284).text, "2007-06-18 22:04:44");
}

static void ages_are_never_negative(void **state)
{
	(void)state;
	assert_string_equal(human_ago(-0.0762).text, "just now");
	assert_string_equal(human_ago(0.5).text, "just now");
	assert_string_equal(human_ago(12).text, "12 s ago");
	assert_string_equal(human_ago(302).text, "5 min 02 s ago");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_have_three_digits),
		cmocka_unit_test(long_times_have_two_parts),
		cmocka_unit_test(bytes_are_binary),
		cmocka_unit_test(counts_are_decimal),
		cmocka_unit_test(values_and_shares),
		cmocka_unit_test(clock_has_a_date_only_if_it_must),
		cmocka_unit_test(ages_are_never_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
