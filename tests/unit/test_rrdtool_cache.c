/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache under a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cache_work.h"

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};
static const struct mc_rrd_rules layout = { .rows = 100, .xff = 0.1 };
static const struct cache_rules usual = {
	.timeout = 120 * MC_SECOND,
	.flush = 900 * MC_SECOND,
	.writes_per_create = 1,
	.limit = 1 << 20,
};

static struct cache_moment at(int64_t second)
{
	return (struct cache_moment){ second * MC_SECOND, second * MC_SECOND };
}

static struct cache_file *open_file(struct cache *cache, const char *name)
{
	return cache_open(cache, name, &layout, &gauge, 10 * MC_SECOND);
}

static bool add(struct cache *cache, struct cache_file *file, int64_t second)
{
	return cache_add(cache, file, second * MC_SECOND,
			 &(union mc_value){ .gauge = (double)second });
}

/* The next work is on that file, and takes that many updates. */
static struct cache_work expect_work(struct cache *cache, int64_t second,
				     const struct cache_file *file, uint32_t records_len)
{
	struct cache_work work;

	cache_work_next(cache, at(second), false, &work);
	assert_ptr_equal(work.file, file);
	if (work.records == NULL && !cache_work_take(cache, &work))
		work.records_len = 0;
	assert_int_equal(work.records_len, records_len);
	return work;
}

static void expect_done(struct cache *cache, int64_t second, const struct cache_file *file,
			uint32_t records_len)
{
	struct cache_work work = expect_work(cache, second, file, records_len);

	assert_false(cache_work_done(cache, &work));
}

static void expect_sleep(struct cache *cache, int64_t second, mc_time wake)
{
	struct cache_work work;

	cache_work_next(cache, at(second), false, &work);
	assert_null(work.file);
	assert_int_equal(work.wake, wake);
}

static void end(struct cache *cache, uint64_t lost)
{
	struct mc_map_node *node = NULL;

	while ((node = mc_map_next(&cache->files, node)) != NULL)
		((struct cache_file *)node)->users = 0;
	assert_int_equal(cache_close(cache), lost);
	assert_int_equal(cache->bytes, 0);
	assert_int_equal(cache->leaving, 0);
	assert_int_equal(cache->failing, 0);
}

static void test_without_timeout(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *file;

	(void)state;
	rules.timeout = 0;
	cache_init(&cache, &rules, 1);
	file = open_file(&cache, "h/p/gauge");
	expect_sleep(&cache, 0, INT64_MAX);
	assert_true(add(&cache, file, 100));
	assert_false(add(&cache, file, 110)); /* Woken already. */
	expect_done(&cache, 110, file, 2);
	expect_sleep(&cache, 110, INT64_MAX);
	assert_true(add(&cache, file, 120));
	expect_done(&cache, 120, file, 1);
	end(&cache, 0);
}

static void test_timeout_gathers(void **state)
{
	struct cache cache;
	struct cache_file *file;

	(void)state;
	cache_init(&cache, &usual, 1);
	file = open_file(&cache, "h/p/gauge");
	add(&cache, file, 1000);
	expect_done(&cache, 1000, file, 0); /* Made, not written. */
	for (int64_t second = 1010; second < 1120; second += 10) {
		expect_sleep(&cache, second, 1900 * MC_SECOND);
		assert_false(add(&cache, file, second));
	}
	expect_sleep(&cache, 1119, 1900 * MC_SECOND);
	assert_true(add(&cache, file, 1120)); /* 120 seconds after the first. */
	expect_done(&cache, 1120, file, 13);
	end(&cache, 0);
}

static void test_second_of_a_second_is_done(void **state)
{
	struct cache cache;
	struct cache_file *file;

	(void)state;
	cache_init(&cache, &usual, 1);
	file = open_file(&cache, "h/p/gauge");
	add(&cache, file, 1000);
	cache_add(&cache, file, 1000 * MC_SECOND + 400 * MC_MILLISECOND,
		  &(union mc_value){ .gauge = 1 });
	add(&cache, file, 990);
	assert_int_equal(file->records_len, 1);
	cache_add(&cache, file, 1000 * MC_SECOND + 500 * MC_MILLISECOND,
		  &(union mc_value){ .gauge = 1 });
	assert_int_equal(file->records_len, 2);
	end(&cache, 2);
}

static void test_cache_flush_finds_the_silent(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *old, *young;

	(void)state;
	rules.random = 10 * MC_SECOND;
	cache_init(&cache, &rules, 1);
	old = open_file(&cache, "h/p/gauge-old");
	young = open_file(&cache, "h/p/gauge-young");
	add(&cache, old, 1000);
	expect_done(&cache, 1000, old, 0);
	add(&cache, young, 1771);
	expect_done(&cache, 1800, young, 0);
	expect_sleep(&cache, 1899, 1900 * MC_SECOND);
	expect_done(&cache, 1900, old, 1);
	expect_sleep(&cache, 1900, 2800 * MC_SECOND);
	end(&cache, 1);
}

