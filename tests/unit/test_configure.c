/* SPDX-License-Identifier: MIT */
#include "daemon/config/configure.h"

#include "daemon_text.h"

static struct configure configure;

static void read_text(const char *text)
{
	configure_done(&configure);
	configure_read(&configure, text_parse(text), false, &problems);
}

static int start(void **state)
{
	configure = (struct configure){ 0 };
	arena_init(&configure.arena, 64);
	return text_start(state);
}

static int stop(void **state)
{
	configure_done(&configure);
	return text_stop(state);
}

/* Asserts that an item is for this plugin and instance. */
static const struct wanted *expect_item(size_t index, const char *name, const char *plugin,
					bool load)
{
	const struct wanted *wanted = &configure.items[index];

	assert_true(index < configure.len);
	assert_string_equal(wanted->name, name);
	assert_string_equal(wanted->plugin, plugin);
	assert_int_equal(wanted->load, load);
	return wanted;
}

static void test_both_forms(void **state)
{
	const struct wanted *wanted;

	(void)state;
	read_text("LoadPlugin cpu\n"
		  "<LoadPlugin \"DF\">\n"
		  "  Interval 60.5\n"
		  "  FlushInterval 10\n"
		  "  FlushTimeout 5\n"
		  "  Globals true\n"
		  "</LoadPlugin>\n");
	expect_problems(&problems, "x.conf:6:3: warning: LoadPlugin: 'Globals' has no "
				   "effect: plugins never see each other's symbols\n");
	assert_int_equal(configure.len, 2);
	wanted = expect_item(0, "cpu", "cpu", true);
	assert_int_equal(wanted->interval, 0);
	assert_int_equal(wanted->flush_interval, 0);
	assert_int_equal(wanted->place.line, 1);
	wanted = expect_item(1, "df", "df", true);
	assert_int_equal(wanted->interval, 60500 * MC_MILLISECOND);
	assert_int_equal(wanted->flush_interval, 10 * MC_SECOND);
	assert_int_equal(wanted->flush_timeout, 5 * MC_SECOND);
}

static void test_blocks_merge(void **state)
{
	const struct wanted *wanted;

	(void)state;
	read_text("<Plugin df>\n Device a\n</Plugin>\n"
		  "LoadPlugin df\n"
		  "<Plugin \"df\">\n Device b\n</Plugin>\n"
		  "LoadPlugin df\n");
	expect_problems(&problems, "");
	assert_int_equal(configure.len, 1);
	wanted = expect_item(0, "df", "df", true);
	assert_int_equal(wanted->blocks_len, 2);
	assert_int_equal(wanted->blocks[0]->place.line, 1);
	assert_int_equal(wanted->blocks[1]->place.line, 5);
	assert_int_equal(wanted->place.line, 4);
}

static void test_instances(void **state)
{
	(void)state;
	read_text("LoadPlugin csv\n"
		  "LoadPlugin \"csv.backup\"\n"
		  "<Plugin \"csv.backup\">\n DataDir b\n</Plugin>\n");
	expect_problems(&problems, "");
	assert_int_equal(configure.len, 2);
	assert_int_equal(expect_item(0, "csv", "csv", true)->blocks_len, 0);
	assert_int_equal(expect_item(1, "csv.backup", "csv", true)->blocks_len, 1);
}

static void test_aliases(void **state)
{
	(void)state;
	read_text("LoadPlugin libvirt\n"
		  "<Plugin virt>\n</Plugin>\n"
		  "<Plugin virt2>\n</Plugin>\n"
		  "LoadPlugin \"libvirt.far\"\n");
	expect_problems(&problems, "");
	assert_int_equal(configure.len, 2);
	assert_int_equal(expect_item(0, "virt", "virt", true)->blocks_len, 2);
	expect_item(1, "virt.far", "virt", true);
}

static void test_auto_load(void **state)
{
	(void)state;
	configure_done(&configure);
	configure_read(&configure, text_parse("<Plugin df>\n</Plugin>\nLoadPlugin cpu\n"), true,
		       &problems);
	expect_problems(&problems, "");
	assert_int_equal(configure.len, 2);
	expect_item(0, "df", "df", true);
}

static void test_block_alone(void **state)
{
	(void)state;
	read_text("<Plugin df>\n</Plugin>\n<Plugin df>\n</Plugin>\n");
	expect_problems(&problems, "x.conf:1:1: warning: this block has no "
				   "effect without 'LoadPlugin df'\n");
	assert_int_equal(configure.len, 1);
	expect_item(0, "df", "df", false);
}

static void test_not_there_yet(void **state)
{
	(void)state;
	read_text("<Threshold>\n</Threshold>\n");
	expect_problems(&problems, "x.conf:1:1: warning: this block of collectd 4 has "
				   "no effect: '<Plugin threshold>' is its successor\n");
	assert_int_equal(configure.len, 0);
}

/* Options of a plugin that stand at the top, and names of its parts. */
static void test_statements(void **state)
{
	const struct wanted *wanted;

	(void)state;
	read_text("LoadPlugin cpu\n"
		  "LoadPlugin match_regex\n"
		  "<Plugin chain>\n PreCacheChain \"in\"\n</Plugin>\n"
		  "postcachechain \"out\"\n"
		  "<Chain \"out\">\n Target \"write\"\n</Chain>\n"
		  "LoadPlugin \"target_set\"\n");
	expect_problems(&problems, "");
	assert_int_equal(configure.len, 2);
	wanted = expect_item(1, "chain", "chain", true);
	assert_true(wanted->stated);
	assert_int_equal(wanted->place.line, 2);
	assert_int_equal(wanted->blocks_len, 3);
	assert_int_equal(wanted->blocks[1]->children_len, 1);
	assert_string_equal(wanted->blocks[1]->children[0]->name, "postcachechain");
	assert_string_equal(wanted->blocks[2]->children[0]->values[0].text, "out");
	read_text("<Chain \"out\">\n Target \"write\"\n</Chain>\n");
	expect_problems(&problems, "");
	wanted = expect_item(0, "chain", "chain", true);
	assert_int_equal(wanted->place.line, 1);
}

static void test_broken(void **state)
{
	(void)state;
	read_text("LoadPlugin\n"
		  "LoadPlugin a b\n"
		  "LoadPlugin \"\"\n"
		  "Plugin cpu\n"
		  "<Plugin>\n</Plugin>\n"
		  "<LoadPlugin cpu>\n  Intervall 5\n  Interval -1\n"
		  "</LoadPlugin>\n");
	expect_problems(&problems, "x.conf:1:1: error: option 'LoadPlugin' has no value\n"
				   "x.conf:2:1: error: 'LoadPlugin' takes the name of one "
				   "plugin\n"
				   "x.conf:3:1: error: 'LoadPlugin' takes the name of one "
				   "plugin\n"
				   "x.conf:4:1: warning: 'Plugin' must be a block: <Plugin NAME> "
				   "to "
				   "</Plugin>\n"
				   "x.conf:5:1: error: 'Plugin' takes the name of one plugin\n"
				   "x.conf:8:3: warning: LoadPlugin: no option 'Intervall', did "
				   "you "
				   "mean 'Interval'?\n"
				   "x.conf:9:12: warning: LoadPlugin: 'Interval' must be a "
				   "number of seconds from 0.001 to 31536000, not '-1'; it is "
				   "not used\n");
	assert_int_equal(configure.len, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_both_forms),    TEST(test_blocks_merge), TEST(test_instances),
		TEST(test_aliases),       TEST(test_auto_load),    TEST(test_block_alone),
		TEST(test_not_there_yet), TEST(test_statements),   TEST(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
