/* SPDX-License-Identifier: MIT */
/* Files below a folder, where somebody else has put symbolic links. */
#include "base/beneath.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int open_function(int, const char *, int, mode_t);

static open_function *const functions[] = { mc_open_beneath, beneath_walk };

/* victim/ and victim/file, and below data/: a directory, and links of all kinds. */
static int set_up(void **state)
{
	static char folder[] = "/tmp/beneath.XXXXXX";
	int fd;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("victim", 0700), 0);
	fd = open("victim/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mkdir("data", 0700), 0);
	assert_int_equal(mkdir("data/host", 0700), 0);
	assert_int_equal(symlink("../../victim", "data/host/load"), 0);
	assert_int_equal(symlink("../../victim/file", "data/host/file"), 0);
	assert_int_equal(symlink("../victim", "data/linked"), 0);
	assert_int_equal(symlink("host", "data/other"), 0);
	*state = folder;
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	return system(command); /* NOLINT: a path of our own. */
}

static void refuses(open_function *function, int data, const char *path, int errnum)
{
	assert_int_equal(function(data, path, O_WRONLY, 0), -errnum);
	assert_int_equal(function(data, path, O_WRONLY | O_CREAT, 0600), -errnum);
}

static void test_open(void **state)
{
	int data = open("data", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int fd = functions[i](data, "host/new", O_WRONLY | O_CREAT | O_EXCL, 0600);

		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		assert_int_equal(access("data/host/new", F_OK), 0);
		assert_int_equal(functions[i](data, "host/none", O_RDONLY, 0), -ENOENT);
		refuses(functions[i], data, "host/load/new", ELOOP);
		refuses(functions[i], data, "host/load/file", ELOOP);
		refuses(functions[i], data, "host/file", ELOOP);
		refuses(functions[i], data, "linked/file", ELOOP);
		refuses(functions[i], data, "other/new", ELOOP);
		refuses(functions[i], data, "../victim/file", EXDEV);
		refuses(functions[i], data, "host/../../victim/file", EXDEV);
		refuses(functions[i], data, "/etc/hostname", EXDEV);
		refuses(functions[i], data, "host/new/file", ENOTDIR);
		assert_int_equal(access("victim/new", F_OK), -1);
		assert_int_equal(unlink("data/host/new"), 0);
	}
	close(data);
}

static void test_mkdirs(void **state)
{
	int data = open("data", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	(void)state;
	assert_int_equal(mc_mkdirs_beneath(data, "name", 0700), 0);
	assert_int_equal(mc_mkdirs_beneath(data, "host/a/b/name", 0700), 0);
	assert_int_equal(mc_mkdirs_beneath(data, "host/a/b/name", 0700), 0);
	assert_int_equal(access("data/host/a/b", F_OK), 0);
	assert_int_equal(access("data/host/a/b/name", F_OK), -1);
	assert_int_equal(mc_mkdirs_beneath(data, "host/load/a/name", 0700), -ELOOP);
	assert_int_equal(mc_mkdirs_beneath(data, "linked/a/name", 0700), -ELOOP);
	assert_int_equal(mc_mkdirs_beneath(data, "../victim/a/name", 0700), -EXDEV);
	assert_int_equal(access("victim/a", F_OK), -1);
	fd = mc_parent_beneath(data, "host/a/b/name");
	assert_true(fd >= 0);
	assert_int_equal(faccessat(fd, "../b", F_OK, 0), 0);
	close(fd);
	fd = mc_parent_beneath(data, "name");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mc_parent_beneath(data, "host/load/name"), -ELOOP);
	close(data);
}

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void test_remove(void **state)
{
	int data = open("data", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(mc_mkdirs_beneath(data, "old/a/name", 0700), 0);
	touch("data/old/a/one");
	touch("data/old/a/two");
	touch("data/file");
	assert_int_equal(mc_remove_beneath(data, "old/a/one"), 0);
	assert_int_equal(access("data/old/a/two", F_OK), 0); /* Not empty yet. */
	assert_int_equal(mc_remove_beneath(data, "old/a/one"), -ENOENT);
	assert_int_equal(mc_remove_beneath(data, "old/a"), -EINVAL);
	assert_int_equal(mc_remove_file("data", "old/a/two"), 0);
	assert_int_equal(access("data/old", F_OK), -1);
	assert_int_equal(mc_remove_beneath(data, "file"), 0);
	assert_int_equal(access("data", F_OK), 0);
	assert_int_equal(mc_remove_beneath(data, "host/load/file"), -ELOOP);
	assert_int_equal(mc_remove_beneath(data, "linked/file"), -ELOOP);
	assert_int_equal(mc_remove_beneath(data, "host/file"), -EINVAL);
	assert_int_equal(mc_remove_beneath(data, "../victim/file"), -EXDEV);
	assert_int_equal(mc_remove_file("nothing", "file"), -ENOENT);
	assert_int_equal(access("victim/file", F_OK), 0);
	assert_int_equal(access("data/host/file", F_OK), 0);
	close(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_mkdirs),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
