/* SPDX-License-Identifier: MIT */
/* State files: appended to, written anew meanwhile, and when that fails. */
#include <collector/kit/state_file.h>

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	char folder[32], path[64];
	struct mc_state_file file;
} all;

static int open_file(void **state)
{
	(void)state;
	snprintf(all.folder, sizeof(all.folder), "/tmp/state.XXXXXX");
	assert_non_null(mkdtemp(all.folder));
	snprintf(all.path, sizeof(all.path), "%s/state", all.folder);
	all.file = (struct mc_state_file){ .path = strdup(all.path), .fd = -1 };
	return 0;
}

static int close_file(void **state)
{
	(void)state;
	mc_state_file_close(&all.file);
	unlink(all.path);
	return rmdir(all.folder);
}

static int append(const char *text)
{
	struct mc_buffer buffer = { 0 };
	int rc;

	mc_buffer_add(&buffer, text, strlen(text));
	rc = mc_state_file_append(&all.file, &buffer);
	mc_buffer_free(&buffer);
	return rc;
}

static int write_anew(const char *path, const char *text)
{
	struct mc_buffer buffer = { 0 };
	int fd;

	mc_buffer_add(&buffer, text, strlen(text));
	fd = mc_state_file_write(path, &buffer);
	mc_buffer_free(&buffer);
	return fd;
}

static void assert_content(const char *expected)
{
	struct mc_buffer buffer = { 0 };

	assert_int_equal(mc_state_file_read(all.path, &buffer), 0);
	assert_int_equal(buffer.size, strlen(expected));
	assert_memory_equal(buffer.at, expected, buffer.size);
	mc_buffer_free(&buffer);
}

static void test_appended(void **state)
{
	(void)state;
	assert_int_equal(mc_state_file_take(&all.file, write_anew(all.path, "a"), 1), 0);
	assert_int_equal(append("b"), 0);
	assert_content("ab");
}

static void test_appended_while_it_is_written_anew(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mc_state_file_take(&all.file, write_anew(all.path, "a"), 1), 0);
	all.file.replacing = true;
	fd = write_anew(all.path, "c");
	assert_int_equal(append("b"), 0);
	assert_int_equal(mc_state_file_take(&all.file, fd, 1), 0);
	assert_content("cb");
}

/* The reason is returned, and what was there goes on. */
static void test_it_cannot_be_written_anew(void **state)
{
	(void)state;
	assert_int_equal(mc_state_file_take(&all.file, write_anew(all.path, "a"), 1), 0);
	all.file.replacing = true;
	assert_int_equal(append("b"), 0);
	assert_int_equal(mc_state_file_take(&all.file, write_anew("/proc/none/state", "c"), 1),
			 -ENOENT);
	assert_int_equal(append("d"), 0);
	assert_content("abd");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_appended),
		TEST(test_appended_while_it_is_written_anew),
		TEST(test_it_cannot_be_written_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
