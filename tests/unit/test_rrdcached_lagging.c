/* SPDX-License-Identifier: MIT */
/* Updates that are left in the journal, and what comes of them. */
#include "rrdcached_rig.h"

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
		while ((got = read(rig->updates, text + size, sizeof(text) - 1 - size)) > 0) {
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
			assert_int_equal(strtoul(line + strlen("UPDATE /d/a.rrd "), NULL, 10),
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
	daemon_tell_safe(&rig.daemon);
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
	daemon_tell_safe(&rig.daemon);
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

/* A rrdcached that was asked for a file that is not there, and cannot make it
 * either; all that comes for it then. */
static void refuse_file(struct rig *rig, unsigned len)
{
	open_rig(rig);
	found_in = rig;
	lagging_open(&rig->daemon);
	rig->updates = take_connection(rig);
	put_records(rig, 1, 1);
	heard(rig, rig->updates);
	answer(rig, rig->updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig->commands = take_connection(rig);
	assert_memory_equal(heard(rig, rig->commands), "CREATE /d/a.rrd", 15);
	answer(rig, rig->commands, "-1 opening '/d/a.rrd': Permission denied\n");
	rig->daemon.backlog.limit = 4096;
	put_records(rig, 2, len);
}

/* What waits for a file that cannot be made stays in the journal, as far as the memory has no room
 * for it; other files go on, and it comes when it is made, in its order. */
static void test_file_cannot_be_made(void **state)
{
	enum { MANY = 5000 };
	struct rig rig;

	(void)state;
	refuse_file(&rig, MANY);
	assert_in_range(rig.daemon.deferred_size, 2048, 4096);
	assert_int_equal(daemon_waiting(&rig.daemon), MANY);
	assert_non_null(strstr(daemon_failure(&rig.daemon), "cannot make '/d/a.rrd'"));
	while (lagging_step(&rig.daemon, now, find) == 0)
		;
	put(&rig, "b", 7);
	assert_string_equal(heard(&rig, rig.updates), "BATCH\nUPDATE /d/b.rrd 7:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	daemon_tell_safe(&rig.daemon);
	assert_int_equal(track.safe, 1);
	/* Nor after the first look at what the journal has. */
	assert_int_equal(daemon_waiting(&rig.daemon), MANY);
	now += 10 * MC_SECOND;
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/a.rrd", 15);
	rig.daemon.backlog.limit = 1 << 20;
	answer(&rig, rig.commands, "0 RRD created OK\n");
	put_records(&rig, MANY + 1, MANY + 10);
	assert_int_equal(take_all(&rig, 1), MANY + 11);
	assert_false(rig.daemon.behind.active);
	assert_string_equal(daemon_failure(&rig.daemon), "");
	assert_int_equal(daemon_waiting(&rig.daemon), 0);
	loss_report(&rig.daemon);
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 0);
}

/* What the quota takes of it meanwhile is counted soon, and not waited for. */
static void test_quota_takes_what_cannot_be_made(void **state)
{
	enum { MANY = 5000, GONE = 3000 };
	struct rig rig;
	uint64_t first;

	(void)state;
	refuse_file(&rig, MANY);
	while (lagging_step(&rig.daemon, now, find) == 0)
		;
	first = rig.daemon.behind.left.seq;
	track.oldest = first + GONE;
	now += 601 * MC_SECOND;
	while (lagging_step(&rig.daemon, now, find) == 0)
		;
	assert_int_equal(lost, GONE);
	assert_int_equal(daemon_waiting(&rig.daemon), MANY - GONE);
	assert_non_null(strstr(said, "the journal has not kept them"));
	track.oldest = 0;
	assert_int_equal(close_rig(&rig), MANY - GONE);
}

/* A path that can be no file's stops nothing: its values are lost. */
static void test_file_can_never_be_made(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig.commands = take_connection(&rig);
	heard(&rig, rig.commands);
	answer(&rig, rig.commands, "-1 opening '/d/a.rrd': Is a directory\n");
	assert_int_equal(lost, 1);
	assert_int_equal(daemon_waiting(&rig.daemon), 0);
	assert_string_equal(daemon_failure(&rig.daemon), "");
	assert_int_equal(close_rig(&rig), 0);
}

/* When the journal cannot be read it is tried again later, although nothing else happens. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_behind_file_is_made),
		cmocka_unit_test(test_file_cannot_be_made),
		cmocka_unit_test(test_quota_takes_what_cannot_be_made),
		cmocka_unit_test(test_file_can_never_be_made),
		cmocka_unit_test(test_behind_unreadable),
		cmocka_unit_test(test_behind_too_far),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
