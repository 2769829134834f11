/* SPDX-License-Identifier: MIT */
/* What check plugins print: lines of Debian's monitoring-plugins, and those of worse ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/perfdata/perfdata.h"

#include "unit.h"

/* Items as "type label value", "?" for a bad one, "U", one after the other. */
static const char *read_items(const char *text)
{
	static char out[1024];
	struct mc_perfdata data;
	struct mc_perfdata_item item;
	enum mc_perfdata_found found;
	size_t at = 0;

	out[0] = '\0';
	mc_perfdata_open(&data, text);
	while ((found = mc_perfdata_next(&data, &item)) != MC_PERFDATA_END) {
		const char *gap = at > 0 ? ", " : "";

		assert_true(at < sizeof(out) - 200);
		if (found == MC_PERFDATA_ITEM)
			at += (size_t)snprintf(out + at, sizeof(out) - at, "%s%s %s %.12g", gap,
					       item.type, item.label, item.value * item.factor);
		else
			at += (size_t)snprintf(out + at, sizeof(out) - at, "%s%c", gap,
					       found == MC_PERFDATA_UNKNOWN ? 'U' : '?');
	}
	return out;
}

static void items_of_real_checks(void **state)
{
	(void)state;
	assert_string_equal(read_items("load1=0.430;1.000;4.000;0; load5=0.5;1;4;0;"),
			    "gauge load1 0.43, gauge load5 0.5");
	assert_string_equal(read_items("/=23624417280B;243497277849;257024904396;0;27055"),
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
	assert_string_equal(read_items("a=1KB b=1KiB c=2c C=5C d=3us e=4ns f=1m "
				       "g=2h h=1d i=5kb j=6W k=1TB"),
			    "bytes a 1000, bytes b 1024, derive c 2, "
			    "gauge C 5, duration d 3e-06, duration e 4e-09, "
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
	assert_string_equal(read_items("'open=1 b=2"), "?, gauge b 2");
	assert_string_equal(read_items("=1 b=2"), "?, gauge b 2");
	assert_string_equal(read_items("''=1 b=2"), "?, gauge b 2");
}

static void numbers(void **state)
{
	(void)state;
	assert_string_equal(read_items("a=+1 b=-2.5 c=1,5 d=1e3KB e=.5 f=1e-3s g=5E h=7W"),
			    "gauge a 1, gauge b -2.5, gauge c 1.5, bytes d 1000000, "
			    "gauge e 0.5, duration f 0.001, ?, gauge h 7");
}

static void one_bad_item_is_not_all(void **state)
{
	(void)state;
	assert_string_equal(read_items("a=nan b=1 c= ; d=0x10 e=1.2.3 f=2 g h "
				       "i=1e999 j=- k=U l=3;;"),
			    "?, gauge b 1, ?, ?, ?, ?, gauge f 2, ?, ?, ?, ?, U, "
			    "gauge l 3");
}

static void a_long_label_keeps_its_start_and_a_sum(void **state)
{
	char data[600], other[1024];
	const char *found;

	(void)state;
	memset(data, 'a', 128);
	snprintf(data + 128, sizeof(data) - 128, "=1 b=2");
	snprintf(other, sizeof(other), "%s", read_items(data));
	assert_int_equal(strlen(other), 6 + 127 + 2 + 2 + 9);
	assert_int_equal(other[6 + 118], '~');
	data[127] = 'b';
	found = read_items(data);
	assert_memory_equal(found, other, 6 + 118);
	assert_string_not_equal(found, other);
	memset(data, 'a', 127);
	snprintf(data + 127, sizeof(data) - 127, "=1");
	assert_null(strchr(read_items(data), '~'));
	/* No character of UTF-8 is cut. */
	memset(data, 'a', 117);
	memcpy(data + 117, "\xc3\xa4", 2);
	memset(data + 119, 'a', 20);
	snprintf(data + 139, sizeof(data) - 139, "=1");
	assert_int_equal(read_items(data)[6 + 117], '~');
}

static void a_number_that_is_too_long_is_bad(void **state)
{
	char data[600];

	(void)state;
	snprintf(data, sizeof(data), "a=%0100d b=2", 1);
	assert_string_equal(read_items(data), "?, gauge b 2");
}

/* Of a text of one item. */
static struct mc_perfdata_item read_item(const char *text)
{
	struct mc_perfdata data;
	struct mc_perfdata_item item;

	mc_perfdata_open(&data, text);
	assert_int_equal(mc_perfdata_next(&data, &item), MC_PERFDATA_ITEM);
	return item;
}

static void numbers_are_those_of_strtod(void **state)
{
	static const char *const texts[] = {
		"0.1",
		"2.675",
		"123456789.012345",
		"999999999999999",
		"0.000000000001",
		"9007199254740993",
		"1234567890.12345",
		"-0.3",
		"18446744073709551615",
		"0.30000000000000004",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[64];

		snprintf(text, sizeof(text), "a=%s", texts[i]);
		assert_true(read_item(text).value == strtod(texts[i], NULL));
	}
}

static void whole_numbers_have_all_digits(void **state)
{
	(void)state;
	assert_true(read_item("a=18446744073709551615c").whole);
	assert_true(read_item("a=18446744073709551615c").digits == UINT64_MAX);
	assert_true(read_item("a=12c").digits == 12);
	assert_false(read_item("a=18446744073709551616c").whole);
	assert_false(read_item("a=1.5").whole);
	assert_false(read_item("a=-1").whole);
}

static void labels_of_check_multi(void **state)
{
	(void)state;
	assert_string_equal(read_items("'a::check_load::load1'=1 load5=2 "
				       "'b::check_http::time'=3s size=4B a::b=5"),
			    "gauge a::check_load::load1 1, gauge a::check_load::load5 2, "
			    "duration b::check_http::time 3, bytes b::check_http::size 4, "
			    "gauge b::check_http::a::b 5");
	assert_string_equal(read_items("a::b=1 c=2 ::d::=3 e=4"),
			    "gauge a::b 1, gauge c 2, gauge ::d:: 3, "
			    "gauge e 4");
}

static void fields(void **state)
{
	struct mc_perfdata_item item = read_item("a=1ms;@10:20;~:90;0;100;");

	(void)state;
	assert_memory_equal(item.warning.text, "@10:20", item.warning.size);
	assert_memory_equal(item.critical.text, "~:90", item.critical.size);
	assert_int_equal(item.min.size, 1);
	assert_int_equal(item.max.size, 3);
	assert_int_equal(item.unit.size, 2);
	assert_string_equal(item.base, "seconds");
	assert_int_equal(read_item("k=0.1;;;;;").max.size, 0);
	assert_string_equal(read_items("a=1;2;3;4;5;6;7 b=1;2;3;4;5;6 c=3"), "?, ?, gauge c 3");
}

/* '@' in front: it is inverted. */
static bool range_is(const char *text, double min, double max)
{
	struct mc_bounds bounds;
	bool inverted;

	if (!mc_perfdata_range((struct mc_word){ text, strlen(text) }, &bounds, &inverted))
		return false;
	return inverted == (*text == '@') &&
	       (bounds.min == min || (isnan(min) && isnan(bounds.min))) &&
	       (bounds.max == max || (isnan(max) && isnan(bounds.max)));
}

static void ranges(void **state)
{
	(void)state;
	assert_true(range_is("10", 0, 10));
	assert_true(range_is("10:", 10, NAN));
	assert_true(range_is("~:10", NAN, 10));
	assert_true(range_is("-5:1,5", -5, 1.5));
	assert_true(range_is("@1:2", 1, 2));
	assert_true(range_is("@5", 0, 5));
	assert_true(range_is("@~:5", NAN, 5));
	assert_false(range_is("@", NAN, NAN));
	assert_false(range_is("@@1:2", 1, 2));
	assert_false(range_is("~:", NAN, NAN));
	assert_false(range_is("1:x", 1, NAN));
	assert_false(range_is("", NAN, NAN));
}

/* Whether the first item of the data has limits that its state contradicts. */
static bool contradicts(const char *text, enum mc_severity severity)
{
	char unit[MC_METADATA_LABEL_SIZE];
	struct mc_metadata metadata;
	struct mc_perfdata_item item;
	struct mc_perfdata data;

	mc_perfdata_open(&data, text);
	assert_int_equal(mc_perfdata_next(&data, &item), MC_PERFDATA_ITEM);
	metadata = mc_perfdata_describe(&item, false, unit);
	return mc_perfdata_contradicts(&metadata, item.value * item.factor, severity);
}

/* As Debian's check_swap prints it, with 20 % and 10 % of 1000 MB, and check_file_age. */
static void a_good_state_contradicts_limits(void **state)
{
	(void)state;
	assert_true(contradicts("size=1800B;0;0;0", MC_OKAY));
	assert_false(contradicts("swap=0B;0;0;0;0", MC_OKAY));
	assert_true(contradicts("swap=900MB;200;100;0;1000", MC_OKAY));
	assert_true(contradicts("swap=150MB;200;100;0;1000", MC_WARNING));
	assert_false(contradicts("swap=50MB;200;100;0;1000", MC_FAILURE));
	assert_false(contradicts("load1=4;5;8;0", MC_OKAY));
	assert_false(contradicts("load1=6;5;8;0", MC_WARNING));
	assert_false(contradicts("load1=9;5;8;0", MC_FAILURE));
	assert_true(contradicts("load1=6;5;8;0", MC_OKAY));
	assert_true(contradicts("a=15;@10:20;", MC_OKAY));
	assert_false(contradicts("a=25;@10:20;", MC_OKAY));
	assert_false(contradicts("a=25;;", MC_OKAY));
	assert_false(contradicts("a=25;30:40;", MC_WARNING));
}

static void limits_are_removed(void **state)
{
	struct mc_metadata metadata = { .warning = { 0, 1 }, .failure_inverted = true };

	(void)state;
	mc_perfdata_unlimit(&metadata);
	assert_true(isnan(metadata.warning.max) && isnan(metadata.warning.min));
	assert_true(isnan(metadata.failure.max) && !metadata.failure_inverted);
}

static void data_of_several_lines(void **state)
{
	struct mc_check_output output = { 0 };

	(void)state;
	assert_string_equal(mc_check_output_line(&output, "OK - fine | a=1"), " a=1");
	assert_string_equal(output.text, "OK - fine");
	assert_null(mc_check_output_line(&output, "long text"));
	assert_string_equal(mc_check_output_line(&output, "more | b=2"), " b=2");
	assert_string_equal(mc_check_output_line(&output, "c=3"), "c=3");
	assert_string_equal(output.text, "OK - fine");
}

static void a_first_line_without_data(void **state)
{
	struct mc_check_output output = { 0 };
	char line[MC_CHECK_TEXT_SIZE + 100];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_null(mc_check_output_line(&output, line));
	assert_int_equal(strlen(output.text), MC_CHECK_TEXT_SIZE - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_real_checks),
		cmocka_unit_test(units),
		cmocka_unit_test(labels),
		cmocka_unit_test(numbers),
		cmocka_unit_test(one_bad_item_is_not_all),
		cmocka_unit_test(a_long_label_keeps_its_start_and_a_sum),
		cmocka_unit_test(a_number_that_is_too_long_is_bad),
		cmocka_unit_test(numbers_are_those_of_strtod),
		cmocka_unit_test(whole_numbers_have_all_digits),
		cmocka_unit_test(labels_of_check_multi),
		cmocka_unit_test(fields),
		cmocka_unit_test(ranges),
		cmocka_unit_test(a_good_state_contradicts_limits),
		cmocka_unit_test(limits_are_removed),
		cmocka_unit_test(data_of_several_lines),
		cmocka_unit_test(a_first_line_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
