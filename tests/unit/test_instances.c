/* SPDX-License-Identifier: MIT */
/* With plugins as they are built: load and csv need no library. */
#include "daemon/instances.h"

#include <stdlib.h>

#include "daemon/config/own_types.h"
#include "daemon/config/plugin_dir.h"
#include "daemon_text.h"

static struct configure configure;
static struct instances instances;
static struct engine *engine;
static struct type_set *types;
static char directory[4096];
static const char *const directories[] = { directory };

static int start(void **state)
{
	const char *top = getenv("top_builddir");

	snprintf(directory, sizeof(directory), "%s/.libs", top != NULL ? top : ".");
	types = own_types_new();
	engine = engine_new(&(struct engine_settings){
		.host = "h", .types = types, .interval = 10 * MC_SECOND });
	return text_start(state);
}

static int stop(void **state)
{
	engine_free(engine);
	instances_done(&instances);
	configure_done(&configure);
	type_set_free(types);
	return text_stop(state);
}

static void add(const char *text, bool readers_only)
{
	configure_read(&configure, text_parse(text), false, &problems);
	instances_add(&instances,
		      &(struct instances_source){
			      &configure, &(struct plugin_dirs){ (const char **)directories, 1 },
			      10 * MC_SECOND, engine, false },
		      readers_only, &problems);
}

static void test_added(void **state)
{
	(void)state;
	add("<LoadPlugin load>\n  Interval 3\n</LoadPlugin>\n"
	    "LoadPlugin \"csv.backup\"\n"
	    "<Plugin \"csv.backup\">\n  DataDir b\n</Plugin>\n",
	    false);
	expect_problems(&problems, "");
	assert_int_equal(instances.len, 2);
	assert_false(instances_have_log(&instances));
	assert_string_equal(instances.items[1].ctx->name, "csv.backup");
	assert_int_equal(instances.items[1].ctx->interval, 10 * MC_SECOND);
}

static void test_interval(void **state)
{
	(void)state;
	add("<LoadPlugin load>\n  Interval 3\n</LoadPlugin>\n", false);
	assert_int_equal(instances_any(&instances)->interval, 3 * MC_SECOND);
}

/* One warning each, whatever their blocks hold; the rest is there. */
static void test_missing(void **state)
{
	(void)state;
	add("LoadPlugin ascent\n"
	    "<Plugin ascent>\n  Anything 1\n</Plugin>\n"
	    "LoadPlugin lod\n"
	    "LoadPlugin \"../load\"\n"
	    "LoadPlugin load\n"
	    "LoadPlugin ipstats\n",
	    false);
	expect_problems(&problems, "x.conf:1:1: warning: there is no plugin 'ascent' "
				   "here, it is left out\n"
				   "x.conf:5:1: warning: there is no plugin 'lod' here, "
				   "it is left out; did you mean 'load'?\n"
				   "x.conf:6:1: warning: there is no plugin '' here, it "
				   "is left out\n"
				   "x.conf:8:1: warning: there is no plugin 'ipstats' "
				   "here, it is left out; protocols has the kernel's "
				   "counters of IP\n");
	assert_int_equal(instances.len, 1);
}

/* What the collector has, but is not installed, is in a package. */
static void test_package(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/nowhere");
	add("LoadPlugin cpu\n"
	    "LoadPlugin \"virt.second\"\n"
	    "LoadPlugin python\n"
	    "PostCacheChain a\n",
	    false);
	expect_problems(&problems, "x.conf:1:1: warning: there is no plugin 'cpu' here, "
				   "it is left out; it is in the package collector-core\n"
				   "x.conf:2:1: warning: there is no plugin 'virt' here, "
				   "it is left out; it is in the package "
				   "collector-libvirt\n"
				   "x.conf:3:1: warning: there is no plugin 'python' "
				   "here, it is left out; it is in the package "
				   "collector-python\n"
				   "x.conf:4:1: error: there is no plugin 'chain' here, "
				   "which this is for; it is in the package "
				   "collector-core\n");
}

static void test_wrong_options(void **state)
{
	(void)state;
	add("LoadPlugin load\n"
	    "<Plugin load>\n  ReportRelativ true\n</Plugin>\n"
	    "LoadPlugin \"csv.backup\"\n"
	    "<Plugin \"csv.backup\">\n  StoreRates 5\n</Plugin>\n",
	    true);
	expect_problems(&problems, "x.conf:3:3: error: load: no option 'ReportRelativ', "
				   "did you mean 'ReportRelative'?\n"
				   "x.conf:7:14: warning: csv.backup: 'StoreRates' must be "
				   "true or false, not '5'; it stays 'false'\n");
	assert_int_equal(instances.len, 1); /* csv reads nothing. */
}

static void test_flush_interval(void **state)
{
	(void)state;
	add("<LoadPlugin csv>\n  FlushInterval 3\n</LoadPlugin>\n"
	    "<LoadPlugin load>\n  FlushInterval 3\n</LoadPlugin>\n",
	    false);
	expect_problems(&problems, "x.conf:1:1: warning: FlushInterval has no effect: "
				   "'csv' buffers nothing\n"
				   "x.conf:4:1: warning: FlushInterval has no effect: "
				   "'load' buffers nothing\n");
	assert_int_equal(instances.items[0].flush_interval, 0);
	assert_int_equal(instances.items[1].flush_interval, 0);
}

/* collectd's plugins have the same names, and must not be loaded. */
static void test_plugin_dir(void **state)
{
	char folder[] = "/tmp/plugins-XXXXXX", path[64];
	FILE *file;

	(void)state;
	assert_true(plugin_dir_has_any(directory));
	assert_true(plugin_dir_has(directory, "load"));
	assert_false(plugin_dir_has(directory, "ascent"));
	assert_non_null(mkdtemp(folder));
	assert_false(plugin_dir_has_any(folder));
	snprintf(path, sizeof(path), "%s/load.so", folder);
	file = fopen(path, "w");
	fputs("module_register", file);
	fclose(file);
	assert_false(plugin_dir_has_any(folder));
	assert_false(plugin_dir_has_any("/nowhere"));
	remove(path);
	remove(folder);
}

/* Whether the plugin is there is unknown, so no package is named. */
static void test_unreadable_dir(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/dev/null");
	add("LoadPlugin procwatch\n", false);
	expect_problems(&problems, "x.conf:1:1: error: cannot read plugin "
				   "'procwatch' in '/dev/null': Not a "
				   "directory\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_added),         TEST(test_interval),       TEST(test_missing),
		TEST(test_wrong_options), TEST(test_flush_interval), TEST(test_plugin_dir),
		TEST(test_package),       TEST(test_unreadable_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
