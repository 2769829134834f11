/* SPDX-License-Identifier: MIT */
/* Instances that join and leave while the engine runs. */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/thread.h"
#include "engine/read/scheduler.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"

#define TAKEN_MAX 1000

/* What all writers were given, whichever instance they were; and what was asked of the others. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	const void *hang; /* write() of that instance never returns. */
	_Atomic int told; /* What write() returns. */
	unsigned calls;
	int64_t taken[TAKEN_MAX];
	size_t taken_len;
	_Atomic unsigned starts, stops, forgotten, reads;
} seen = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static int count_start(struct mc_ctx *ctx)
{
	(void)ctx;
	seen.starts++;
	return 0;
}

static void count_stop(struct mc_ctx *ctx)
{
	(void)ctx;
	seen.stops++;
}

static int take(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	int told;

	pthread_mutex_lock(&seen.lock);
	seen.calls++;
	pthread_cond_broadcast(&seen.change);
	while (seen.hang == ctx->self)
		pthread_cond_wait(&seen.change, &seen.lock);
	told = seen.told;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);

		if (*slot == NULL)
			*slot = ctx->self;
		assert_ptr_equal(*slot, ctx->self);
		if (told == 0)
			seen.taken[seen.taken_len++] = sample->values[0].derive;
	}
	pthread_mutex_unlock(&seen.lock);
	return told;
}

static void forget(struct mc_ctx *ctx, void *slot)
{
	assert_ptr_equal(slot, ctx->self);
	seen.forgotten++;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.self_size = 1,
	.start = count_start,
	.writer = &(const struct mc_writer){ .write = take, .forget = forget },
	.stop = count_stop,
};
static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.self_size = 1,
	.start = count_start,
	.writer = &(const struct mc_writer){ .write = take, .forget = forget, .durable = true },
	.stop = count_stop,
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static int read_one(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;

	assert_true(mc_read_file(ctx, "/proc/stat", &text) > 0);
	seen.reads++;
	mc_put_gauge(out, 1, .type = "gauge");
	return 0;
}

static const struct mc_plugin reader_plugin = {
	.api = MC_API, .name = "reader", .start = count_start, .read = read_one, .stop = count_stop
};

static struct lab lab;
static struct instance *source;

static void open_with(const struct journal_settings *journal)
{
	lab_open_with(&lab, 1 << 20, journal);
	source = engine_add(lab.engine, &source_plugin, "source");
	seen.told = 0;
	seen.calls = seen.taken_len = 0;
	seen.starts = seen.stops = seen.forgotten = seen.reads = 0;
}

