/* SPDX-License-Identifier: MIT */
#include "daemon/process/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char base[32];

static int start(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/folder-XXXXXX");
	return mkdtemp(base) != NULL ? chdir(base) : -1;
}

static int stop(void **state)
{
	(void)state;
	rmdir("a/b/c");
	rmdir("a/b");
	rmdir("a");
	unlink("file");
	return chdir("/") == 0 ? rmdir(base) : -1;
}

static void test_nested(void **state)
{
	(void)state;
	assert_int_equal(folder_make("a/b//c/"), 0);
	assert_int_equal(access("a/b/c", F_OK), 0);
	assert_int_equal(folder_make("a/b"), 0);
	assert_int_equal(folder_make("/"), 0);
}

static void test_parent(void **state)
{
	(void)state;
	assert_int_equal(folder_make_parent("a/b/file"), 0);
	assert_int_equal(access("a/b", F_OK), 0);
	assert_int_equal(access("a/b/file", F_OK), -1);
	assert_int_equal(folder_make_parent("file"), 0);
	assert_int_equal(folder_make_parent("/file"), 0);
}

static void test_impossible(void **state)
{
	(void)state;
	assert_int_equal(folder_make(""), -ENOENT);
	close(creat("file", 0644));
	assert_int_equal(folder_make("file"), -ENOTDIR);
	assert_int_equal(folder_make("file/a"), -ENOTDIR);
	assert_int_equal(folder_make("/proc/nowhere/a"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nested, start, stop),
		cmocka_unit_test_setup_teardown(test_parent, start, stop),
		cmocka_unit_test_setup_teardown(test_impossible, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
