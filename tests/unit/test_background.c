/* SPDX-License-Identifier: MIT */
#include "daemon/process/background.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The status with which the process that was started ends. */
static int status_after(void (*work)(struct background *))
{
	struct background background = { -1, -1, NULL };
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (background_enter(&background) == 0)
			work(&background);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void report_ready(struct background *background)
{
	background_report(background, 0);
	background_report(background, 78); /* Too late to count. */
}

static void report_failure(struct background *background)
{
	background_report(background, 78);
}

static void die(struct background *background)
{
	(void)background;
}

static void test_report(void **state)
{
	(void)state;
	assert_int_equal(status_after(report_ready), 0);
	assert_int_equal(status_after(report_failure), 78);
	assert_int_equal(status_after(die), 71);
}

static void test_pid_file(void **state)
{
	struct background first = { -1, -1, NULL }, second = first;
	char folder[] = "/tmp/background-XXXXXX", below[64], path[80];
	int pid = 0;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(below, sizeof(below), "%s/run", folder);
	snprintf(path, sizeof(path), "%s/pid", below);
	assert_int_equal(background_write_pid(&first, path), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	assert_int_equal(pid, getpid());

	assert_int_equal(background_write_pid(&second, path), -EEXIST);
	background_remove_pid(&second); /* It has none. */
	assert_int_equal(access(path, F_OK), 0);
	background_remove_pid(&first);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(background_write_pid(&second, "/proc/nowhere/pid"), -ENOENT);
	rmdir(below);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_pid_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