static int open_lab(void **state)
{
	(void)state;
	open_with(NULL);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

/* Starts all that was added, the scheduler too. */
static struct instance *start_with(const struct mc_plugin *plugin)
{
	struct instance *one = engine_add(lab.engine, plugin, plugin->name);

	assert_int_equal(engine_start(lab.engine), 0);
	return one;
}

static void put(int64_t first, int64_t len)
{
	for (int64_t i = first; i < first + len; i++) {
		struct mc_batch *batch;

		clock_step(10 * MC_MILLISECOND);
		batch = mc_begin(engine_ctx(source));
		mc_put_derive(batch, i, .type = "derive");
		mc_commit(batch);
	}
}

/* One leaves, or none, and one joins, or none. */
static struct instance *change(struct instance *leaving, const struct mc_plugin *joining)
{
	struct instance *one = NULL;
	struct engine_change change = { .leaving = &leaving, .joining = &one };

	change.leaving_len = leaving != NULL;
	if (joining != NULL)
		one = engine_prepare(lab.engine, joining, joining->name);
	change.joining_len = one != NULL;
	assert_null(engine_objection(lab.engine, &change));
	assert_int_equal(engine_change(lab.engine, &change, lab.hangs ? MC_SECOND : LAB_LIMIT), 0);
	return one;
}

static void expect_taken(int64_t len)
{
	assert_int_equal(seen.taken_len, len);
	for (int64_t i = 0; i < len; i++)
		assert_int_equal(seen.taken[i], i);
}

/* Its figures are those of all who had its name. */
static void expect_ledger(struct instance *instance, uint64_t delivered)
{
	struct mc_writer_status status;

	writer_status(instance->context.writer, &status);
	assert_int_equal(status.delivered, delivered);
	assert_int_equal(status.accepted, delivered);
	assert_int_equal(status.queued, 0);
	assert_int_equal(status.queued_bytes, 0);
}

static void wait_for_calls(unsigned calls)
{
	pthread_mutex_lock(&seen.lock);
	while (seen.calls < calls)
		pthread_cond_wait(&seen.change, &seen.lock);
	pthread_mutex_unlock(&seen.lock);
}

/* --- Writers ---------------------------------------------------------- */

static void what_one_writer_has_not_written_the_next_one_does(void **state)
{
	struct instance *sink = start_with(&sink_plugin);

	(void)state;
	seen.told = -EAGAIN;
	put(0, 5);
	wait_for_calls(1);
	sink = change(sink, &sink_plugin);
	put(5, 5);
	assert_int_equal(seen.taken_len, 0);
	sink = change(sink, &sink_plugin); /* Once more. */
	seen.told = 0;
	lab_drain(&lab);
	expect_taken(10);
	assert_int_equal(seen.starts, 3);
	assert_int_equal(seen.stops, 2);
}

static void what_is_written_is_not_written_again(void **state)
{
	struct instance *sink = start_with(&sink_plugin);

	(void)state;
	for (int round = 0; round < 20; round++) {
		put(5 * round, 5);
		sink = change(sink, &sink_plugin);
	}
	lab_drain(&lab);
	expect_taken(100);
	expect_ledger(sink, 100);
}

static void a_series_carries_nothing_of_a_writer_that_is_gone(void **state)
{
	struct instance *sink = start_with(&sink_plugin);

	(void)state;
	put(0, 1);
	lab_drain(&lab);
	sink = change(sink, &sink_plugin);
	assert_int_equal(seen.forgotten, 1);
	put(1, 1); /* Fails if a pointer of the first is still there. */
	lab_drain(&lab);
	change(sink, NULL);
	assert_int_equal(seen.forgotten, 2);
	put(2, 1);
	assert_int_equal(seen.taken_len, 2);
}

static int ask_for_all(struct mc_ctx *ctx)
{
	mc_subscribe(ctx, true);
	return count_start(ctx);
}

static const struct mc_plugin asking_plugin = {
	.api = MC_API,
	.name = "asking",
	.self_size = 1,
	.start = ask_for_all,
	.writer = &(const struct mc_writer){ .write = take, .forget = forget, .on_request = true },
	.stop = count_stop,
};
static const struct mc_plugin quiet_plugin = {
	.api = MC_API,
	.name = "quiet",
	.self_size = 1,
	.writer = &(const struct mc_writer){ .write = take, .forget = forget, .on_request = true },
};

static void one_that_asks_for_batches_misses_none(void **state)
{
	struct instance *asking = start_with(&asking_plugin);

	(void)state;
	seen.told = -EAGAIN;
	put(0, 5);
	wait_for_calls(1);
	asking = change(asking, &asking_plugin);
	seen.told = 0;
	put(5, 5);
	lab_drain(&lab);
	expect_taken(10);
	expect_ledger(asking, 10);
}

/* The one before was asked by a client that is gone. */
static void one_that_does_not_ask_gets_none(void **state)
{
	struct instance *quiet = start_with(&quiet_plugin);

	(void)state;
	mc_subscribe(engine_ctx(quiet), true);
	seen.told = -EAGAIN;
	put(0, 5);
	wait_for_calls(1);
	quiet = change(quiet, &quiet_plugin);
	seen.told = 0;
	put(5, 5);
	lab_drain(&lab);
	expect_taken(0);
	expect_ledger(quiet, 0);
}

static void a_write_that_hangs_is_left_behind(void **state)
{
	struct instance *sink = start_with(&sink_plugin);

	(void)state;
	seen.hang = engine_ctx(sink)->self;
	lab.hangs = true;
	put(0, 1);
	wait_for_calls(1);
	put(1, 4);
	change(sink, &sink_plugin);
	assert_non_null(strstr(lab.log, "sink: a write does not end, it is "
					"left behind"));
	lab_drain(&lab);
	assert_int_equal(seen.taken_len, 4); /* One is with the hanging writer. */
	assert_false(engine_stop(lab.engine, MC_SECOND));
}

static void writers_beyond_the_room_for_them_are_an_objection(void **state)
{
	struct instance *all[ENGINE_FREE_SLOTS + 1];
	struct engine_change change = { .joining = all };
	const char *names[] = { "sink.a", "sink.b", "sink.c" };

	(void)state;
	start_with(&sink_plugin);
	for (unsigned i = 0; i <= ENGINE_FREE_SLOTS; i++)
		all[i] = engine_prepare(lab.engine, &sink_plugin, names[i]);
	change.joining_len = ENGINE_FREE_SLOTS + 1;
	assert_non_null(engine_objection(lab.engine, &change));
	engine_drop(all[ENGINE_FREE_SLOTS]);
	change.joining_len = ENGINE_FREE_SLOTS;
	assert_null(engine_objection(lab.engine, &change));
	assert_int_equal(engine_change(lab.engine, &change, LAB_LIMIT), 0);
	put(0, 1);
	lab_drain(&lab);
	assert_int_equal(seen.taken_len, ENGINE_FREE_SLOTS + 1);
}

/* --- Durable writers -------------------------------------------------- */

static int open_journal(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_OFF, 1 << 20, 0 };

	if (journal_enter(state) != 0)
		return -1;
	open_with(&settings);
	return 0;
}

