/* SPDX-License-Identifier: MIT */
/* What check plugins print: lines of Debian's monitoring-plugins, and those of
 * worse ones. */
#include <stdio.h>
#include <string.h>

#include "nagios.h"
#include "unit.h"

/* Items as "type label value", "?" for a bad one, "U", one after the other. */
static const char *read_items(const char *data)
{
	static char out[1024];
	struct nagios_item item;
	enum nagios_found found;
	size_t at = 0;

	out[0] = '\0';
	while ((found = nagios_next(&data, &item)) != NAGIOS_END) {
		const char *gap = at > 0 ? ", " : "";

		assert_true(at < sizeof(out) - 200);
		if (found == NAGIOS_ITEM)
			at += (size_t)snprintf(out + at, sizeof(out) - at,
					       "%s%s %s %.12g", gap, item.type,
					       item.label, item.value);
		else
			at += (size_t)snprintf(out + at, sizeof(out) - at,
					       "%s%c", gap,
					       found == NAGIOS_BAD ? '?' : 'U');
	}
	return out;
}

static void items_of_real_checks(void **state)
{
	(void)state;
	assert_string_equal(
		read_items("load1=0.430;1.000;4.000;0; load5=0.5;1;4;0;"),
		"gauge load1 0.43, gauge load5 0.5");
	assert_string_equal(
		read_items("/=23624417280B;243497277849;257024904396;0;27055"),
		"bytes / 23624417280");
	assert_string_equal(read_items("rta=0.068000ms;100.0;500.0;0.0 "
				       "pl=0%;20;60;0"),
			    "duration rta 6.8e-05, percent pl 0");
	assert_string_equal(read_items("time=0.000137s;;;0.000000;10.000000"),
			    "duration time 0.000137");
	assert_string_equal(read_items("procs=321;1000;;0; swap=0B;0;0;0;0"),
			    "gauge procs 321, bytes swap 0");
}

static void units(void **state)
{
	(void)state;
	assert_string_equal(read_items("a=1KB b=1KiB c=2c d=3us e=4ns f=1m "
				       "g=2h h=1d i=5kb j=6W k=1TB"),
			    "bytes a 1000, bytes b 1024, derive c 2, "
			    "duration d 3e-06, duration e 4e-09, "
			    "duration f 60, duration g 7200, "
			    "duration h 86400, bytes i 5000, gauge j 6, "
			    "bytes k 1e+12");
}

static void labels(void **state)
{
	(void)state;
	assert_string_equal(read_items("'a b'=1 'it''s'=2 'c=d'=3 e =4 f= 5"),
			    "gauge a b 1, gauge it's 2, gauge c=d 3, "
			    "gauge e 4, gauge f 5");
	assert_string_equal(read_items("'open=1 b=2"), "?");
	assert_string_equal(read_items("=1 b=2"), "?, gauge b 2");
	assert_string_equal(read_items("''=1 b=2"), "?, gauge b 2");
}

static void numbers(void **state)
{
	(void)state;
	assert_string_equal(
		read_items("a=+1 b=-2.5 c=1,5 d=1e3KB e=.5 f=1e-3s g=5E"),
		"gauge a 1, gauge b -2.5, gauge c 1.5, bytes d 1000000, "
		"gauge e 0.5, duration f 0.001, gauge g 5");
}

static void one_bad_item_is_not_all(void **state)
{
	(void)state;
	assert_string_equal(read_items("a=nan b=1 c= ; d=0x10 e=1.2.3 f=2 g h "
				       "i=1e999 j=- k=U l=3;;"),
			    "?, gauge b 1, ?, ?, ?, gauge f 2, ?, ?, ?, ?, U, "
			    "gauge l 3");
}

static void what_is_too_long_is_bad(void **state)
{
	char data[600];

	(void)state;
	memset(data, 'a', 128);
	snprintf(data + 128, sizeof(data) - 128, "=1 b=2");
	assert_string_equal(read_items(data), "?, gauge b 2");
	memset(data, 'a', 127);
	snprintf(data + 127, sizeof(data) - 127, "=1");
	assert_string_not_equal(read_items(data), "?");
	snprintf(data, sizeof(data), "a=%0100d b=2", 1);
	assert_string_equal(read_items(data), "?, gauge b 2");
}

static void data_of_several_lines(void **state)
{
	struct nagios_output output = { 0 };

	(void)state;
	assert_string_equal(nagios_line(&output, "OK - fine | a=1"), " a=1");
	assert_string_equal(output.text, "OK - fine");
	assert_null(nagios_line(&output, "long text"));
	assert_string_equal(nagios_line(&output, "more | b=2"), " b=2");
	assert_string_equal(nagios_line(&output, "c=3"), "c=3");
	assert_string_equal(output.text, "OK - fine");
}

static void a_first_line_without_data(void **state)
{
	struct nagios_output output = { 0 };
	char line[NAGIOS_TEXT_SIZE + 100];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_null(nagios_line(&output, line));
	assert_int_equal(strlen(output.text), NAGIOS_TEXT_SIZE - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_real_checks),
		cmocka_unit_test(units),
		cmocka_unit_test(labels),
		cmocka_unit_test(numbers),
		cmocka_unit_test(one_bad_item_is_not_all),
		cmocka_unit_test(what_is_too_long_is_bad),
		cmocka_unit_test(data_of_several_lines),
		cmocka_unit_test(a_first_line_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
