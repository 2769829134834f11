/* SPDX-License-Identifier: MIT */
/* An instance that does not start leaves its place to the one before. */
#include "unit.h"

#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <sched.h>

#include "base/thread.h"
#include "engine/read/scheduler.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"

#define TAKEN_MAX 100

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned calls; /* Of write(). */
	int64_t taken[TAKEN_MAX];
	size_t taken_len;
	_Atomic int told;         /* What write() returns. */
	_Atomic unsigned starts;  /* Calls of start(), ... */
	_Atomic unsigned refused; /* ... as many of which fail next. */
	_Atomic unsigned stops, reads;
} seen = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static int start(struct mc_ctx *ctx)
{
	seen.starts++;
	if (seen.refused == 0)
		return 0;
	seen.refused--;
	return mc_fail(ctx, EADDRINUSE, "cannot listen");
}

static void stop(struct mc_ctx *ctx)
{
	(void)ctx;
	seen.stops++;
}

static int take(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	int told = seen.told;

	(void)ctx;
	pthread_mutex_lock(&seen.lock);
	seen.calls++;
	pthread_cond_broadcast(&seen.change);
	MC_FOR_EACH_SAMPLE (sample, batch)
		if (told == 0)
			seen.taken[seen.taken_len++] = sample->values[0].derive;
	pthread_mutex_unlock(&seen.lock);
	return told;
}

static int read_one(struct mc_ctx *ctx, struct mc_batch *out)
{
	(void)ctx;
	seen.reads++;
	mc_put_gauge(out, 1, .type = "gauge");
	return 0;
}

static const struct mc_plugin sink_plugin = {
	MC_NAMED(sink),
	.start = start,
	.writer = &(const struct mc_writer){ .write = take },
	.stop = stop,
};
static const struct mc_plugin durable_plugin = {
	MC_NAMED(durable),
	.start = start,
	.writer = &(const struct mc_writer){ .write = take, .durable = true },
	.stop = stop,
	.wants_journal = true,
};
static const struct mc_plugin reader_plugin = { MC_NAMED(reader), .start = start, .read = read_one,
						.stop = stop };
static const struct mc_plugin source_plugin = { MC_NAMED(source) };

static struct lab lab;
static struct instance *source, *here;

static void open_with(const struct journal_settings *journal)
{
	lab_open_with(&lab, 1 << 20, journal);
	source = engine_add(lab.engine, &source_plugin, "source");
	seen.told = 0;
	seen.calls = seen.taken_len = 0;
	seen.starts = seen.refused = seen.stops = seen.reads = 0;
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
	return seen.stops == seen.starts ? 0 : -1;
}

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
	lab_close(&lab);
	return seen.stops == seen.starts ? journal_leave(state) : -1;
}

static void start_with(const struct mc_plugin *plugin)
{
	here = engine_add(lab.engine, plugin, plugin->name);
	assert_int_equal(engine_start(lab.engine), 0);
}

/* Another one takes the place of 'here', or does not start; then there is one
 * that does as it did.  Returns how many have not started. */
