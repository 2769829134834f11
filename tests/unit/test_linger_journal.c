/* SPDX-License-Identifier: MIT */
/* A writer that has records of the journal handed to it as one batch. */
#include "unit.h"

#include <errno.h>

#include <collector/private/stream.h>
#include <collector/writer.h>

#include "base/thread.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"
#include "model/batch.h"

#define ROOM ((uint64_t)1 << 20)
#define QUEUE ((size_t)64 << 10) /* Some 25 batches. */

struct sink {
	_Atomic int result;     /* Of write(). */
	_Atomic unsigned taken; /* Batches. */
	int64_t next;           /* The value that is to come. */
	char streams[64];       /* Of guest, a word for each change. */
};

static int sink_start(struct mc_ctx *ctx)
{
	mc_linger(ctx, MC_MILLISECOND);
	return 0;
}

static void note_stream(struct sink *sink, const struct mc_batch *batch)
{
	const struct batch_stream *stream = batch_find_stream(batch, "guest", NULL);
	size_t size = strlen(sink->streams);
	char word[32];

	if (stream == NULL)
		return;
	snprintf(word, sizeof(word), "%s ", stream->text);
	if (size < strlen(word) || strcmp(sink->streams + size - strlen(word), word) != 0)
		snprintf(sink->streams + size, sizeof(sink->streams) - size, "%s", word);
}

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct sink *sink = ctx->self;

	if (sink->result < 0)
		return sink->result;
	MC_FOR_EACH_SAMPLE (sample, batch)
		assert_int_equal(sample->values[0].derive, sink->next++);
	sink->taken++;
	note_stream(sink, batch);
	return 0;
}

static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(const struct mc_writer){ .write = sink_write, .durable = true },
	.wants_journal = true,
};
static const struct mc_plugin repeatable_plugin = {
	.api = MC_API,
	.name = "repeatable",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(
		const struct mc_writer){ .write = sink_write, .durable = true, .repeatable = true },
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *writer;
static struct sink *sink;

static void open_lab(const struct mc_plugin *plugin, int64_t next)
{
	struct journal_settings settings = { FOLDER, JOURNAL_SYNC_BATCH, ROOM, 0 };

	lab_open_with(&lab, QUEUE, &settings);
	source = engine_add(lab.engine, &source_plugin, "source");
	writer = engine_add(lab.engine, plugin, "writer");
	sink = engine_ctx(writer)->self;
	sink->next = next;
	assert_int_equal(engine_start_idle(lab.engine), 0);
}

/* Values that the writer does not take: each is a record. */
static void leave_values(int64_t first, int64_t len)
{
	sink->result = -EAGAIN;
	for (int64_t i = first; i < first + len; i++) {
		struct mc_batch *batch;

		clock_step(10 * MC_MILLISECOND);
		batch = mc_begin(engine_ctx(source));
		mc_put_derive(batch, i, .type = "derive");
		mc_commit(batch);
		assert_true(journal_writer_drain(lab.engine->journal_writer,
						 thread_time() + LAB_LIMIT));
	}
}

static void check_delivered(int64_t first, int64_t len, unsigned least, unsigned most)
{
	struct mc_writer_status status;

	assert_true(engine_drain(lab.engine, LAB_LIMIT));
	writer_status(writer->context.writer, &status);
	assert_int_equal(status.delivered, len);
	assert_int_equal(status.queued, 0);
	assert_int_equal(sink->next, first + len);
	assert_in_range(sink->taken, least, most);
}

static void records_that_wait_are_one_batch(void **state)
{
	(void)state;
	open_lab(&durable_plugin, 0);
	leave_values(0, 300);
	sink->result = 0;
	while (sink->taken == 0)
		clock_step(10 * MC_SECOND);
	check_delivered(0, 300, 1, 5);
	lab_close(&lab);

	open_lab(&durable_plugin, 300); /* The cursor has come to the end. */
	check_delivered(300, 0, 0, 0);
	lab_close(&lab);
}

/* The receiver may know some of them. */
static void records_of_before_stay_alone(void **state)
{
	(void)state;
	open_lab(&durable_plugin, 0);
	leave_values(0, 100);
	lab_close(&lab);
	open_lab(&durable_plugin, 0);
	check_delivered(0, 100, 100, 100);
	lab_close(&lab);
}

static void but_not_of_one_that_is_repeatable(void **state)
{
	(void)state;
	open_lab(&repeatable_plugin, 0);
	leave_values(0, 100);
	lab_close(&lab);
	open_lab(&repeatable_plugin, 0);
	check_delivered(0, 100, 1, 2);
	lab_close(&lab);
}

static void commit_stream(int64_t value, const char *host, const char *stream)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));

	clock_step(10 * MC_MILLISECOND);
	mc_put_derive(batch, value, .host = host, .plugin = "virt", .type = "derive");
	mc_set_stream(batch, host, stream);
	mc_commit(batch);
	assert_true(journal_writer_drain(lab.engine->journal_writer, thread_time() + LAB_LIMIT));
}

/* A guest has left its host and come back while the link was down: each process counts alone. */
static void two_streams_of_a_guest_stay_apart(void **state)
{
	(void)state;
	open_lab(&durable_plugin, 0);
	sink->result = -EAGAIN;
	commit_stream(0, "guest", "one");
	commit_stream(1, "guest", "one");
	commit_stream(2, "other", "third");
	commit_stream(3, "guest", "two");
	commit_stream(4, "other", "third");
	commit_stream(5, "guest", "three");
	sink->result = 0;
	while (sink->taken == 0)
		clock_step(10 * MC_SECOND);
	check_delivered(0, 6, 3, 4); /* The first may have been offered alone. */
	assert_string_equal(sink->streams, "one two three ");
	lab_close(&lab);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_that_wait_are_one_batch),
		TEST(records_of_before_stay_alone),
		TEST(two_streams_of_a_guest_stay_apart),
		TEST(but_not_of_one_that_is_repeatable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
