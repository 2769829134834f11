/* SPDX-License-Identifier: MIT */
/* Lines of pages of metrics, in both formats. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

static struct page page;
static struct page_sample sample;
static struct page_labels labels;

static void read_labels(const char *text, char copy[256])
{
	snprintf(copy, 256, "%s", text);
	assert_null(page_labels_read(&labels, copy));
}

static bool read_one(const char *text, bool openmetrics)
{
	page_open(&page, text, strlen(text), openmetrics);
	return page_next(&page, NULL, &sample);
}

static void numbers(void **state)
{
	(void)state;
	assert_true(read_one("a 1.5e3\n", false) && sample.value == 1500 && sample.time == 0);
	assert_true(read_one("a\t-Inf 1520879607789", false) && sample.value == -INFINITY);
	assert_int_equal(sample.time, 1520879607789 * MC_MILLISECOND);
	assert_true(read_one("a{} nan 1520879607.5 # {} 1\n", true) && isnan(sample.value));
	assert_int_equal(sample.time, 1520879607500 * MC_MILLISECOND);
	assert_true(read_one("a{b=\"} \\\" 2\"}7", false) && sample.value == 7);
	assert_int_equal(sample.series.size, strlen("a{b=\"} \\\" 2\"}"));
}

static void wrong_lines(void **state)
{
	static const char *const lines[] = { "a",    "a b",     "a 1 b",  "a 1 2 3", "a{",
					     "1 1",  "a{b=\"}", "a 0x",   "a 1e",    "a 1 1e300",
					     "\1 1", "a -",     "a 1 #x", "{} ",     "a 1_0" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_false(read_one(lines[i], false));
		assert_non_null(page.error);
		assert_int_equal(page.line, 1);
	}
	assert_true(read_one("a 1\n", true));
	assert_false(page_next(&page, NULL, &sample));
	assert_non_null(page.error); /* No "# EOF". */
}

static void wrong_series(void **state)
{
	static const char *const series[] = { "a{b=\"1\",b=\"2\"}", "a{b}",       "a{b=1}",
					      "a{b=\"1\"",          "a{,}",       "{b=\"1\"}",
					      "a{\"b\",c=\"1\"}",   "a{1=\"1\"}", "a{b=\"1\"}x" };
	char copy[256];

	(void)state;
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		snprintf(copy, sizeof(copy), "%s", series[i]);
		assert_non_null(page_labels_read(&labels, copy));
	}
}

static void expect_label(size_t at, const char *name, const char *value)
{
	assert_string_equal(labels.items[at].name, name);
	assert_string_equal(labels.items[at].value, value);
}

static void labels_are_sorted(void **state)
{
	char copy[256];

	(void)state;
	read_labels("m:x { z = \"1\" , a=\"\\\\\\\"\\n\\t\",empty=\"\", }", copy);
	assert_string_equal(labels.name, "m:x");
	assert_int_equal(labels.len, 2);
	expect_label(0, "a", "\\\"\n\\t");
	expect_label(1, "z", "1");
	read_labels("{b=\"2\",\"my.metric\",\"a b\"=\"1\"}", copy);
	assert_string_equal(labels.name, "my.metric");
	expect_label(0, "a b", "1");
	expect_label(1, "b", "2");
}

static void expect_role(const char *name, enum page_type type, enum mc_metric_part part)
{
	struct page_role role = page_role_of(&page, name);

	assert_int_equal(role.type, type);
	assert_int_equal(role.part, part);
}

static void roles(void **state)
{
	(void)state;
	assert_true(read_one("# TYPE h histogram\n# HELP h x\nh_bucket{le=\"1\"} 1\n", false));
	expect_role("h_bucket", PAGE_HISTOGRAM, MC_METRIC_BUCKET);
	expect_role("h_sum", PAGE_HISTOGRAM, MC_METRIC_SUM);
	expect_role("h_count", PAGE_HISTOGRAM, MC_METRIC_COUNT);
	expect_role("h", PAGE_UNTYPED, MC_METRIC_VALUE);
	expect_role("hh_count", PAGE_UNTYPED, MC_METRIC_VALUE);
	assert_int_equal(page_role_of(&page, "h_bucket").name_size, 1);
	assert_true(read_one("# TYPE s summary\ns 1\n", false));
	expect_role("s", PAGE_SUMMARY, MC_METRIC_QUANTILE);
	expect_role("s_bucket", PAGE_UNTYPED, MC_METRIC_VALUE);
	assert_true(read_one("# TYPE c counter\nc_total 1\n", true));
	expect_role("c_total", PAGE_COUNTER, MC_METRIC_VALUE);
	expect_role("c_created", PAGE_UNTYPED, MC_METRIC_VALUE);
	assert_true(read_one("# TYPE c counter\n# HELP d x\nc 1\n", false));
	expect_role("c", PAGE_UNTYPED, MC_METRIC_VALUE);
}

static void guesses(void **state)
{
	static const char text[] = "a{b=\"1\"} 1\na{b=\"1\"}2 2\n";
	const struct page_text guess = { "a{b=\"1\"}", 8 };

	(void)state;
	page_open(&page, text, strlen(text), false);
	assert_true(page_next(&page, &guess, &sample) && sample.value == 1);
	assert_int_equal(sample.series.size, 8);
	assert_true(page_next(&page, &guess, &sample) && sample.value == 2);
}

static void help(void **state)
{
	char out[16];

	(void)state;
	page_help_read((struct page_text){ "a\\\\b\\nc\\x", 9 }, out, sizeof(out));
	assert_string_equal(out, "a\\b\nc\\x");
	page_help_read((struct page_text){ "abcdef", 6 }, out, 4);
	assert_string_equal(out, "abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(wrong_series),
		cmocka_unit_test(roles),
		cmocka_unit_test(labels_are_sorted),
		cmocka_unit_test(guesses),
		cmocka_unit_test(help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