static int close_journal(void **state)
{
	close_lab(state);
	return journal_leave(state);
}

static void a_durable_writer_goes_on_at_its_place(void **state)
{
	struct instance *durable = start_with(&durable_plugin);

	(void)state;
	for (int round = 0; round < 10; round++) {
		seen.told = round % 2 == 0 ? 0 : -EAGAIN;
		put(10 * round, 10);
		durable = change(durable, &durable_plugin);
	}
	seen.told = 0;
	lab_drain(&lab);
	expect_taken(100);
	expect_ledger(durable, 100);
}

/* Its cursor stays where it is; a returning writer begins there. */
static void one_that_comes_back_gets_what_is_still_there(void **state)
{
	struct instance *durable = start_with(&durable_plugin);

	(void)state;
	put(0, 3);
	lab_drain(&lab);
	change(durable, NULL);
	put(3, 3); /* Nobody is there to get it. */
	lab_drain(&lab);
	change(NULL, &durable_plugin);
	put(6, 3);
	lab_drain(&lab);
	assert_int_equal(seen.taken[seen.taken_len - 1], 8);
	assert_in_range(seen.taken_len, 6, 9);
}

static const struct mc_plugin late_plugin = {
	.api = MC_API,
	.name = "late",
	.self_size = 1,
	.writer = &(const struct mc_writer){ .write = take, .forget = forget, .durable = true },
};

/* It began without a journal. */
static void who_would_need_a_restart_is_told(void **state)
{
	(void)state;
	start_with(&late_plugin);
	assert_null(lab.engine->journal_writer);
	change(NULL, &durable_plugin);
	assert_non_null(lab.engine->journal_writer);
	assert_non_null(strstr(lab.log, "late: needs a restart to take from "
					"the journal"));
	put(0, 1);
	lab_drain(&lab);
	assert_int_equal(seen.taken_len, 2);
}

static void the_journal_begins_with_the_first_who_needs_it(void **state)
{
	(void)state;
	start_with(&sink_plugin);
	assert_null(lab.engine->journal_writer);
	put(0, 1);
	lab_drain(&lab);
	change(NULL, &durable_plugin);
	assert_non_null(lab.engine->journal_writer);
	put(1, 1);
	lab_drain(&lab);
	assert_int_equal(seen.taken_len, 3);
}

