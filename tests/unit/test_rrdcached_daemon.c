/* SPDX-License-Identifier: MIT */
/* Updates, and what comes of them. */
#include "rrdcached_rig.h"

#include "deferred.h"

#include <collector/journal.h>
#include <collector/writer.h>

static void test_updates(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	put(&rig, "b c", 10);
	put(&rig, "a", 10); /* RRD files take one of a second. */
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 10:1\n"
						      "UPDATE /d/b\\ c.rrd 10:1\n.\n");
	put(&rig, "a", 20);
	assert_string_equal(heard(&rig, rig.updates), "");
	assert_false(daemon_is_idle(&rig.daemon));
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 20:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_string_equal(said, "");
	assert_int_equal(close_rig(&rig), 0);
}

/* Of a file of several series, which the update has a value of each, or not. */
static void test_each_series_of_a_file_counts(void **state)
{
	static const struct mc_type three = {
		.name = "three",
		.sources_len = 3,
		.sources = { { "1", MC_GAUGE, NAN, NAN },
			     { "2", MC_GAUGE, NAN, NAN },
			     { "3", MC_GAUGE, NAN, NAN } },
	};
	const union mc_value values[] = { { .gauge = 1 }, { .gauge = NAN }, { .gauge = 2 } };
	const struct mc_pnp_single single = { .sources_len = 3 };
	struct mc_rrd_rules rules = { .rows = 10, .xff = 0.5 };
	struct file *file;
	struct rig rig;

	(void)state;
	open_rig(&rig);
	file = file_of(&rig, "a");
	file->row = mc_pnp_row_new(&single, file);
	file->layout = mc_rrd_layout(&rig.layouts, &rules, &three, 10 * MC_SECOND);
	pthread_mutex_lock(&rig.shared.lock);
	assert_true(daemon_put(&rig.daemon, file, 1, values));
	pthread_mutex_unlock(&rig.shared.lock);
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "1 errors\n1 disk on fire\n");
	assert_int_equal(lost, 2);
	pthread_mutex_lock(&rig.shared.lock);
	file->unfit = true;
	file->sources_len = 1;
	assert_true(daemon_put(&rig.daemon, file, 2, values));
	pthread_mutex_unlock(&rig.shared.lock);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 4);
	/* And at a stop, of what waits to be sent, or for a file. */
	pthread_mutex_lock(&rig.shared.lock);
	file->unfit = false;
	assert_true(daemon_put(&rig.daemon, file, 3, values));
	file->missing = true;
	assert_true(daemon_put(&rig.daemon, file, 4, values));
	assert_true(daemon_put(&rig.daemon, file, 5, values));
	pthread_mutex_unlock(&rig.shared.lock);
	rig.daemon.file = file;
	assert_int_equal(close_rig(&rig), 6);
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
	now += 500 * MC_MILLISECOND;
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 10:1\n.\n");
	answer(&rig, rig.updates, GO "1 errors\n1 illegal attempt to update\n");
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/a.rrd 20:1\n"
						      "UPDATE /d/b.rrd 20:1\n"
						      "UPDATE /d/a.rrd 30:1\n.\n");
	assert_non_null(strstr(said, "the last 1 update once more"));
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
	assert_non_null(strstr(said, "does not answer in time"));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 1);
}

/* Bytes that the kernel takes for a sleeping peer are not a sign of life. */
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
	assert_int_equal(client_unsent(&rig.daemon.updates), 0);
	now += 2 * MC_SECOND;
	work(&rig);
	assert_non_null(strstr(said, "does not answer in time"));
	assert_int_equal(close_rig(&rig), 3999);
}

static void test_nobody_there(void **state)
{
	struct rig rig;
	mc_time longest = 0;

	(void)state;
	open_rig(&rig);
	close_fd(&rig.listener);
	for (int i = 0; i < 12; i++) {
		mc_time sleep = work(&rig);

		if (i < 5)
			assert_in_range(sleep, 0, 500 * MC_MILLISECOND << i);
		if (sleep > longest)
			longest = sleep;
		now += sleep;
	}
	assert_in_range(longest, MC_SECOND, 10 * MC_SECOND);
	/* Said once. */
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	assert_non_null(strstr(said, "cannot connect to"));
	close_rig(&rig);
}

/* Puts until there is no more room; the second that had none. */
static int64_t fill(struct rig *rig)
{
	int64_t second = 1;

	while (second < 60000 && try_put(rig, "a", second))
		second++;
	assert_true(backlog_is_full(&rig->daemon.backlog));
	return second;
}

/* What has no room is put again when there is some, and nothing is lost. */
static void test_no_room(void **state)
{
	struct rig rig;
	int64_t second;

	(void)state;
	open_rig(&rig);
	second = fill(&rig);
	assert_in_range(second, 20000, 59999);
	assert_false(try_put(&rig, "a", second));
	assert_true(try_put(&rig, "a", second - 1)); /* It is in already. */
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	while (!try_put(&rig, "a", second))
		take_batch(&rig);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 0);
	assert_int_equal(rig.daemon.backlog.put, second);
	close_rig(&rig);
}

/* One of several is not waited for: without a journal its oldest are lost. */
static void test_no_room_of_several(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.shared.several = true;
	assert_int_equal(fill(&rig), 60000);
	loss_report(&rig.daemon);
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
	assert_false(client_is_up(&rig.daemon.updates));
	close_fd(&rig.updates);
	now += MC_SECOND;
	rig.updates = take_connection(&rig);
	answer(&rig, rig.updates, "220 Welcome\n");
	assert_false(client_is_up(&rig.daemon.updates));
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
	assert_true(client_unsent(&rig.daemon.updates) > 0);
	answer(&rig, rig.updates, GO "0 errors\n" GO "0 errors\n" GO "0 errors\n" GO "0 errors\n");
	assert_false(client_is_up(&rig.daemon.updates));
	assert_non_null(strstr(said, "no sensible answer"));
	assert_in_range(close_rig(&rig), 1, 19999);
}

/* Wherever a line comes late, it stands among the deferred ones by its second. */
static void test_deferred_lines_are_in_order(void **state)
{
	static const char *const lines[] = { "50:1:2\n", "100:1\n",  "9:12345678901234567890\n",
					     "30:1\n",   "7:\n",     "1000:1:1:1:1:1:1\n",
					     "40:1\n",   "5000:0\n", "31:U\n" };
	const struct mc_offset offset = { 1, 0 };
	struct file *file;
	struct rig rig;

	(void)state;
	open_rig(&rig);
	file = file_of(&rig, "a");
	pthread_mutex_lock(&rig.shared.lock);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		deferred_value(&rig.daemon, file, lines[i], strlen(lines[i]), offset);
	lines_room(&file->deferred, 1)[0] = '\0';
	assert_string_equal(lines_text(&file->deferred),
			    "7:\n9:12345678901234567890\n30:1\n31:U\n40:1\n50:1:2\n100:1\n"
			    "1000:1:1:1:1:1:1\n5000:0\n");
	assert_int_equal(rig.daemon.deferred_samples, sizeof(lines) / sizeof(*lines));
	deferred_clear(&rig.daemon, file);
	pthread_mutex_unlock(&rig.shared.lock);
	assert_int_equal(close_rig(&rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deferred_lines_are_in_order),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_errors_in_mid_batch),
		cmocka_unit_test(test_each_series_of_a_file_counts),
		cmocka_unit_test(test_cut_connection),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_no_answer_while_more_is_sent),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_room_of_several),
		cmocka_unit_test(test_what_does_not_speak_it),
		cmocka_unit_test(test_answers_too_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