static void test_random_timeout_stays_in_bounds(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	mc_time least = 0, most = 0;

	(void)state;
	rules.random = 60 * MC_SECOND;
	cache_init(&cache, &rules, 4711);
	for (int i = 0; i < 1000; i++) {
		char name[32];
		mc_time variation;

		snprintf(name, sizeof(name), "h/p/gauge-%d", i);
		variation = open_file(&cache, name)->variation;
		least = variation < least ? variation : least;
		most = variation > most ? variation : most;
	}
	assert_in_range(-least, 55 * MC_SECOND, 60 * MC_SECOND);
	assert_in_range(most, 55 * MC_SECOND, 60 * MC_SECOND);
	assert_non_null(mc_map_find(&cache.files, "h/p/gauge-777", 13));
	assert_null(mc_map_find(&cache.files, "h/p/gauge-1000", 14));
	end(&cache, 0);
}

static void test_flush(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *a, *b;

	(void)state;
	rules.write_pause = MC_SECOND;
	cache_init(&cache, &rules, 1);
	a = open_file(&cache, "h/p/gauge-a");
	b = open_file(&cache, "h/p/gauge-b");
	add(&cache, a, 1000);
	add(&cache, b, 1010);
	expect_done(&cache, 1010, a, 0);
	expect_done(&cache, 1010, b, 0);
	expect_sleep(&cache, 1010, 1910 * MC_SECOND);
	/* Too young; then all, one per second; then b, which goes first. */
	assert_false(cache_flush(&cache, NULL, 20 * MC_SECOND, 1015 * MC_SECOND));
	assert_true(cache_flush(&cache, NULL, 0, 0));
	expect_done(&cache, 1015, a, 1);
	expect_sleep(&cache, 1015, 1016 * MC_SECOND);
	assert_true(cache_flush(&cache, "h/p/gauge-b", 0, 0));
	expect_done(&cache, 1015, b, 1);
	assert_false(cache_flush(&cache, "h/p/gauge-c", 0, 0));
	end(&cache, 0);
}

static void test_new_files_and_updates_take_turns(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *known[4], *fresh[2];
	char name[] = "h/p/gauge-k0";

	(void)state;
	rules.timeout = 0;
	rules.writes_per_create = 2;
	cache_init(&cache, &rules, 1);
	for (int i = 0; i < 4; i++) {
		name[11] = (char)('0' + i);
		known[i] = open_file(&cache, name);
		known[i]->known = true;
		add(&cache, known[i], 1000);
	}
	fresh[0] = open_file(&cache, "h/p/gauge-f0");
	fresh[1] = open_file(&cache, "h/p/gauge-f1");
	add(&cache, fresh[0], 1000);
	add(&cache, fresh[1], 1000);
	expect_done(&cache, 1000, known[0], 1);
	expect_done(&cache, 1000, known[1], 1);
	expect_done(&cache, 1000, fresh[0], 1);
	expect_done(&cache, 1000, known[2], 1);
	expect_done(&cache, 1000, known[3], 1);
	expect_done(&cache, 1000, fresh[1], 1);
	end(&cache, 0);
}

static void test_failures_keep_or_drop(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *file;
	struct cache_work work;

	(void)state;
	rules.timeout = 0;
	cache_init(&cache, &rules, 1);
	file = open_file(&cache, "h/p/gauge");
	add(&cache, file, 1000);
	add(&cache, file, 1010);
	work = expect_work(&cache, 1010, file, 2);
	add(&cache, file, 1020);
	assert_int_equal(cache_work_failed(&cache, &work, 1020 * MC_SECOND, true), 0);
	assert_int_equal(file->records_len, 3);
	assert_int_equal(file->records[0], 1000);
	assert_int_equal(file->records[4], 1020);
	expect_sleep(&cache, 1020, 1025 * MC_SECOND);
	expect_sleep(&cache, 1029, 1034 * MC_SECOND);
	work = expect_work(&cache, 1030, file, 3);
	assert_int_equal(work.records[0], 1000);
	assert_int_equal(cache_work_failed(&cache, &work, 1030 * MC_SECOND, false), 3);
	add(&cache, file, 1040);
	expect_sleep(&cache, 1049, 1054 * MC_SECOND); /* Twice as long. */
	work = expect_work(&cache, 1050, file, 1);
	assert_true(cache_work_done(&cache, &work)); /* None fails any more. */
	end(&cache, 0);
}

