/* SPDX-License-Identifier: MIT */
/* What is done about files of which a rrdcached may have lost updates. */
#include "rrdcached_rig.h"

#define NONE "-1 RRD Error: opening '/d/x.rrd': No such file or directory\n"

/* 10 and 20 of two files were acknowledged; then the connection is made anew. */
static void connect_again(struct rig *rig)
{
	open_rig(rig);
	rig->daemon.backlog.replay_limit = 1 << 20;
	rig->updates = take_connection(rig);
	for (int64_t second = 10; second <= 20; second += 10) {
		put(rig, "a", second);
		put(rig, "b", second);
		heard(rig, rig->updates);
		answer(rig, rig->updates, GO "0 errors\n");
	}
	close_fd(&rig->updates);
	work(rig);
	now += 500 * MC_MILLISECOND;
	rig->updates = take_connection(rig);
	assert_string_equal(heard(rig, rig->updates), "PENDING /d/a.rrd\nPENDING /d/b.rrd\n");
}

static void is_replayed_before(struct rig *rig)
{
	assert_string_equal(heard(rig, rig->updates),
			    "BATCH\nUPDATE /d/a.rrd 10:1\nUPDATE /d/b.rrd 10:1\n"
			    "UPDATE /d/a.rrd 20:1\nUPDATE /d/b.rrd 20:1\n.\n");
	answer(rig, rig->updates, GO "0 errors\n");
}

static void is_replayed(struct rig *rig)
{
	is_replayed_before(rig);
	assert_true(daemon_is_idle(&rig->daemon));
}

static void test_earlier_pending(void **state)
{
	struct rig rig;

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, "3 updates pending\n5:1\n10:1\n20:1\n2 updates pending\n10:1\n");
	assert_string_equal(heard(&rig, rig.updates), "");
	answer(&rig, rig.updates, "20:1\n");
	is_replayed(&rig);
	assert_int_equal(close_rig(&rig), 0);
}

/* The waiting updates begin after the first to be sent, or nothing waits, and the files stay as
 * they are: they are dropped. */
static void test_gap(void **state)
{
	struct rig rig;

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, "1 updates pending\n20:1\n0 updates pending\n");
	assert_string_equal(heard(&rig, rig.updates), "LAST /d/a.rrd\nLAST /d/b.rrd\n");
	answer(&rig, rig.updates, "0 5\n0 10\n");
	put(&rig, "a", 30);
	assert_string_equal(heard(&rig, rig.updates), "");
	assert_int_equal(work(&rig), 250 * MC_MILLISECOND);
	now += 250 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.updates), "PENDING /d/a.rrd\nPENDING /d/b.rrd\n");
	answer(&rig, rig.updates, "1 updates pending\n20:1\n0 updates pending\n");
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "0 5\n0 10\n");
	assert_string_equal(heard(&rig, rig.updates), "FORGET /d/a.rrd\nFORGET /d/b.rrd\n");
	answer(&rig, rig.updates, "0 Gone!\n-1 No such file or directory\n");
	is_replayed_before(&rig);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 30:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

/* While a thread of rrdcached writes a file, it is not dropped. */
static void test_writing(void **state)
{
	struct rig rig;

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, "0 updates pending\n0 updates pending\n");
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "0 5\n" NONE);
	now += 250 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.updates), "PENDING /d/a.rrd\n");
	answer(&rig, rig.updates, "0 updates pending\n");
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "0 20\n"); /* It has been written. */
	assert_string_equal(heard(&rig, rig.updates), "");
	now += 250 * MC_MILLISECOND;
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "0 updates pending\n");
	assert_string_equal(heard(&rig, rig.updates), "LAST /d/a.rrd\n");
	answer(&rig, rig.updates, "0 20\n");
	assert_string_equal(heard(&rig, rig.updates), "FORGET /d/a.rrd\n");
	answer(&rig, rig.updates, "0 Gone!\n");
	is_replayed(&rig);
	assert_int_equal(close_rig(&rig), 0);
}

static void test_written_without_end(void **state)
{
	struct rig rig;
	char answers[64];

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, "0 updates pending\n1 updates pending\n1:1\n");
	for (int i = 0; i <= 20; i++) {
		assert_string_equal(heard(&rig, rig.updates), "LAST /d/a.rrd\n");
		snprintf(answers, sizeof(answers), "0 %d\n", i);
		answer(&rig, rig.updates, answers);
		if (i == 20)
			break;
		now += 250 * MC_MILLISECOND;
		heard(&rig, rig.updates);
		answer(&rig, rig.updates, "0 updates pending\n");
	}
	assert_non_null(strstr(said, "writes its files all the time"));
	is_replayed(&rig);
	assert_int_equal(close_rig(&rig), 0);
}

/* rrdcached's option -P may allow UPDATE alone. */
static void test_not_allowed(void **state)
{
	static const char reply[] = "-1 Permission denied.\n";
	struct rig rig;

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, reply);
	answer(&rig, rig.updates, reply);
	is_replayed(&rig);
	assert_non_null(strstr(said, "refuses PENDING, LAST and FORGET"));
	assert_int_equal(close_rig(&rig), 0);
}

static void test_break(void **state)
{
	struct rig rig;

	(void)state;
	connect_again(&rig);
	answer(&rig, rig.updates, "0 updates pending\n");
	close_fd(&rig.updates);
	work(&rig);
	now += MC_SECOND;
	rig.updates = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.updates), "PENDING /d/a.rrd\nPENDING /d/b.rrd\n");
	answer(&rig, rig.updates, "nonsense\n");
	assert_non_null(strstr(said, "gives no sensible answer"));
	now += MC_SECOND;
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	is_replayed(&rig);
	assert_int_equal(close_rig(&rig), 0);
}

/* What a process before us may have sent. */
static void test_old_samples(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.shared.started = 100;
	rig.updates = take_connection(&rig);
	put(&rig, "new", 101);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/new.rrd 101:1\n.\n");
	put(&rig, "old", 100);
	put(&rig, "old", 102);
	assert_string_equal(heard(&rig, rig.updates), "");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates), "PENDING /d/new.rrd\n"
						      "PENDING /d/old.rrd\n");
	put(&rig, "older", 99); /* Comes too late for this time. */
	answer(&rig, rig.updates, "1 updates pending\n101:1\n0 updates pending\n");
	assert_string_equal(heard(&rig, rig.updates), "LAST /d/old.rrd\n");
	answer(&rig, rig.updates, NONE);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/old.rrd 100:1\n"
						      "UPDATE /d/old.rrd 102:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	is_asked_pending(&rig);
	put(&rig, "old", 103);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/older.rrd 99:1\n.\n");
	assert_int_equal(close_rig(&rig), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_earlier_pending), cmocka_unit_test(test_gap),
		cmocka_unit_test(test_writing),         cmocka_unit_test(test_written_without_end),
		cmocka_unit_test(test_not_allowed),     cmocka_unit_test(test_break),
		cmocka_unit_test(test_old_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
