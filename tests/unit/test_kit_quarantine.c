/* SPDX-License-Identifier: MIT */
/* Requests that were refused for good. */
#include "kit/base/quarantine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)
#define FIRST "f.refused/20231114T221320Z-000001-metrics.otlp"
#define LOGS "f.refused/20231114T221320Z-000001-logs.otlp"
#define SECOND "f.refused/20231114T221320Z-000002-logs.otlp"
#define THIRD "f.refused/20231114T221321Z-000003-metrics.otlp"

static struct {
	char folder[32];
	struct mc_quarantine quarantine;
} lab;

static int open_lab(void **state)
{
	(void)state;
	snprintf(lab.folder, sizeof(lab.folder), "quarantine.XXXXXX");
	assert_non_null(mkdtemp(lab.folder));
	assert_int_equal(chdir(lab.folder), 0);
	mc_quarantine_init(&lab.quarantine, "f", ".otlp", 2);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	mc_quarantine_done(&lab.quarantine);
	unlink(FIRST);
	unlink(LOGS);
	unlink(SECOND);
	unlink(THIRD);
	unlink("f.refused/notes");
	rmdir("f.refused");
	unlink("f.refused");
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(rmdir(lab.folder), 0);
	return 0;
}

static int keep(mc_time later, const char *path, const char *body)
{
	return mc_quarantine_keep(&lab.quarantine, WALL + later, path, body, strlen(body));
}

static void check(const char *path, const char *wanted)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");

	if (wanted == NULL) {
		assert_null(file);
		return;
	}
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), strlen(wanted));
	fclose(file);
	assert_string_equal(text, wanted);
}

static void the_newest_are_kept(void **state)
{
	FILE *notes;

	(void)state;
	assert_int_equal(keep(0, "/v1/metrics", "one"), 0);
	check(FIRST, "one");
	notes = fopen("f.refused/notes", "w"); /* Somebody's own. */
	assert_non_null(notes);
	fclose(notes);
	assert_int_equal(keep(0, "/v1/logs", "two"), 0);
	assert_int_equal(keep(MC_SECOND, "/v1/metrics", "three"), 0);
	check(FIRST, NULL);
	check(SECOND, "two");
	check(THIRD, "three");
	check("f.refused/notes", "");
}

static void none_may_be_kept(void **state)
{
	struct stat stat_buffer;

	(void)state;
	lab.quarantine.len_max = 0;
	assert_int_equal(keep(0, "/v1/metrics", "one"), -ENOENT);
	assert_int_equal(stat("f.refused", &stat_buffer), -1);
}

static void nothing_is_followed_or_written_over(void **state)
{
	FILE *file;

	(void)state;
	assert_int_equal(symlink("/tmp", "f.refused"), 0);
	assert_int_equal(keep(0, "/v1/metrics", "one"), -ENOTDIR);
	assert_int_equal(unlink("f.refused"), 0);
	assert_int_equal(mkdir("f.refused", 0700), 0);
	file = fopen(LOGS, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(keep(0, "/v1/logs", "two"), 0);
	check(LOGS, "");
	check(SECOND, "two");
}

/* As after a reload or a restart. */
static void two_keep_in_one_second(void **state)
{
	struct mc_quarantine before;

	(void)state;
	mc_quarantine_init(&before, "f", ".otlp", 2);
	assert_int_equal(mc_quarantine_keep(&before, WALL, "/v1/logs", "one", 3), 0);
	mc_quarantine_done(&before);
	assert_int_equal(keep(0, "/v1/logs", "two"), 0);
	check(LOGS, "one");
	check(SECOND, "two");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_newest_are_kept),
		TEST(none_may_be_kept),
		TEST(nothing_is_followed_or_written_over),
		TEST(two_keep_in_one_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
