/* SPDX-License-Identifier: MIT */
#include "conf/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mc_select *list;

static int start(void **state)
{
	(void)state;
	list = select_new(NULL);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_null(select_free(list));
	return 0;
}

static void add(const char *entry)
{
	char reason[200] = "";

	assert_true(select_add(list, entry, reason, sizeof(reason)));
	assert_string_equal(reason, "");
}

/* What is in the list is selected; with 'ignore', all else is. */
static void expect(const char *name, bool found)
{
	assert_int_equal(mc_selected(list, false, name), found);
	assert_int_equal(mc_selected(list, true, name), !found);
}

static void empty_list(void **state)
{
	(void)state;
	assert_true(mc_selected(NULL, false, "sda"));
	assert_true(mc_selected(NULL, true, "sda"));
	assert_true(mc_selected(list, false, "sda"));
	assert_true(mc_selected(list, true, "sda"));
	add("");
	assert_true(mc_selected(list, true, "sda"));
	assert_true(mc_selected(list, false, "sda"));
}

static void names(void **state)
{
	(void)state;
	add("sda");
	add("/");
	add("//");
	add("/dev");
	expect("sda", true);
	expect("SDA", false);
	expect("sda1", false);
	expect("/", true);
	expect("//", true);
	expect("/dev", true);
	expect("dev", false);
}

static void empty_name(void **state)
{
	(void)state;
	add("sda");
	assert_true(mc_selected(list, false, ""));
	assert_true(mc_selected(list, true, ""));
	assert_true(mc_selected(list, false, NULL));
}

static void expressions(void **state)
{
	(void)state;
	add("/^[hs]d[a-f][0-9]?$/");
	add("/loop/");
	add("/^(dm|md)-[[:digit:]]+$/");
	add("/^(.)\\1$/");
	expect("sda", true);
	expect("hdf9", true);
	expect("sda10", false);
	expect("SDA", false);
	expect("sdg", false);
	expect("/dev/loop0", true);
	expect("dm-0", true);
	expect("md-", false);
	expect("xx", true);
	expect("xy", false);
}

/* '$' and '.' as POSIX has them: a newline is a character like others. */
static void newlines(void **state)
{
	(void)state;
	add("/^a$/");
	add("/^b.c$/");
	expect("a", true);
	expect("a\n", false);
	expect("b\nc", true);
}

static void bytes(void **state)
{
	(void)state;
	add("/^\xc3\xa4.$/");
	expect("\xc3\xa4\xff", true);
	expect("\xc3\xa4\xc3\xa4", false);
}

static void bad_expressions(void **state)
{
	char reason[200] = "";

	(void)state;
	assert_false(select_add(list, "/[/", reason, sizeof(reason)));
	assert_string_equal(reason, "missing terminating ] for character class "
				    "at character 1");
	assert_false(select_add(list, "/a(b/", reason, sizeof(reason)));
	assert_string_equal(reason, "missing closing parenthesis at character 3");
	assert_true(mc_selected(list, false, "x"));
}

/* Without limits this takes 2^30 steps. */
static void endless_expression(void **state)
{
	(void)state;
	add("/^(a+)+$/");
	expect("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", false);
	expect("aaaa", true);
}

static void list_of_lists(void **state)
{
	struct mc_select *other = select_new(list);

	(void)state;
	assert_ptr_equal(select_free(other), list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty_list),    TEST(names), TEST(empty_name),      TEST(expressions),
		TEST(newlines),      TEST(bytes), TEST(bad_expressions), TEST(endless_expression),
		TEST(list_of_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
