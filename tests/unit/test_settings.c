/* SPDX-License-Identifier: MIT */
#include "daemon/config/settings.h"

#include "daemon_text.h"

static struct settings settings;
static struct conf_keep keep;

static void read_settings(const char *text)
{
	settings_read(text_parse(text), &settings, &keep, &problems);
}

static int start(void **state)
{
	option_init(&keep);
	return text_start(state);
}

static int stop(void **state)
{
	option_release(&keep);
	return text_stop(state);
}

static void test_presets(void **state)
{
	(void)state;
	read_settings("");
	expect_problems(&problems, "");
	assert_null(settings.hostname);
	assert_true(settings.fqdn_lookup);
	assert_string_equal(settings.base_dir, "/var/lib/collector");
	assert_string_equal(settings.pid_file, "/run/collector/collectord.pid");
	assert_int_equal(settings.plugin_dirs.len, 0);
	assert_int_equal(settings.types_db.len, 0);
	assert_false(settings.auto_load_plugin);
	assert_false(settings.collect_internal_stats);
	assert_int_equal(settings.interval, 10 * MC_SECOND);
	assert_int_equal(settings.max_read_interval, 300 * MC_SECOND);
	assert_true(settings.timeout == 2);
	assert_int_equal(settings.read_threads, 5);
	assert_int_equal(settings.series_limit, 1000000);
	assert_int_equal(settings.write_queue_bytes, 16 << 20);
}

/* Every global option of collectd.conf(5) 5.12, as real files have them. */
static void test_all_of_collectd(void **state)
{
	(void)state;
	read_settings("Hostname \"web1\"\n"
		      "FQDNLookup false\n"
		      "BaseDir \"/var/lib/collectd\"\n"
		      "PIDFile \"/run/collectd.pid\"\n"
		      "PluginDir \"/usr/lib/collectd\"\n"
		      "TypesDB \"/a/types.db\" \"/b/types.db\"\n"
		      "TypesDB \"/c/types.db\"\n"
		      "AutoLoadPlugin True\n"
		      "CollectInternalStats true\n"
		      "Interval 0.005\n"
		      "MaxReadInterval 86400\n"
		      "Timeout 5\n"
		      "ReadThreads 2\n"
		      "WriteThreads 7\n"
		      "WriteQueueLimitHigh 500000\n"
		      "WriteQueueLimitLow 400000\n"
		      "PreCacheChain \"PreCache\"\n"
		      "PostCacheChain \"PostCache\"\n");
	expect_problems(&problems, "x.conf:14:1: warning: 'WriteThreads' has no effect: each "
				   "writer has one thread of its own\n"
				   "x.conf:15:1: warning: 'WriteQueueLimitHigh' has no effect: "
				   "queues are always bounded, by WriteQueueBytes\n"
				   "x.conf:16:1: warning: 'WriteQueueLimitLow' has no effect: "
				   "queues are always bounded, by WriteQueueBytes\n");
	assert_string_equal(settings.hostname, "web1");
	assert_false(settings.fqdn_lookup);
	assert_string_equal(settings.base_dir, "/var/lib/collectd");
	assert_string_equal(settings.pid_file, "/run/collectd.pid");
	assert_int_equal(settings.plugin_dirs.len, 1);
	assert_string_equal(settings.plugin_dirs.items[0], "/usr/lib/collectd");
	assert_int_equal(settings.types_db.len, 3);
	assert_string_equal(settings.types_db.items[2], "/c/types.db");
	assert_true(settings.auto_load_plugin);
	assert_true(settings.collect_internal_stats);
	assert_int_equal(settings.interval, 5 * MC_MILLISECOND);
	assert_int_equal(settings.max_read_interval, 86400 * MC_SECOND);
	assert_true(settings.timeout == 5);
	assert_int_equal(settings.read_threads, 2);
}

static void test_problems_at_once(void **state)
{
	(void)state;
	read_settings("Intervall 5\n"
		      "Interval soon\n"
		      "ReadThreads 0\n"
		      "LoadPlugin cpu\n"
		      "  Timeout 2 3\n");
	expect_problems(&problems, "x.conf:1:1: warning: no option 'Intervall', did you mean "
				   "'Interval'?\n"
				   "x.conf:2:10: warning: 'Interval' must be a number of seconds "
				   "from 0.001 to 31536000, not 'soon'; it stays '10'\n"
				   "x.conf:3:13: warning: 'ReadThreads' must be a whole number "
				   "from 1 to 1000, not '0'; it stays '5'\n"
				   "x.conf:5:3: error: 'Timeout' takes one value, not 2\n");
	assert_int_equal(settings.interval, 10 * MC_SECOND);
	assert_int_equal(settings.read_threads, 5);
}

static void test_hostname(void **state)
{
	char text[256];

	(void)state;
	read_settings("Hostname \"\"\n");
	expect_problems(&problems, "");
	snprintf(text, sizeof(text), "Interval 5\nHostname %0128d\n", 0);
	read_settings(text);
	expect_problems(&problems, "x.conf:2:1: error: 'Hostname' must be text of at most "
				   "127 bytes without control characters\n");
	read_settings("Hostname \"a\tb\"\n");
	expect_problems(&problems, "x.conf:1:1: error: 'Hostname' must be text of at most "
				   "127 bytes without control characters\n");
}

static void note(void *argument, const char *option)
{
	size_t size = strlen(argument);

	snprintf((char *)argument + size, 256 - size, "%s ", option);
}

static void test_change(void **state)
{
	static const char *const directories[] = { "/x" };
	struct settings now;
	char fixed[256] = "";

	(void)state;
	read_settings("Hostname a\nInterval 5\nJournalBytes 2000000\n");
	now = settings;
	settings_change(&now, &settings, note, fixed);
	assert_string_equal(fixed, "");
	settings.hostname = "b";
	settings.fqdn_lookup = !settings.fqdn_lookup;
	settings.plugin_dirs = (struct mc_strings){ directories, 1 };
	settings.journal = SETTINGS_JOURNAL_OFF;
	settings.journal_bytes++;
	settings.interval = 7 * MC_SECOND;
	settings.timeout = 9;
	settings.read_threads = 8;
	settings.collect_internal_stats = true;
	settings_change(&now, &settings, note, fixed);
	assert_string_equal(fixed, "Hostname FQDNLookup PluginDir Journal "
				   "JournalBytes ");
	assert_string_equal(now.hostname, "a");
	assert_int_equal(now.plugin_dirs.len, 0);
	assert_int_equal(now.journal, SETTINGS_JOURNAL_AUTO);
	assert_int_equal(now.journal_bytes, 2000000);
	assert_int_equal(now.interval, 7 * MC_SECOND);
	assert_true(now.timeout == 9);
	assert_int_equal(now.read_threads, 8);
	assert_true(now.collect_internal_stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_presets, start, stop),
		cmocka_unit_test_setup_teardown(test_all_of_collectd, start, stop),
		cmocka_unit_test_setup_teardown(test_problems_at_once, start, stop),
		cmocka_unit_test_setup_teardown(test_hostname, start, stop),
		cmocka_unit_test_setup_teardown(test_change, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
