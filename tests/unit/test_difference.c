/* SPDX-License-Identifier: MIT */
#include "daemon/config/difference.h"

#include <stdlib.h>

#include "daemon_text.h"

/* What a configuration says about its first instance; freed by the caller. */
static char *text_of(const char *file, mc_time interval)
{
	struct configure configure;
	char *text;

	configure_read(&configure, text_parse(file), false, &problems);
	text = difference_text(&configure.items[0], interval);
	configure_done(&configure);
	return text;
}

static bool differ(const char *one, const char *two)
{
	char *a = text_of(one, 10 * MC_SECOND);
	char *b = text_of(two, 10 * MC_SECOND);
	bool different = strcmp(a, b) != 0;

	free(a);
	free(b);
	return different;
}

#define DF "LoadPlugin df\n"

static void test_same(void **state)
{
	(void)state;
	assert_false(differ(DF "<Plugin df>\n  MountPoint \"/\"\n</Plugin>\n",
			    "# A comment.\n" DF "\n<Plugin df>\n"
			    "\tMOUNTPOINT    \"/\" # It is.\n\n</Plugin>\n"));
	/* The blocks of a plugin count as one. */
	assert_false(differ(DF "<Plugin df>\nA 1\nB 2\n</Plugin>\n",
			    DF "<Plugin df>\nA 1\n</Plugin>\n"
			       "LoadPlugin cpu\n"
			       "<Plugin df>\nB 2\n</Plugin>\n"));
	/* The default, and the same said. */
	assert_false(differ(DF, "<LoadPlugin df>\nInterval 10\n"
				"</LoadPlugin>\n"));
}

static void test_different(void **state)
{
	static const char block[] = DF "<Plugin df>\nA 1 2\n</Plugin>\n";
	static const char *const others[] = {
		DF,
		DF "<Plugin df>\nA 1 3\n</Plugin>\n",
		DF "<Plugin df>\nA 12\n</Plugin>\n",
		DF "<Plugin df>\nA \"1 2\"\n</Plugin>\n",
		DF "<Plugin df>\nA 1 \"2\"\n</Plugin>\n",
		DF "<Plugin df>\nB 1 2\n</Plugin>\n",
		DF "<Plugin df>\nA 1 2\nA 1 2\n</Plugin>\n",
		DF "<Plugin df>\nA \"1 1:2\"\n</Plugin>\n",
		DF "<Plugin df>\n<A 1 2>\n</A>\n</Plugin>\n",
		"<LoadPlugin df>\nInterval 5\n</LoadPlugin>\n"
		"<Plugin df>\nA 1 2\n</Plugin>\n",
		"<LoadPlugin df>\nFlushInterval 5\n</LoadPlugin>\n"
		"<Plugin df>\nA 1 2\n</Plugin>\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_true(differ(block, others[i]));
	/* Nothing can be moved in or out of a nested block unseen. */
	assert_true(differ(DF "<Plugin df>\n<A>\nB 1\n</A>\nC 1\n</Plugin>\n",
			   DF "<Plugin df>\n<A>\nB 1\nC 1\n</A>\n</Plugin>\n"));
}

/* It is that of all plugins that have none of their own. */
static void test_global_interval(void **state)
{
	char *a = text_of(DF, 10 * MC_SECOND), *b = text_of(DF, 5 * MC_SECOND);

	(void)state;
	assert_string_not_equal(a, b);
	free(a);
	free(b);
}

static void test_find(void **state)
{
	const struct identity before[] = { { "stays", "1", false },
					   { "goes", "2", false },
					   { "fails", "3", true },
					   { "changes", "4", false } };
	const struct identity after[] = { { "changes", "5", false },
					  { "fails", "3", false },
					  { "comes", "2", false },
					  { "stays", "1", false } };
	struct difference found = difference_find(before, 4, after, 4);
	const size_t kept[] = { DIFFERENCE_NONE, DIFFERENCE_NONE, DIFFERENCE_NONE, 0 };
	const bool stays[] = { true, false, false, false };

	(void)state;
	assert_memory_equal(found.kept, kept, sizeof(kept));
	assert_memory_equal(found.stays, stays, sizeof(stays));
	assert_int_equal(found.kept_len, 1);
	assert_int_equal(found.changed, 2);
	assert_int_equal(found.added, 1);
	assert_int_equal(found.removed, 1);
	difference_done(&found);
}

static void test_nothing(void **state)
{
	struct difference found = difference_find(NULL, 0, NULL, 0);

	(void)state;
	assert_int_equal(found.kept_len + found.changed + found.added + found.removed, 0);
	difference_done(&found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, text_start, text_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_same),    TEST(test_different),
		TEST(test_find),    TEST(test_global_interval),
		TEST(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
