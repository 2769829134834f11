/* SPDX-License-Identifier: MIT */
/* A tree of RRD files in a folder of its own, and what must not be touched. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/command/rrd.h"

static char folder[64], tree[80], archive[80];

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	return path;
}

/* A file of that many bytes, last changed at that time. */
static void make_file(const char *name, int size, time_t when)
{
	struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s", path_of(name));
	for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT, 0666);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

static int make_tree(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/ctl_rrd.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(archive, sizeof(archive), "%s/archive", folder);
	mkdir(tree, 0777);
	mkdir(archive, 0777);
	make_file("new/cpu-0/cpu-idle.rrd", 100, 2000);
	make_file("old/cpu-0/cpu-idle.rrd", 100, 1000);
	make_file("old/cpu-0/cpu-user.rrd", 50, 1100);
	make_file("older/load/load.rrd", 10, 900);
	make_file("older/load/notes.txt", 1000, 3000);
	make_file("none/readme", 10, 10);
	assert_int_equal(symlink("new", path_of("link")), 0);
	assert_int_equal(symlink("../../new", path_of("old/cpu-0/link")), 0);
	return 0;
}

static int remove_tree(void **state)
{
	static const char *const names[] = {
		"tree/new/cpu-0/cpu-idle.rrd",
		"tree/new/cpu-0",
		"tree/new",
		"tree/old/cpu-0/cpu-idle.rrd",
		"tree/old/cpu-0/cpu-user.rrd",
		"tree/old/cpu-0/link",
		"tree/old/cpu-0",
		"tree/old",
		"tree/older/load/load.rrd",
		"tree/older/load/notes.txt",
		"tree/older/load",
		"tree/older",
		"tree/none/readme",
		"tree/none",
		"tree/link",
		"tree",
		"archive/old/cpu-0/cpu-idle.rrd",
		"archive/old/cpu-0/cpu-user.rrd",
		"archive/old/cpu-0/link",
		"archive/old/cpu-0",
		"archive/old",
		"archive",
		"",
	};
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	return access(folder, F_OK) == 0 ? -1 : 0;
}

static void test_find(void **state)
{
	struct rrd_hosts hosts;

	(void)state;
	assert_int_equal(rrd_find(tree, 5000, &hosts), 0);
	assert_int_equal(hosts.len, 3);
	assert_string_equal(hosts.items[0].name, "older");
	assert_int_equal(hosts.items[0].last, 900);
	assert_int_equal(hosts.items[0].size, 10);
	assert_string_equal(hosts.items[1].name, "old");
	assert_int_equal(hosts.items[1].files_len, 2);
	assert_int_equal(hosts.items[1].size, 150);
	assert_int_equal(hosts.items[1].last, 1100);
	assert_string_equal(hosts.items[2].name, "new");
	rrd_free(&hosts);
	assert_int_equal(rrd_find(tree, 1100, &hosts), 0);
	assert_int_equal(hosts.len, 1);
	rrd_free(&hosts);
	assert_int_equal(rrd_find(path_of("nowhere"), 1, &hosts), -ENOENT);
}

/* What could not be read may be newer: nobody may put such a host away. */
static void test_unreadable(void **state)
{
	struct rrd_hosts hosts;
	struct rlimit before, limit;
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)fd + 2; /* The tree, and a host. */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(rrd_find(tree, 5000, &hosts), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(hosts.len, 0);
	assert_int_equal(hosts.unread_len, 3);
	assert_int_equal(hosts.error, -EMFILE);
	assert_non_null(hosts.unread);
	rrd_free(&hosts);
	assert_int_equal(rrd_find(tree, 5000, &hosts), 0);
	assert_int_equal(hosts.unread_len, 0);
	rrd_free(&hosts);
}

static void test_delete(void **state)
{
	(void)state;
	assert_int_equal(rrd_delete(tree, "old"), 0);
	assert_false(exists("old/cpu-0/cpu-idle.rrd"));
	assert_false(exists("old/cpu-0/cpu-user.rrd"));
	assert_true(exists("new/cpu-0/cpu-idle.rrd"));
	/* What is no RRD file stays, and the directory with it. */
	assert_int_equal(rrd_delete(tree, "older"), 0);
	assert_false(exists("older/load/load.rrd"));
	assert_true(exists("older/load/notes.txt"));
	/* Never by way of a link. */
	assert_true(rrd_delete(tree, "link") < 0);
	assert_true(exists("new/cpu-0/cpu-idle.rrd"));
	assert_int_equal(rrd_delete(tree, "new"), 0);
	assert_false(exists("new"));
	assert_int_equal(rrd_delete(tree, "nowhere"), -ENOENT);
}

static void test_archive(void **state)
{
	(void)state;
	assert_int_equal(rrd_archive(tree, archive, "old"), 0);
	assert_false(exists("old"));
	assert_true(exists("../archive/old/cpu-0/cpu-idle.rrd"));
	make_file("old/cpu-0/cpu-idle.rrd", 1, 1);
	assert_int_equal(rrd_archive(tree, archive, "old"), -EEXIST);
	assert_true(exists("old/cpu-0/cpu-idle.rrd"));
	assert_int_equal(rrd_archive(tree, path_of("nowhere"), "new"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(test_unreadable, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(test_delete, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(test_archive, make_tree, remove_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
