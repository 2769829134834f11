/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/read_number.h>

#include "lab.h"

static const struct mc_plugin plain_plugin = { .api = MC_API, .name = "plain" };
static struct lab lab;
static struct mc_ctx *ctx;
static char root[64], path[128];

static int open_lab(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "test_file.XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/proc/x", root);
	lab_open(&lab, 1 << 20);
	lab.engine->settings.root = root;
	ctx = engine_ctx(engine_add(lab.engine, &plain_plugin, "plain"));
	engine_start_idle(lab.engine);
	return 0;
}

static int close_lab(void **state)
{
	char directory[80];

	(void)state;
	unlink(path);
	snprintf(directory, sizeof(directory), "%s/proc", root);
	rmdir(directory);
	rmdir(root);
	lab_close(&lab);
	return 0;
}

static void put(const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_int_equal(fwrite(text, 1, size, file), size);
	fclose(file);
}

static void a_file_is_read_anew_each_time(void **state)
{
	char *text;

	(void)state;
	put("one\n", 4);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), 4);
	assert_string_equal(text, "one\n");
	put("three\n", 6);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), 6);
	assert_string_equal(text, "three\n");
}

static void long_files_are_read_whole(void **state)
{
	enum { SIZE = 100000 };
	char *long_text = calloc(1, SIZE), *text;

	(void)state;
	memset(long_text, 'x', SIZE);
	put(long_text, SIZE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(mc_read_file(ctx, "/proc/x", &text), SIZE);
		assert_int_equal(strlen(text), SIZE);
	}
	free(long_text);
}

static void a_missing_file_is_a_failure_that_says_so(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), -ENOENT);
	assert_string_equal(instance_of(ctx)->context.log_once.reason,
			    "cannot read '/proc/x': No such file or directory");
}

static void a_file_that_was_replaced_is_opened_again(void **state)
{
	char *text;

	(void)state;
	put("one", 3);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), 3);
	put("", 0);
	unlink(path);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), -ENOENT);
	put("two!", 4);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &text), 4);
	assert_string_equal(text, "two!");
}

static void run_has_a_text_of_its_own(void **state)
{
	struct instance *instance = instance_of(ctx);
	char *of_read, *of_run;

	(void)state;
	put("one", 3);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &of_read), 3);
	instance->reading.run_thread = pthread_self();
	instance->reading.running = true; /* As in run_main(). */
	put("two!", 4);
	assert_int_equal(mc_read_file(ctx, "/proc/x", &of_run), 4);
	instance->reading.running = false;
	assert_string_equal(of_run, "two!");
	assert_string_equal(of_read, "one");
}

static void a_file_of_one_number(void **state)
{
	static const char *const others[] = {
		"", "\n", "x", "-", "12x", "0x10", "9223372036854775808",
	};
	int64_t number = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		put(others[i], strlen(others[i]));
		assert_int_equal(mc_read_number(ctx, "/proc/x", &number), -EINVAL);
		assert_int_equal(number, 0);
		number = 7;
	}
	assert_int_equal(mc_read_number(ctx, "/proc/none", &number), -ENOENT);
	assert_int_equal(number, 0);
	assert_false(mc_is_there(ctx, "/proc/none"));
	assert_true(mc_is_there(ctx, "/proc/x"));
	put("9223372036854775807\n", 20);
	assert_int_equal(mc_read_number(ctx, "/proc/x", &number), 0);
	assert_true(number == INT64_MAX);
	put("-20 5\n", 6);
	assert_int_equal(mc_read_number(ctx, "/proc/x", &number), 0);
	assert_int_equal(number, -20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(run_has_a_text_of_its_own), TEST(a_file_is_read_anew_each_time),
		TEST(long_files_are_read_whole), TEST(a_missing_file_is_a_failure_that_says_so),
		TEST(a_file_of_one_number),      TEST(a_file_that_was_replaced_is_opened_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
