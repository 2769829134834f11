/* SPDX-License-Identifier: MIT */
#include "daemon/config/known_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "problems.h"

static struct problems problems;
static struct timed_calls *calls;
static struct known_types known;
static char path[32];

static int start(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/types-XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0)
		close(fd);
	problem_init(&problems);
	calls = timed_calls_new();
	return fd >= 0 ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	problem_done(&problems);
	timed_calls_free(calls);
	known_types_done(&known);
	return remove(path);
}

/* Reads the file, which has this text. */
static void take(const char *text)
{
	const char *const paths[] = { path };
	struct mc_strings files = { paths, 1 };
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	known_types_take(
		&known,
		known_types_load(&(struct known_types_source){ &files, &(struct conf_node){ 0 },
							       &(struct configure){ 0 },
							       &(struct plugin_dirs){ 0 }, calls },
				 &problems),
		&problems);
}

static const struct mc_type *find(const char *name)
{
	return type_set_find(known_types_now(&known), name, strlen(name));
}

static void test_new_types_are_added(void **state)
{
	const struct type_set *first;
	const struct mc_type *one;

	(void)state;
	take("one value:GAUGE:0:U\n");
	first = known_types_now(&known);
	one = find("one");
	assert_int_equal(one->sources[0].kind, MC_GAUGE);
	assert_null(find("two"));
	take("one value:GAUGE:0:U\n");
	assert_ptr_equal(known_types_now(&known), first); /* Nothing is new. */
	take("two value:DERIVE:0:U\n");
	assert_int_equal(find("two")->sources[0].kind, MC_DERIVE);
	assert_non_null(find("one")); /* A series may have it. */
	assert_non_null(find("cpu"));
	assert_string_equal(one->name, "one"); /* What was found stays. */
	expect_problems(&problems, "");
}

static void test_a_changed_type_stays_as_it_was(void **state)
{
	char expected[256];

	(void)state;
	take("one value:GAUGE:0:U\n");
	take("\none value:GAUGE:0:5\n");
	assert_true(isnan(find("one")->sources[0].max));
	snprintf(expected, sizeof(expected),
		 "%s:2:1: warning: the type 'one' has changed: that needs a "
		 "restart\n",
		 path);
	expect_problems(&problems, expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_types_are_added),
		TEST(test_a_changed_type_stays_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
