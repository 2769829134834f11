/* SPDX-License-Identifier: MIT */
/* The result of mc_commit_safely() for a batch without a newer sample: that of the batch with the
 * newest one. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"

static _Atomic unsigned taken;

static int take(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	(void)ctx;
	MC_FOR_EACH_SAMPLE (sample, batch)
		taken += sample->series != NULL;
	return 0;
}

static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.writer = &(const struct mc_writer){ .write = take, .durable = true },
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *durable;

static int open_lab(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_BATCH, 1 << 20, 0 };

	if (journal_enter(state) != 0)
		return -1;
	lab_open_with(&lab, 1 << 20, &settings);
	source = engine_add(lab.engine, &source_plugin, "source");
	durable = engine_add(lab.engine, &durable_plugin, "durable");
	taken = 0;
	return engine_start(lab.engine) == 0 ? 0 : -1;
}

static int close_lab(void **state)
{
	lab_close(&lab);
	return journal_leave(state);
}

/* Commits a sample of that time, in seconds.  Its series does not end while the clock steps: what
 * comes again after that would be new. */
static int commit(int second)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	struct mc_stamp stamp = { LAB_WALL + second * MC_SECOND, 60 * MC_SECOND };

	mc_put_at(batch, mc_series(batch, MC_ID(.type = "derive")), stamp,
		  &(union mc_value){ .derive = second }, 1);
	return mc_commit_safely(batch, LAB_LIMIT);
}

/* Commits derives of some seconds, each with its value, and counts what is not
 * taken; of another batch of the same there is nothing more to count. */
static struct mc_rejected commit_counted(const int (*rows)[2], size_t len)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	struct mc_rejected rejected;

	mc_count_rejected(batch, &rejected);
	for (size_t i = 0; i < len; i++)
		mc_put_at(batch, mc_series(batch, MC_ID(.type = "derive")),
			  (struct mc_stamp){ LAB_WALL + rows[i][0] * MC_SECOND, MC_SECOND },
			  &(union mc_value){ .derive = rows[i][1] }, 1);
	assert_int_equal(mc_commit_safely(batch, LAB_LIMIT), 0);
	return rejected;
}

static void who_commits_learns_what_was_not_taken(void **state)
{
	static const int first[][2] = { { 5, 5 }, { 6, 6 } };
	static const int late[][2] = { { 6, 6 }, { 4, 4 }, { 7, 7 }, { 5, 5 } };
	static const int other[][2] = { { 7, 8 } };
	static const int ahead[][2] = { { 90000, 8 } };
	struct mc_rejected rejected;

	(void)state;
	assert_int_equal(commit_counted(first, 2).samples, 0);
	rejected = commit_counted(late, 4); /* The first is a repetition. */
	assert_int_equal(rejected.samples, 2);
	assert_string_equal(rejected.why, "is older than the last");
	assert_string_equal(strchr(rejected.series, '/'), "/source/derive");
	rejected = commit_counted(other, 1);
	assert_int_equal(rejected.samples, 1);
	assert_string_equal(rejected.why, "has the time of the last and another value");
	rejected = commit_counted(ahead, 1);
	assert_int_equal(rejected.samples, 1);
	assert_string_equal(rejected.why, "is more than a day ahead");
}

static uint64_t count_records(void)
{
	struct journal_writer_status status;

	journal_writer_count(lab.engine->journal_writer, &status);
	return status.journal.end.seq - 1;
}

static void what_comes_again_is_as_safe_as_it_was(void **state)
{
	(void)state;
	assert_int_equal(commit(1), 0);
	assert_int_equal(commit(1), 0);
	assert_int_equal(count_records(), 1);
}

/* No file may grow: as a disk that is full. */
static void what_was_not_written_is_not_safe_when_it_comes_again(void **state)
{
	struct mc_writer_status ledger;
	struct rlimit usual, none;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
	none = usual;
	none.rlim_cur = 0;
	assert_int_equal(commit(1), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	for (int i = 0; i < 3; i++, clock_step(2 * MC_SECOND))
		assert_int_equal(commit(2), -EIO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
	assert_int_equal(commit(2), 0); /* Nothing else has to come first. */
	assert_int_equal(commit(3), 0);
	assert_true(engine_drain(lab.engine, LAB_LIMIT));
	writer_status(durable->context.writer, &ledger);
	assert_int_equal(ledger.accepted, 3);
	assert_int_equal(ledger.delivered, 3);
	assert_int_equal(taken, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_comes_again_is_as_safe_as_it_was),
		TEST(who_commits_learns_what_was_not_taken),
		TEST(what_was_not_written_is_not_safe_when_it_comes_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
