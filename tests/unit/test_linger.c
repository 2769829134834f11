/* SPDX-License-Identifier: MIT */
/* A writer that has small batches handed to it as one. */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/private/stream.h>

#include "base/thread.h"
#include "engine/write/writer.h"
#include "lab.h"
#include "model/batch.h"

#define TAKEN_MAX 32768

struct sink {
	_Atomic int result; /* Of write(). */
	_Atomic unsigned writes, samples, offers;
	int64_t taken[TAKEN_MAX]; /* Only its thread's, until it is idle. */
	double rates[TAKEN_MAX];
	mc_time times[TAKEN_MAX];
	_Atomic unsigned notifications;
	char streams[128]; /* Of guest, one word for each write(). */
};

static int sink_start(struct mc_ctx *ctx)
{
	mc_linger(ctx, MC_SECOND);
	return 0;
}

static void note_stream(struct sink *sink, const struct mc_batch *batch)
{
	const struct batch_stream *stream = batch_find_stream(batch, "guest", NULL);
	size_t size = strlen(sink->streams);

	if (stream != NULL)
		snprintf(sink->streams + size, sizeof(sink->streams) - size, "%s ", stream->text);
}

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct sink *sink = ctx->self;
	int result = sink->result; /* Once: a test may change it meanwhile. */

	sink->offers++;
	if (result < 0)
		return mc_fail(ctx, -result, "told to fail");
	MC_FOR_EACH_SAMPLE (sample, batch) {
		unsigned at = sink->samples;

		assert_true(at < TAKEN_MAX);
		sink->taken[at] = sample->values[0].derive;
		sink->rates[at] = mc_rate(sample, 0);
		sink->times[at] = sample->time;
		sink->samples++;
	}
	note_stream(sink, batch);
	sink->writes++;
	return 0;
}

static int sink_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct sink *sink = ctx->self;

	(void)notification;
	sink->notifications++;
	return 0;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(const struct mc_writer){ .write = sink_write, .notify = sink_notify },
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *instance;
static struct sink *sink;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&lab, 16 << 20);
	source = engine_add(lab.engine, &source_plugin, "source");
	instance = engine_add(lab.engine, &sink_plugin, "sink");
	sink = engine_ctx(instance)->self;
	assert_int_equal(engine_start_idle(lab.engine), 0);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	sink->result = 0;
	lab_close(&lab);
	return 0;
}

/* A batch of that many samples of one series, a millisecond apart. */
static void commit(int64_t value, unsigned len)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	struct mc_series *series = mc_series(batch, MC_ID(.type = "derive"));

	for (unsigned i = 0; i < len; i++) {
		struct mc_stamp stamp = { LAB_WALL + (value + i) * MC_MILLISECOND, MC_SECOND };
		union mc_value one = { .derive = value + i };

		mc_put_at(batch, series, stamp, &one, 1);
	}
	mc_commit(batch);
}

static uint64_t queued(void)
{
	struct mc_writer_status status;

	writer_status(instance->context.writer, &status);
	assert_int_equal(status.accepted, status.delivered + status.queued + status.dropped_full +
						  status.dropped_refused + status.dropped_stop);
	return status.queued;
}

static bool drain(void)
{
	return writer_drain(instance->context.writer, thread_time() + LAB_LIMIT);
}

static void they_wait_for_each_other(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		commit(i, 1);
	clock_step(MC_SECOND / 2);
	commit(5, 2);
	assert_int_equal(sink->writes, 0);
	assert_int_equal(queued(), 7);
	while (queued() > 0)
		clock_step(MC_SECOND);
	assert_int_equal(sink->writes, 1);
	assert_int_equal(sink->samples, 7);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(sink->taken[i], i);
		assert_int_equal(sink->times[i], LAB_WALL + i * MC_MILLISECOND);
		if (i > 0)
			assert_true(fabs(sink->rates[i] - 1000) < 1e-6);
	}
}

static void who_drains_does_not_wait(void **state)
{
	(void)state;
	commit(1, 1);
	commit(2, 1);
	assert_true(drain()); /* The clock stands. */
	assert_int_equal(sink->samples, 2);
	assert_int_equal(queued(), 0);
}

static void much_does_not_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++)
		commit(1000 * i, 1000);
	while (sink->samples < 10000) /* The clock stands. */
		sched_yield();
	assert_true(sink->writes < 30);
	assert_true(drain());
	for (int i = 0; i < 30000; i++)
		assert_int_equal(sink->taken[i], i);
}