static unsigned replace(void)
{
	const struct mc_plugin *plugin = engine_plugin(here);
	struct instance *next = engine_prepare(lab.engine, plugin, plugin->name);
	struct instance *again = engine_prepare(lab.engine, plugin, plugin->name);
	struct instance *joining = next, *fallback = again;
	struct engine_change change = { &here, &joining, 1, 1, &fallback };
	unsigned failed;

	assert_null(engine_objection(lab.engine, &change));
	failed = engine_change(lab.engine, &change, LAB_LIMIT);
	if (failed == 0) {
		assert_ptr_equal(joining, next);
		assert_ptr_equal(fallback, again);
		engine_drop(again);
	} else {
		assert_ptr_equal(joining, again);
		assert_null(fallback);
	}
	here = joining;
	return failed;
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

static void wait_for_a_call(void)
{
	pthread_mutex_lock(&seen.lock);
	while (seen.calls == 0)
		pthread_cond_wait(&seen.change, &seen.lock);
	pthread_mutex_unlock(&seen.lock);
}

static void expect_taken(int64_t len)
{
	struct mc_writer_status status;

	lab_drain(&lab);
	assert_int_equal(seen.taken_len, len);
	for (int64_t i = 0; i < len; i++)
		assert_int_equal(seen.taken[i], i);
	writer_status(here->context.writer, &status);
	assert_int_equal(status.accepted, len);
	assert_int_equal(status.delivered, len);
	assert_int_equal(status.queued, 0);
}

/* --- Tests ------------------------------------------------------------ */

static void who_starts_needs_no_fallback(void **state)
{
	(void)state;
	start_with(&sink_plugin);
	put(0, 5);
	assert_int_equal(replace(), 0);
	put(5, 5);
	expect_taken(10);
	assert_int_equal(seen.starts, 2);
	assert_null(strstr(lab.log, "old settings"));
}

static void who_does_not_start_is_replaced(void **state)
{
	(void)state;
	start_with(&sink_plugin);
	put(0, 5);
	seen.refused = 1;
	assert_int_equal(replace(), 1);
	assert_true(engine_has_started(here));
	put(5, 5);
	expect_taken(10);
	assert_int_equal(seen.starts, 3);
	assert_int_equal(seen.stops, 2);
	assert_non_null(strstr(lab.log, "sink: cannot listen: "));
	assert_non_null(strstr(lab.log, "sink: goes on with its old settings\n"));
	/* Once more, from there. */
	assert_int_equal(replace(), 0);
	put(10, 5);
	expect_taken(15);
}

/* What was not written is written by it. */
static void the_fallback_has_all_that_waited(void **state)
{
	(void)state;
	start_with(&sink_plugin);
	seen.told = -EAGAIN;
	put(0, 5);
	wait_for_a_call();
	seen.refused = 1;
	assert_int_equal(replace(), 1);
	seen.told = 0;
	put(5, 1);
	expect_taken(6);
}

static void a_durable_one_goes_on_at_its_place(void **state)
{
	(void)state;
	start_with(&durable_plugin);
	put(0, 5);
	lab_drain(&lab);
	seen.told = -EAGAIN;
	pthread_mutex_lock(&seen.lock);
	seen.calls = 0;
	pthread_mutex_unlock(&seen.lock);
	put(5, 5);
	wait_for_a_call();
	seen.refused = 1;
	assert_int_equal(replace(), 1);
	seen.told = 0;
	put(10, 5);
	expect_taken(15);
}

static void a_reader_keeps_its_grid(void **state)
{
	mc_time due;

	(void)state;
	start_with(&reader_plugin);
	lab_settle(&lab, 0);
	clock_step(2 * LAB_INTERVAL); /* The first read was not on the grid. */
	lab_settle(&lab, 0);
	due = here->reading.due;
	seen.reads = 0;
	seen.refused = 1;
	assert_int_equal(replace(), 1);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, 0);
	assert_int_equal(here->reading.due, due);
	clock_step(LAB_INTERVAL);
	lab_settle(&lab, 0);
	assert_int_equal(seen.reads, 1);
}

/* What was meant for it is lost then, and counted. */
static void a_fallback_that_does_not_start_is_the_end(void **state)
{
	struct mc_writer_status status;

	(void)state;
	start_with(&sink_plugin);
	seen.told = -EAGAIN;
	put(0, 5);
	wait_for_a_call();
	seen.refused = 2;
	assert_int_equal(replace(), 1);
	assert_false(engine_has_started(here));
	assert_null(strstr(lab.log, "old settings"));
	writer_status(here->context.writer, &status);
	assert_int_equal(status.accepted, 5);
	assert_int_equal(status.dropped_stop, 5);
	seen.told = 0;
	assert_int_equal(replace(), 0);
	put(5, 5);
	lab_drain(&lab);
	assert_int_equal(seen.taken_len, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_starts_needs_no_fallback),
		TEST(who_does_not_start_is_replaced),
		TEST(the_fallback_has_all_that_waited),
		cmocka_unit_test_setup_teardown(a_durable_one_goes_on_at_its_place, open_journal,
						close_journal),
		TEST(a_reader_keeps_its_grid),
		TEST(a_fallback_that_does_not_start_is_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
