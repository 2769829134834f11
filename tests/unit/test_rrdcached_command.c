/* SPDX-License-Identifier: MIT */
/* What goes over the second connection: files that are made, looked at and
 * flushed, and statistics. */
#include "rrdcached_rig.h"

static void test_missing_file(void **state)
{
	struct rig rig;
	const char *text;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	heard(&rig, rig.updates);
	put(&rig, "a", 1700000020);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	/* It is not made while an update of it is on its way; and later lines come after that. */
	heard(&rig, rig.updates);
	put(&rig, "a", 1700000030);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig.commands = take_connection(&rig);
	text = heard(&rig, rig.commands);
	assert_memory_equal(text,
			    "CREATE /d/a.rrd -s 10 -b 1700000009 -O "
			    "DS:value:GAUGE:20:U:U RRA:",
			    60);
	/* The other file goes on. */
	put(&rig, "a", 1700000040);
	put(&rig, "b", 1700000020);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/b.rrd 1700000020:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	answer(&rig, rig.commands, "0 RRD created OK\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000010:1\n"
						      "UPDATE /d/a.rrd 1700000020:1\n"
						      "UPDATE /d/a.rrd 1700000030:1\n"
						      "UPDATE /d/a.rrd 1700000040:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(lost, 0);
	assert_string_equal(said, "");
	assert_int_equal(close_rig(&rig), 0);
}

/* What waits for a file finds no room when it is made: it waits on. */
static void test_no_room_for_what_waited(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	put(&rig, "a", 1700000020);
	rig.commands = take_connection(&rig);
	heard(&rig, rig.commands);
	put(&rig, "b", 1700000010);
	heard(&rig, rig.updates);
	rig.daemon.backlog.limit = 80; /* Room for one line more. */
	answer(&rig, rig.commands, "0 RRD created OK\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000010:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/a.rrd -s 10 -b 1700000019", 35);
	answer(&rig, rig.commands, "-1 RRD Error: creating: File exists\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000020:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

/* The same while no updates are taken: what is in front of it is not given up for it. */
static void test_no_room_while_away(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig.commands = take_connection(&rig);
	heard(&rig, rig.commands);
	close_fd(&rig.updates);
	work(&rig);
	put(&rig, "b", 1700000010);
	rig.daemon.backlog.limit = 40; /* Room for that line only. */
	answer(&rig, rig.commands, "0 RRD created OK\n");
	assert_string_equal(heard(&rig, rig.commands), "");
	assert_int_equal(lost, 0);
	rig.daemon.backlog.limit = 1 << 20;
	now += 10 * MC_SECOND;
	rig.updates = take_connection(&rig);
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/a.rrd", 15);
	answer(&rig, rig.commands, "-1 RRD Error: creating: File exists\n");
	is_asked_pending(&rig);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000010:1\n.\n"
						      "BATCH\nUPDATE /d/b.rrd 1700000010:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n" GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000010:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

static void test_refused_file(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "2 errors\n1 No such file: a\n2 No such file: b\n");
	rig.commands = take_connection(&rig);
	heard(&rig, rig.commands);
	answer(&rig, rig.commands, "-1 Read-only file system\n");
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/b.rrd", 15);
	answer(&rig, rig.commands, "-1 Read-only file system\n");
	/* One is named; both wait and are tried again. */
	assert_non_null(strstr(said, "/d/a.rrd"));
	assert_null(strstr(said, "/d/b.rrd"));
	put(&rig, "a", 1700000020);
	assert_string_equal(heard(&rig, rig.commands), "");
	now += 11 * MC_SECOND;
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/", 10);
	close_fd(&rig.commands); /* Its answer never comes. */
	work(&rig);
	now += MC_SECOND;
	rig.commands = take_connection(&rig);
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/", 10);
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 3);
}

static void check_file(struct rig *rig, const char *name)
{
	char prefix[FILE_PREFIX_MAX];
	struct file *file = file_open(&rig->shared.files, prefix, file_prefix("/d", name, prefix));

	check_add(&rig->daemon.check, file);
}

/* Files are looked at one after the other; one that is of other data sources
 * takes nothing any more, until it is found to be as it should. */
static void test_other_sources(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	put(&rig, "c", 1700000010);
	check_file(&rig, "a");
	check_file(&rig, "b");
	check_file(&rig, "c");
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "0 errors\n");
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	answer(&rig, rig.commands,
	       "5 Info for /d/a.rrd follows\nstep 1 10\n"
	       "ds[rx].index 1 0\nds[rx].type 2 GAUGE\n"
	       "ds[tx].index 1 1\nds[tx].type 2 GAUGE\n");
	assert_string_equal(heard(&rig, rig.commands), "");
	now += 11 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/b.rrd\n");
	answer(&rig, rig.commands,
	       "2 Info for /d/b.rrd follows\n"
	       "ds[value].index 1 0\nds[value].type 2 GAUGE\n");
	now += 11 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/c.rrd\n");
	answer(&rig, rig.commands, "-1 Permission denied.\n");
	put(&rig, "a", 1700000020);
	put(&rig, "b", 1700000020);
	put(&rig, "c", 1700000020);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/b.rrd 1700000020:1\n"
						      "UPDATE /d/c.rrd 1700000020:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 1);
	assert_non_null(strstr(said, "updates of '/d/a.rrd'"));
	assert_non_null(strstr(said, "it has 2 data sources, its type has 1"));
	/* It is looked at again: now it is no RRD file at all, then mended. */
	now += 61 * MC_SECOND;
	put(&rig, "a", 1700000030);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	answer(&rig, rig.commands, "-1 RRD Error: '/d/a.rrd' is not an RRD file\n");
	now += 61 * MC_SECOND;
	put(&rig, "a", 1700000040);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	assert_non_null(strstr(said, "it is not an RRD file"));
	answer(&rig, rig.commands, "1 Info for /d/a.rrd follows\nds[value].index 1 0\n");
	put(&rig, "a", 1700000050);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 1700000050:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 3);
	assert_int_equal(close_rig(&rig), 0);
}

static void test_flush_follows_updates(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	daemon_flush(&rig.daemon, "/d/a.rrd", 8);
	heard(&rig, rig.updates);
	assert_false(client_is_up(&rig.daemon.commands));
	answer(&rig, rig.updates, GO "0 errors\n");
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "FLUSH /d/a.rrd\n");
	answer(&rig, rig.commands, "-1 No such file: /d/a.rrd\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(close_rig(&rig), 0);
}

static void test_statistics(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.shared.statistics = true;
	rig.updates = take_connection(&rig);
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "STATS\n");
	answer(&rig, rig.commands,
	       "3 Statistics follow\nQueueLength: 7\n"
	       "Other: 1\nTreeDepth: 4\n");
	assert_string_equal(stats.text, "/queue_length-=7 "
					"/gauge-tree_depth=4 committed");
	assert_in_range(work(&rig), 9 * MC_SECOND, 10 * MC_SECOND);
	now += 10 * MC_SECOND;
	assert_string_equal(heard(&rig, rig.commands), "STATS\n");
	assert_int_equal(close_rig(&rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_file),
		cmocka_unit_test(test_no_room_for_what_waited),
		cmocka_unit_test(test_no_room_while_away),
		cmocka_unit_test(test_refused_file),
		cmocka_unit_test(test_other_sources),
		cmocka_unit_test(test_flush_follows_updates),
		cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