static void test_series_that_end(void **state)
{
	struct cache cache;
	struct cache_file *file;
	struct cache_work work;

	(void)state;
	cache_init(&cache, &usual, 1);
	assert_false(cache_forget(&cache, open_file(&cache, "h/p/gauge-idle")));
	assert_int_equal(cache.files.len, 0);
	file = open_file(&cache, "h/p/gauge");
	add(&cache, file, 1000);
	expect_done(&cache, 1000, file, 0);
	expect_sleep(&cache, 1000, 1900 * MC_SECOND);
	assert_true(cache_forget(&cache, file));
	/* Back before it was written: the same file. */
	assert_ptr_equal(open_file(&cache, "h/p/gauge"), file);
	cache_forget(&cache, file);
	expect_done(&cache, 1000, file, 1);
	assert_int_equal(cache.files.len, 0);
	/* Back before the old series was forgotten: one file for both. */
	file = open_file(&cache, "h/p/gauge");
	assert_ptr_equal(open_file(&cache, "h/p/gauge"), file);
	cache_forget(&cache, file);
	assert_int_equal(cache.files.len, 1);
	cache_forget(&cache, file);
	assert_int_equal(cache.files.len, 0);
	/* Gone while it fails: nobody is left to wait for. */
	file = open_file(&cache, "h/p/gauge");
	add(&cache, file, 1000);
	work = expect_work(&cache, 1000, file, 0);
	cache_forget(&cache, file);
	assert_int_equal(cache_work_failed(&cache, &work, 0, true), 1);
	assert_int_equal(cache.files.len, 0);
	end(&cache, 0);
}

static void test_limit(void **state)
{
	struct cache_rules rules = usual;
	struct cache cache;
	struct cache_file *files[8];
	struct cache_work work;
	uint64_t lost = 0;
	char name[] = "h/p/gauge-0";

	(void)state;
	rules.limit = 8 * 16; /* Eight updates. */
	cache_init(&cache, &rules, 1);
	for (int i = 0; i < 8; i++) {
		name[10] = (char)('0' + i);
		files[i] = open_file(&cache, name);
		files[i]->known = true;
		assert_int_equal(add(&cache, files[i], 1000 + i), false);
	}
	/* Beyond seven, the oldest is urgent. */
	expect_done(&cache, 1010, files[0], 1);
	expect_sleep(&cache, 1010, 1910 * MC_SECOND);
	assert_false(cache_full(&cache, &lost));
	/* Full: nothing is lost as long as files can be written. */
	add(&cache, files[0], 1011);
	cache_work_next(&cache, at(1011), false, &work);
	assert_ptr_equal(work.file, files[1]);
	add(&cache, files[2], 1012);
	add(&cache, files[1], 1013);
	assert_true(cache_full(&cache, &lost));
	assert_int_equal(lost, 0);
	/* But a file that cannot be written must not take all the room. */
	assert_int_equal(cache_work_failed(&cache, &work, 0, true), 0);
	assert_false(cache_full(&cache, &lost));
	assert_int_equal(lost, 2);
	end(&cache, 8);
}

/* A file of its own that still has updates when its series becomes a source of
 * another, ends, and comes back. */
static void test_a_source_that_comes_back(void **state)
{
	struct mc_pnp_place place = {
		.path = "h/whole",
		.file = { 1, { MC_GAUGE } },
	};
	struct cache cache;
	struct cache_file *file;
	uint64_t late;

	(void)state;
	cache_init(&cache, &usual, 1);
	file = open_file(&cache, "h/own");
	add(&cache, file, 100);
	assert_true(cache_join(&cache, file, &place, &layout, 10 * MC_SECOND));
	cache_forget(&cache, file);
	assert_ptr_equal(open_file(&cache, "h/own"), file);
	assert_true(cache_join(&cache, file, &place, &layout, 10 * MC_SECOND));
	add(&cache, file, 200);
	cache_add_rows(&cache, &late);
	assert_int_equal(late, 0);
	end(&cache, 2);
}

/* Of a file of several series, which two updates have five values of. */
static void test_each_series_of_a_file_counts(void **state)
{
	struct mc_pnp_place place = {
		.path = "h/whole",
		.file = { 3, { MC_GAUGE, MC_GAUGE, MC_GAUGE } },
	};
	const char *const names[] = { "h/a", "h/b", "h/c" };
	struct cache_file *files[3];
	struct cache cache;
	uint64_t late;

	(void)state;
	cache_init(&cache, &usual, 1);
	for (place.source = 0; place.source < 3; place.source++) {
		files[place.source] = open_file(&cache, names[place.source]);
		assert_true(
			cache_join(&cache, files[place.source], &place, &layout, 10 * MC_SECOND));
	}
	add(&cache, files[0], 100);
	add(&cache, files[1], 100);
	for (unsigned i = 0; i < 3; i++)
		add(&cache, files[i], 110);
	cache_add_rows(&cache, &late);
	assert_int_equal(late, 0);
	end(&cache, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_timeout),
		cmocka_unit_test(test_timeout_gathers),
		cmocka_unit_test(test_second_of_a_second_is_done),
		cmocka_unit_test(test_cache_flush_finds_the_silent),
		cmocka_unit_test(test_random_timeout_stays_in_bounds),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_new_files_and_updates_take_turns),
		cmocka_unit_test(test_failures_keep_or_drop),
		cmocka_unit_test(test_series_that_end),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_a_source_that_comes_back),
		cmocka_unit_test(test_each_series_of_a_file_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
