/* SPDX-License-Identifier: MIT */
/* Log files that are written to, rotated and cut. */
#include "follow.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], path[80], old[80];
static char lines[4096]; /* Each with a '|' after it. */
static mc_time now;      /* A second passes with each question. */
static struct follow follow;

mc_time mc_now(void)
{
	return now += MC_SECOND;
}

static void take(void *argument, const char *text, size_t size)
{
	size_t used = strlen(lines);

	(void)argument;
	snprintf(lines + used, sizeof(lines) - used, "%.*s|", (int)size, text);
}

static void put(const char *to, const char *mode, const char *text)
{
	FILE *out = fopen(to, mode);

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void expect(int rc, const char *expected)
{
	lines[0] = '\0';
	assert_int_equal(
		follow_read(&follow, path, INT64_MAX, &(struct follow_lines){ take, NULL }), rc);
	assert_string_equal(lines, expected);
}

static int start(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_tail.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(old, sizeof(old), "%s/log.1", folder);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	follow_done(&follow);
	unlink(path);
	unlink(old);
	return rmdir(folder);
}

static void reading_begins_at_the_end(void **state)
{
	(void)state;
	put(path, "w", "old\nhal");
	expect(0, "");
	put(path, "a", "f\nnew\npart");
	expect(0, "f|new|");
	put(path, "a", "ial\n");
	expect(0, "partial|");
	expect(0, "");
}

static void a_file_that_comes_is_read_from_its_start(void **state)
{
	(void)state;
	expect(-ENOENT, "");
	put(path, "w", "first\n");
	expect(0, "first|");
}

static void the_rest_of_a_renamed_file_comes_before_the_new_one(void **state)
{
	(void)state;
	put(path, "w", "");
	expect(0, "");
	put(path, "a", "1\n");
	assert_int_equal(rename(path, old), 0);
	expect(-ENOENT, "1|");
	put(old, "a", "2\nno newline");
	put(path, "w", "3\n");
	expect(0, "2|no newline|3|");
	put(old, "a", "nobody reads this\n");
	put(path, "a", "4\n");
	expect(0, "4|");
}

static void a_file_that_is_cut_is_read_from_its_start(void **state)
{
	(void)state;
	put(path, "w", "");
	expect(0, "");
	put(path, "a", "long line\nha");
	expect(0, "long line|");
	put(path, "w", "short\n");
	expect(0, "short|");
}

static void a_long_line_is_skipped_whole(void **state)
{
	(void)state;
	put(path, "w", "");
	expect(0, "");
	for (int i = 0; i < 30000; i++)
		put(path, "a", "1234567");
	put(path, "a", "\nnext\n");
	expect(0, "next|");
	assert_int_equal(follow.skipped, 1);
}

static void what_is_left_when_the_time_is_over_comes_later(void **state)
{
	(void)state;
	put(path, "w", "");
	expect(0, "");
	for (int i = 0; i < 9000; i++)
		put(path, "a", "123456789012345\n");
	lines[0] = '\0';
	assert_int_equal(
		follow_read(&follow, path, now + MC_SECOND, &(struct follow_lines){ take, NULL }),
		0);
	assert_int_equal(follow.offset, FOLLOW_LINE_MAX + 1);
	put(path, "a", "end\n");
	lines[0] = '\0';
	assert_int_equal(
		follow_read(&follow, path, INT64_MAX, &(struct follow_lines){ take, NULL }), 0);
	assert_int_equal(follow.offset, 9000 * 16 + 4);
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	assert_int_equal(
		follow_read(&follow, folder, INT64_MAX, &(struct follow_lines){ take, NULL }),
		-EISDIR);
	assert_int_equal(
		follow_read(&follow, "/dev/null", INT64_MAX, &(struct follow_lines){ take, NULL }),
		-ENOTSUP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reading_begins_at_the_end),
		TEST(a_file_that_comes_is_read_from_its_start),
		TEST(the_rest_of_a_renamed_file_comes_before_the_new_one),
		TEST(a_file_that_is_cut_is_read_from_its_start),
		TEST(a_long_line_is_skipped_whole),
		TEST(what_is_left_when_the_time_is_over_comes_later),
		TEST(what_is_no_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