static void the_same_is_offered_again(void **state)
{
	(void)state;
	sink->result = -EAGAIN;
	commit(1, 1);
	commit(2, 1);
	while (sink->offers < 3)
		clock_step(10 * MC_SECOND);
	commit(3, 1);
	sink->result = 0;
	while (sink->writes < 1)
		clock_step(10 * MC_SECOND);
	assert_true(drain());
	assert_int_equal(sink->writes, 2);
	assert_int_equal(sink->samples, 3);
	assert_int_equal(queued(), 0);
}

static void notifications_do_not_wait(void **state)
{
	(void)state;
	commit(1, 1);
	mc_notify(engine_ctx(source), &(struct mc_notification){ .message = "hot" });
	while (sink->notifications < 1)
		sched_yield();
	assert_int_equal(sink->writes, 0);
	assert_true(drain());
}

/* A series that ends while its samples wait in a merged batch. */
static void series_live_as_long(void **state)
{
	struct mc_batch *batch;

	(void)state;
	sink->result = -EAGAIN;
	for (int i = 0; i < 2; i++) {
		batch = mc_begin(engine_ctx(source));
		mc_put_derive(batch, i, .type = "derive", .type_instance = i ? "a" : "b");
		mc_commit(batch);
	}
	while (sink->offers < 2)
		clock_step(10 * MC_SECOND);
	for (int i = 0; i < 100; i++) {
		clock_step(10 * MC_SECOND);
		engine_read_once(lab.engine); /* Sweeps, too. */
		commit(i, 1);
	}
	sink->result = 0;
	while (sink->samples < 2)
		clock_step(10 * MC_SECOND);
	assert_int_equal(sink->taken[1], 1);
	assert_true(drain());
}

/* A value of a reader, as its read puts it. */
static void commit_read(struct instance *reader, int64_t value)
{
	struct mc_batch *batch = mc_begin(engine_ctx(reader));
	struct mc_stamp stamp = { LAB_WALL + value * MC_MILLISECOND, MC_SECOND };
	union mc_value one = { .derive = value };

	batch->scheduled = true;
	mc_put_at(batch,
		  mc_series(batch,
			    MC_ID(.plugin_instance = engine_ctx(reader)->name, .type = "derive")),
		  stamp, &one, 1);
	mc_commit(batch);
}

/* Whichever reader was quicker, a merged batch has them in their order; what
 * nobody has scheduled stays where it came. */
static void readers_are_in_order(void **state)
{
	static const int64_t expected[] = { 1, 2, 3, 100, 30, 200, 20 };

	(void)state;
	commit_read(instance, 3); /* The sink is younger than the source. */
	commit_read(source, 1);
	commit_read(source, 2);
	commit(100, 1);
	commit_read(instance, 30);
	commit(200, 1);
	commit_read(source, 20);
	assert_true(drain());
	assert_int_equal(sink->writes, 1);
	assert_int_equal(sink->samples, 7);
	for (int i = 0; i < 7; i++)
		assert_int_equal(sink->taken[i], expected[i]);
}

static void commit_stream(int64_t value, const char *stream)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	struct mc_stamp stamp = { LAB_WALL + value * MC_MILLISECOND, MC_SECOND };
	union mc_value one = { .derive = value };

	mc_set_stream(batch, "before", "other");
	mc_set_stream(batch, "guest", stream);
	mc_put_at(batch, mc_series(batch, MC_ID(.host = "guest", .type = "derive")), stamp, &one,
		  1);
	mc_commit(batch);
}

/* A batch is of one process of a guest. */
static void streams_stay_apart(void **state)
{
	(void)state;
	commit(1, 1);
	commit_stream(2, "a");
	commit_stream(3, "a");
	commit_stream(4, "b");
	commit(5, 1);
	while (queued() > 0)
		clock_step(MC_SECOND);
	assert_int_equal(sink->samples, 5);
	assert_int_equal(sink->writes, 2);
	assert_string_equal(sink->streams, "a b ");
}

static void a_stop_does_not_wait(void **state)
{
	(void)state;
	commit(1, 1);
	commit(2, 1);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(sink->samples, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(they_wait_for_each_other),  TEST(who_drains_does_not_wait),
		TEST(much_does_not_wait),        TEST(the_same_is_offered_again),
		TEST(notifications_do_not_wait), TEST(series_live_as_long),
		TEST(readers_are_in_order),      TEST(a_stop_does_not_wait),
		TEST(streams_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
