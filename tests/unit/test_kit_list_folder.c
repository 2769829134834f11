/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/list_folder.h>

static char reason[2000]; /* Of the last mc_fail(). */
static char folder[64];

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	return errnum != 0 ? -errnum : -EINVAL;
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "%s%s", folder, path);
	return out;
}

static void make(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void a_folder_is_listed_in_order(void **state)
{
	struct mc_names list = { 0 };

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_kit_list_folder.XXXXXX");
	assert_non_null(mkdtemp(folder));
	make("node10");
	make("node2");
	make("has_cpu");
	make(".node3");
	assert_int_equal(mc_list_folder(NULL, &list, "/", "node"), 0);
	assert_int_equal(list.len, 2);
	assert_string_equal(list.items[0], "node2");
	assert_string_equal(list.items[1], "node10");
	mc_names_done(&list);
	assert_int_equal(mc_list_folder(NULL, &list, "/", "x"), 0);
	assert_int_equal(list.len, 0);
	mc_names_done(&list);
	assert_int_equal(mc_list_folder(NULL, &list, "/none", ""), -ENOENT);
	assert_string_equal(reason, "cannot list '/none'");
	assert_int_equal(mc_list_path(&list, folder, "has"), 0);
	assert_int_equal(list.len, 1);
	assert_string_equal(list.items[0], "has_cpu");
	mc_names_done(&list);
	assert_int_equal(mc_list_path(&list, "/proc/self/none", ""), -ENOENT);
	for (size_t i = 0; i < MC_NAMES_MAX - 2; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%zu", i);
		make(name);
	}
	assert_int_equal(mc_list_folder(NULL, &list, "/", ""), -E2BIG);
	assert_int_equal(list.len, 0);
	assert_null(list.items);
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_is_listed_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
