/* SPDX-License-Identifier: MIT */
/* The state file of outlier: what is written is read, and nothing else. */
#include "saved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW (1700000000 * MC_SECOND)
#define MINUTE (60 * MC_SECOND)
#define CPU "web1\tvirt\t\tvirt_cpu_total\t\tvalue"

static struct mc_map means;

/* Of a file with these lines. */
static ptrdiff_t read_text(const char *text, size_t size, size_t limit)
{
	char *copy = malloc(size + 1);
	ptrdiff_t damaged;

	memcpy(copy, text, size);
	damaged = saved_read(copy, size, &means, limit, NOW);
	free(copy);
	return damaged;
}

static ptrdiff_t read_lines(const char *lines)
{
	char text[1024];
	int size = snprintf(text, sizeof(text), SAVED_HEAD "%s", lines);

	return read_text(text, (size_t)size, 10);
}

static void drop_all(void)
{
	for (struct saved_mean *at; (at = saved_next(&means, NULL)) != NULL;)
		saved_drop(&means, at);
	mc_map_done(&means);
}

static const struct saved_mean *find(const char *key)
{
	const struct mc_buffer text = { (char *)key, strlen(key), 0 };

	return saved_find(&means, &text);
}

static void test_written_and_read(void **state)
{
	const struct saved_mean mean = {
		.time = NOW - MINUTE,
		.interval = 10 * MC_SECOND,
		.out_since = NOW - 2 * MINUTE,
		.own = { .mean = 0.123456789, .spread = 0.25, .values = 360 },
	};
	struct mc_buffer text = { 0 }, key = { 0 };
	const struct saved_mean *found;

	(void)state;
	saved_add_key(&key, &(struct mc_id){ "web1", "virt", "", "disk_octets", "vda" }, "read");
	assert_string_equal(key.at, "web1\tvirt\t\tdisk_octets\tvda\tread");
	mc_buffer_add(&text, SAVED_HEAD, strlen(SAVED_HEAD));
	saved_write(&text, &mean, key.at);
	saved_write(&text, &mean, CPU);
	assert_int_equal(read_text(text.at, text.size, 10), 0);
	assert_int_equal(means.len, 2);
	found = saved_find(&means, &key);
	assert_non_null(found);
	assert_int_equal(found->time, mean.time);
	assert_int_equal(found->interval, mean.interval);
	assert_int_equal(found->out_since, mean.out_since);
	assert_float_equal(found->own.mean, mean.own.mean, 1e-9);
	assert_float_equal(found->own.spread, 0.25, 0);
	assert_int_equal(found->own.values, 360);
	assert_non_null(find(CPU));
	mc_buffer_free(&text);
	mc_buffer_free(&key);
	drop_all();
}

static void test_last_one_counts(void **state)
{
	(void)state;
	assert_int_equal(read_lines("mean\t1700000000000000000\t1\t2\t0\t9\t0\t" CPU "\n"
				    "mean\t1700000000000000000\t1\t3\t0\t9\t0\t" CPU "\n"),
			 0);
	assert_int_equal(means.len, 1);
	assert_float_equal(find(CPU)->own.mean, 3, 0);
	drop_all();
}

static void test_foreign_files(void **state)
{
	static const char *const files[] = { "", "collector-outlier 2\n", "collector-outlier 1",
					     "mean\n", "\xff" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_int_equal(read_text(files[i], strlen(files[i]), 10), -1);
	assert_int_equal(read_lines(""), 0);
	drop_all();
}

/* Each of them is left out, and the good one after it is there. */
static void test_damaged_lines(void **state)
{
	static const char *const starts[] = {
		"",
		"mean",
		"means\t1700000000000000000\t1\t2\t0\t9\t0\t" CPU,
		"mean\t-1\t1\t2\t0\t9\t0\t" CPU,
		"mean\t1700000000000000000\t0\t2\t0\t9\t0\t" CPU,
		"mean\t1700000000000000000\t1\tnan\t0\t9\t0\t" CPU,
		"mean\t1700000000000000000\t1\t1e31\t0\t9\t0\t" CPU,
		"mean\t1700000000000000000\t1\t2\t-1\t9\t0\t" CPU,
		"mean\t1700000000000000000\t1\t2\t1e7\t9\t0\t" CPU,
		"mean\t1700000000000000000\t1\t2\t0\t0\t0\t" CPU,
		"mean\t1700000000000000000\t1\t2\t0\t4294967296\t0\t" CPU,
		"mean\t1700000000000000000\t1\t2\t0\t9\t1700000000000000001\t" CPU,
		"mean\t1700000000000000000\t1\t2\t0\t9\t0",
		"mean\t1700000000000000000\t1\t2\t0\t9\t0\tweb1\tvirt\t\tvirt_cpu_total\t",
		"mean\t1700000000000000000\t1\t2\t0\t9\t0\t\tvirt\t\tvirt_cpu_total\t\tvalue",
		"mean\t1700000000000000000\t1\t2\t0\t9\t0\t" CPU "\tmore",
		"mean\t1699913599000000000\t1\t2\t0\t9\t0\t" CPU, /* A second too old. */
		"mean\t1700086401000000000\t1\t2\t0\t9\t0\t" CPU, /* Of the day after. */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		char lines[512];

		snprintf(lines, sizeof(lines),
			 "%s\nmean\t1700000000000000000\t1\t2\t0\t9\t0\tgood\tp\t\tt\t\ts\n",
			 starts[i]);
		assert_int_equal(read_lines(lines), 1);
		assert_int_equal(means.len, 1);
		assert_non_null(find("good\tp\t\tt\t\ts"));
		drop_all();
	}
	assert_int_equal(read_lines("mean\t1700000000000000000\t1\t2\t0\t9\t0\t" CPU), 1);
	assert_int_equal(means.len, 0); /* Half of a line. */
	drop_all();
}

static void test_limit(void **state)
{
	char lines[1024] = SAVED_HEAD;
	size_t size = strlen(lines);

	(void)state;
	for (int i = 0; i < 5; i++)
		size += (size_t)snprintf(
			lines + size, sizeof(lines) - size,
			"mean\t1700000000000000000\t1\t2\t0\t9\t0\th%d\tp\t\tt\t\ts\n", i);
	assert_int_equal(read_text(lines, size, 3), 2);
	assert_int_equal(means.len, 3);
	drop_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_last_one_counts),
		cmocka_unit_test(test_foreign_files),
		cmocka_unit_test(test_damaged_lines),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
