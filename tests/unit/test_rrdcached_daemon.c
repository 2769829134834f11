/* SPDX-License-Identifier: MIT */
/* Updates, and what comes of them. */
#include "rrdcached_rig.h"

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
	const union mc_value values[] = { { .gauge = 1 },
					  { .gauge = NAN },
					  { .gauge = 2 } };
	const struct mc_pnp_single single = { .sources_len = 3 };
	struct mc_rrd_rules rules = { .rows = 10, .xff = 0.5 };
	struct file *file;
	struct rig rig;

	(void)state;
	open_rig(&rig);
	file = file_of(&rig, "a");
	file->row = mc_pnp_row_new(&single, file);
	file->layout =
		mc_rrd_layout(&rig.layouts, &rules, &three, 10 * MC_SECOND);
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
	now += 200 * MC_MILLISECOND;
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
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

/* The peer reads what it was sent, and answers a batch. */
static void take_batch(struct rig *rig)
{
	while (heard(rig, rig->updates)[0] != '\0')
		;
	answer(rig, rig->updates, GO "0 errors\n");
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

static struct rig *found_in;

static struct file *find(struct mc_ctx *ctx, const struct mc_sample *sample)
{
	(void)ctx;
	(void)sample;
	return file_of(found_in, "a");
}

/* Samples 'first' to 'last', of which record N has the second N. */
static void put_records(struct rig *rig, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		rig->shared.offset = (struct mc_offset){ i, i - 1 };
		rig->shared.end = i + 1;
		put(rig, "a", i);
	}
}

/* Answers all that it is sent, until it is idle; every second from 'next' on
 * comes once and in its order.  Returns the one that would be next. */
static unsigned take_all(struct rig *rig, unsigned next)
{
	static char text[1 << 20];
	bool more = true;

	while (more || !daemon_is_idle(&rig->daemon)) {
		size_t size = 0;
		ssize_t got;
		char *line, *rest;

		more = lagging_step(&rig->daemon, now, find) == 0;
		work(rig);
		while ((got = read(rig->updates, text + size,
				   sizeof(text) - 1 - size)) > 0) {
			size += (size_t)got;
			work(rig);
		}
		text[size] = '\0';
		for (line = strtok_r(text, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest)) {
			if (strcmp(line, ".") == 0)
				answer(rig, rig->updates, GO "0 errors\n");
			if (strncmp(line, "UPDATE", 6) != 0)
				continue;
			assert_int_equal(
				strtoul(line + strlen("UPDATE /d/a.rrd "), NULL,
					10),
				next);
			next++;
		}
	}
	return next;
}

/* Beyond its room its updates stay in the journal, and come from there, in
 * their order and once, while more are left out meanwhile. */
static void test_behind(void **state)
{
	enum { MANY = 100000 };
	struct rig rig;
	unsigned next;

	(void)state;
	open_rig(&rig);
	found_in = &rig;
	rig.shared.several = true;
	lagging_open(&rig.daemon);
	put_records(&rig, 1, MANY);
	assert_true(rig.daemon.behind.active);
	assert_true(rig.daemon.backlog.waiting_size <= 1 << 20);
	lagging_step(&rig.daemon, now, find);
	assert_non_null(strstr(said, "wait in the journal"));
	lagging_tell_safe(&rig.daemon);
	assert_int_equal(track.safe, 1);
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	lagging_step(&rig.daemon, now, find);
	put_records(&rig, MANY + 1, MANY + 1000);
	next = take_all(&rig, 1);
	assert_int_equal(next, MANY + 1001);
	assert_false(rig.daemon.behind.active);
	lagging_step(&rig.daemon, now, find);
	assert_non_null(strstr(said, "has caught up"));
	put_records(&rig, next, next + 9);
	assert_int_equal(take_all(&rig, next), next + 10);
	lagging_tell_safe(&rig.daemon);
	/* But for what it would be sent again: whole chunks. */
	assert_in_range(track.safe, MANY - 5000, next + 10);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

/* What is read faster than its file is made waits where it is. */
static void test_behind_file_is_made(void **state)
{
	enum { MANY = 5000 };
	struct rig rig;

	(void)state;
	open_rig(&rig);
	found_in = &rig;
	rig.shared.several = true;
	lagging_open(&rig.daemon);
	rig.updates = take_connection(&rig);
	put_records(&rig, 1, 1);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig.commands = take_connection(&rig);
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/a.rrd", 15);
	rig.shared.offset = (struct mc_offset){ 2, 1 };
	assert_true(lagging_begin(&rig.daemon));
	put_records(&rig, 2, MANY);
	rig.daemon.backlog.limit = 4096;
	while (lagging_step(&rig.daemon, now, find) == 0)
		;
	assert_in_range(rig.daemon.deferred_size, 2048, 4096);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 0);
	rig.daemon.backlog.limit = 1 << 20;
	answer(&rig, rig.commands, "0 RRD created OK\n");
	assert_int_equal(take_all(&rig, 1), MANY + 1);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

/* When the journal cannot be read it is tried again later, although nothing
 * else happens. */
static void test_behind_unreadable(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	found_in = &rig;
	rig.shared.several = true;
	lagging_open(&rig.daemon);
	put_records(&rig, 1, 60000);
	assert_int_equal(lagging_step(&rig.daemon, now, find), INT64_MAX);
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	while (backlog_is_full(&rig.daemon.backlog))
		take_batch(&rig);
	track.failing = true;
	assert_int_equal(lagging_step(&rig.daemon, now, find), now + MC_SECOND);
	track.failing = false;
	assert_int_equal(lagging_step(&rig.daemon, now, find), 0);
	assert_true(rig.daemon.behind.active);
	close_rig(&rig);
}

/* What the journal has not kept, or never had, is counted. */
static void test_behind_too_far(void **state)
{
	enum { MANY = 100000 };
	struct rig rig;
	uint64_t first;

	(void)state;
	open_rig(&rig);
	found_in = &rig;
	rig.shared.several = true;
	lagging_open(&rig.daemon);
	put_records(&rig, 1, MANY);
	first = rig.daemon.behind.from.seq;
	rig.shared.offset = BACKLOG_NO_OFFSET;
	put(&rig, "a", MANY + 1);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 1);
	track.oldest = first + 100;
	rig.updates = take_connection(&rig);
	is_asked_pending(&rig);
	while (lagging_step(&rig.daemon, now, find) == 0)
		;
	while (rig.daemon.behind.active) {
		char text[4096];

		while (read(rig.updates, text, sizeof(text)) > 0)
			work(&rig);
		answer(&rig, rig.updates, GO "0 errors\n");
		lagging_step(&rig.daemon, now, find);
	}
	loss_report(&rig.daemon);
	assert_int_equal(lost, 1 + 100);
	assert_non_null(strstr(said, "the journal has not kept them"));
	track.oldest = 0;
	close_rig(&rig);
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
		cmocka_unit_test(test_each_series_of_a_file_counts),
		cmocka_unit_test(test_cut_connection),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_no_answer_while_more_is_sent),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_room_of_several),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_behind_file_is_made),
		cmocka_unit_test(test_behind_unreadable),
		cmocka_unit_test(test_behind_too_far),
		cmocka_unit_test(test_what_does_not_speak_it),
		cmocka_unit_test(test_answers_too_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
