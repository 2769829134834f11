/* SPDX-License-Identifier: MIT */
/* Updates, and what comes of them. */
#include "rrdcached_rig.h"

static void test_updates(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	put(&rig, "b c", 10);
	put(&rig, "a", 10); /* RRD files take one of a second. */
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 10:1\n"
			    "UPDATE /d/b\\ c.rrd 10:1\n.\n");
	put(&rig, "a", 20);
	assert_string_equal(heard(&rig, rig.updates), "");
	assert_false(daemon_is_idle(&rig.daemon));
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 20:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_string_equal(said, "");
	assert_int_equal(close_rig(&rig), 0);
}

static void test_errors_in_mid_batch(void **state)
{
	static const char reply[] = GO "2 errors\n1 illegal attempt to update\n"
				       "3 Cannot write to file: /d/c.rrd\n";
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	put(&rig, "b", 10);
	put(&rig, "c", 10);
	put(&rig, "d", 10);
	heard(&rig, rig.updates);
	for (const char *c = reply; *c != '\0'; c++) /* Cut anywhere. */
		answer(&rig, rig.updates, (char[]){ *c, '\0' });
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(lost, 1);
	assert_non_null(strstr(said, "'/d/c.rrd 10:1'"));
	assert_non_null(strstr(said, "Cannot write to file"));
	assert_int_equal(close_rig(&rig), 0);
}

static void test_cut_connection(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "0 errors\n");
	put(&rig, "a", 20);
	put(&rig, "b", 20);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "2 err");
	close_fd(&rig.updates);
	work(&rig);
	put(&rig, "a", 30);
	assert_non_null(strstr(said, "lost the connection to"));
	now += 200 * MC_MILLISECOND;
	rig.updates = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 10:1\n.\n");
	answer(&rig, rig.updates, GO "1 errors\n1 illegal attempt to update\n");
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 20:1\n"
			    "UPDATE /d/b.rrd 20:1\n"
			    "UPDATE /d/a.rrd 30:1\n.\n");
	assert_non_null(strstr(said, "the last 1 updates once more"));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 3);
}

static void test_no_answer(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	assert_in_range(work(&rig), 29 * MC_SECOND, 30 * MC_SECOND);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO);
	now += 29 * MC_SECOND;
	work(&rig);
	assert_string_equal(said, "");
	now += 2 * MC_SECOND;
	work(&rig);
	assert_non_null(strstr(said, "Connection timed out"));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 1);
}

/* What the kernel takes for a peer that sleeps is no sign of life. */
static void test_no_answer_while_more_is_sent(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1);
	work(&rig);
	now += 29 * MC_SECOND;
	for (int i = 2; i < 4000; i++)
		put(&rig, "a", i);
	work(&rig);
	assert_int_equal(rig.daemon.backlog.flight_len, 2);
	assert_int_equal(rig.daemon.updates.out_len, 0);
	now += 2 * MC_SECOND;
	work(&rig);
	assert_non_null(strstr(said, "Connection timed out"));
	assert_int_equal(close_rig(&rig), 3999);
}

static void test_nobody_there(void **state)
{
	struct rig rig;
	mc_time last = 0;

	(void)state;
	open_rig(&rig);
	close_fd(&rig.listener);
	for (int i = 0; i < 12; i++) {
		mc_time sleep = work(&rig);

		if (i < 6)
			assert_in_range(sleep, 50 * MC_MILLISECOND << i,
					100 * MC_MILLISECOND << i);
		now += last = sleep;
	}
	assert_in_range(last, 5 * MC_SECOND, 10 * MC_SECOND);
	/* Said once. */
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	assert_non_null(strstr(said, "cannot connect to"));
	for (int i = 1; i < 60000; i++)
		put(&rig, "a", i);
	assert_true(daemon_is_full(&rig.daemon));
	daemon_report(&rig.daemon);
	assert_true(lost > 0);
	assert_int_equal(close_rig(&rig) + lost, 59999);
}

static void test_what_does_not_speak_it(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "-1 Permission denied.\n");
	assert_non_null(strstr(said, "no sensible answer: 'Permission"));
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	close_fd(&rig.updates);
	now += MC_SECOND;
	rig.updates = take_connection(&rig);
	answer(&rig, rig.updates, "220 Welcome\n");
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	assert_int_equal(close_rig(&rig), 1);
}

/* An answer to a batch that it cannot have read yet. */
static void test_answers_too_early(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	for (int i = 1; i < 20000; i++)
		put(&rig, "a", i);
	work(&rig);
	assert_true(rig.daemon.updates.out_len > 0);
	answer(&rig, rig.updates,
	       GO "0 errors\n" GO "0 errors\n" GO "0 errors\n" GO "0 errors\n");
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	assert_non_null(strstr(said, "no sensible answer"));
	assert_in_range(close_rig(&rig), 1, 19999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_errors_in_mid_batch),
		cmocka_unit_test(test_cut_connection),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_no_answer_while_more_is_sent),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_what_does_not_speak_it),
		cmocka_unit_test(test_answers_too_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