/* --- Readers ---------------------------------------------------------- */

static void readers_come_and_go_and_keep_the_grid(void **state)
{
	struct instance *reader = start_with(&reader_plugin);
	unsigned reads;
	mc_time due;

	(void)state;
	lab_settle(&lab, 0);
	clock_step(2 * LAB_INTERVAL); /* The first read was not on the grid. */
	lab_settle(&lab, 0);
	reads = seen.reads;
	due = reader->reading.due;
	reader = change(reader, &reader_plugin);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, reads); /* Only when it is due. */
	assert_int_equal(reader->reading.due, due);
	clock_step(LAB_INTERVAL);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, reads + 1);
	change(reader, NULL);
	clock_step(LAB_INTERVAL);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, reads + 1);
	change(NULL, &reader_plugin);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, reads + 2); /* A new one at once. */
	assert_int_equal(seen.stops, 2);
}

static int read_until_stop(struct mc_ctx *ctx, struct mc_batch *out)
{
	(void)out;
	seen.reads++;
	while (!mc_stopping(ctx))
		sched_yield();
	return 0;
}

static const struct mc_plugin patient_plugin = {
	.api = MC_API, .name = "patient", .read = read_until_stop, .stop = count_stop
};

/* What takes long is given up when the one who does it leaves. */
static void a_read_can_know_that_it_is_to_end(void **state)
{
	struct instance *patient = start_with(&patient_plugin);

	(void)state;
	while (seen.reads == 0)
		sched_yield();
	assert_false(mc_stopping(engine_ctx(patient)));
	change(patient, NULL);
	assert_int_equal(seen.stops, 1);
	assert_null(strstr(lab.log, "left behind"));
	assert_null(lab.engine->left_behind);
}

static bool check_maker(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	(void)argument;
	(void)series;
	assert_string_equal(latest->made_by, "reader");
	return true;
}

static void values_outlive_who_made_them(void **state)
{
	struct instance *reader = start_with(&reader_plugin);

	(void)state;
	lab_settle(&lab, 0);
	change(reader, NULL);
	engine_tidy(lab.engine);
	assert_null(lab.engine->retiring);
	assert_int_equal(mc_each_series(engine_ctx(source), "*/reader/*", check_maker, NULL), 1);
}

/* A batch knows its maker as long as it lives, which may be hours in the queue
 * of a writer that cannot deliver; so that keeps nothing open. */
static void who_is_known_to_a_batch_is_kept(void **state)
{
	struct instance *reader = start_with(&reader_plugin);
	struct mc_batch *batch;

	(void)state;
	lab_settle(&lab, 0);
	batch = mc_begin(engine_ctx(reader));
	assert_non_null(reader->reading.files);
	change(reader, NULL);
	engine_tidy(lab.engine);
	assert_null(reader->reading.files);
	assert_ptr_equal(lab.engine->retiring, reader);
	mc_discard(batch);
	engine_tidy(lab.engine);
	assert_null(lab.engine->retiring);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, open_journal, close_journal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_one_writer_has_not_written_the_next_one_does),
		TEST(what_is_written_is_not_written_again),
		TEST(a_series_carries_nothing_of_a_writer_that_is_gone),
		TEST(one_that_asks_for_batches_misses_none),
		TEST(one_that_does_not_ask_gets_none),
		TEST(writers_beyond_the_room_for_them_are_an_objection),
		JOURNAL_TEST(a_durable_writer_goes_on_at_its_place),
		JOURNAL_TEST(one_that_comes_back_gets_what_is_still_there),
		JOURNAL_TEST(who_would_need_a_restart_is_told),
		JOURNAL_TEST(the_journal_begins_with_the_first_who_needs_it),
		TEST(readers_come_and_go_and_keep_the_grid),
		TEST(a_read_can_know_that_it_is_to_end),
		TEST(values_outlive_who_made_them),
		TEST(who_is_known_to_a_batch_is_kept),
		/* The last: its engine is never freed. */
		TEST(a_write_that_hangs_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
