/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/thread.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/journal_entry.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"

#define ROOM ((uint64_t)1 << 20)
#define QUEUE ((size_t)64 << 10) /* Some 25 batches. */
#define TAKEN_MAX 20000

/* A writer that takes down what it is given, in its order. */
struct sink {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool block; /* write() waits until this is false. */
	int result; /* Of write(). */
	unsigned calls;
	int64_t *taken;
	double *rates; /* Of these. */
	size_t taken_len;
};

static int sink_start(struct mc_ctx *ctx)
{
	struct sink *sink = ctx->self;

	pthread_mutex_init(&sink->lock, NULL);
	clock_cond_init(&sink->change);
	sink->taken = calloc(TAKEN_MAX, sizeof(*sink->taken));
	sink->rates = calloc(TAKEN_MAX, sizeof(*sink->rates));
	return 0;
}

static void sink_stop(struct mc_ctx *ctx)
{
	struct sink *sink = ctx->self;

	free(sink->taken);
	free(sink->rates);
	sink->taken = NULL;
	sink->rates = NULL;
}

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct sink *sink = ctx->self;
	int result;

	pthread_mutex_lock(&sink->lock);
	sink->calls++;
	pthread_cond_broadcast(&sink->change);
	while (sink->block)
		pthread_cond_wait(&sink->change, &sink->lock);
	result = sink->result;
	MC_FOR_EACH_SAMPLE (sample, batch)
		if (result == 0 && sink->taken_len < TAKEN_MAX) {
			sink->rates[sink->taken_len] = mc_rate(sample, 0);
			sink->taken[sink->taken_len++] = sample->values[0].derive;
		}
	pthread_mutex_unlock(&sink->lock);
	return result;
}

static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(const struct mc_writer){ .write = sink_write, .durable = true },
	.stop = sink_stop,
	.wants_journal = true,
};
static const struct mc_plugin plain_plugin = {
	.api = MC_API,
	.name = "plain",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(const struct mc_writer){ .write = sink_write },
	.stop = sink_stop,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *instances[2];
static struct sink *durable, *plain;

static void open_lab(uint64_t room, const char *folder)
{
	struct journal_settings settings = { folder, JOURNAL_SYNC_BATCH, room, 0 };

	lab_open_with(&lab, QUEUE, &settings);
	source = engine_add(lab.engine, &source_plugin, "source");
	instances[0] = engine_add(lab.engine, &durable_plugin, "durable");
	instances[1] = engine_add(lab.engine, &plain_plugin, "plain");
	durable = engine_ctx(instances[0])->self;
	plain = engine_ctx(instances[1])->self;
	assert_int_equal(engine_start_idle(lab.engine), 0);
}

static void set(struct sink *sink, bool block, int result)
{
	pthread_mutex_lock(&sink->lock);
	sink->block = block;
	sink->result = result;
	pthread_cond_broadcast(&sink->change);
	pthread_mutex_unlock(&sink->lock);
}

static void wait_for_calls(struct sink *sink, unsigned calls)
{
	pthread_mutex_lock(&sink->lock);
	while (sink->calls < calls)
		pthread_cond_wait(&sink->change, &sink->lock);
	pthread_mutex_unlock(&sink->lock);
}

static struct mc_batch *fill(int64_t value)
{
	struct mc_batch *batch;

	clock_step(10 * MC_MILLISECOND);
	batch = mc_begin(engine_ctx(source));
	mc_put_derive(batch, value, .type = "derive");
	return batch;
}

/* A few at a time, so that neither the journal writer's own queue nor that
 * of the plain writer ever is full. */
static void commit(int64_t first, int64_t len)
{
	for (int64_t i = first; i < first + len; i++) {
		mc_time until = thread_time() + LAB_LIMIT;

		mc_commit(fill(i));
		if (i % 10 != 9 && i != first + len - 1)
			continue;
		assert_true(journal_writer_drain(lab.engine->journal_writer, until));
		assert_true(writer_drain(instances[1]->context.writer, until));
	}
}

static struct mc_writer_status status_of(struct instance *instance)
{
	struct mc_writer_status s;

	writer_status(instance->context.writer, &s);
	assert_int_equal(s.accepted, s.delivered + s.queued + s.dropped_full + s.dropped_refused +
					     s.dropped_stop + s.dropped_quota + s.dropped_damaged);
	assert_true(s.queued_journal <= s.queued);
	return s;
}

/* Everything was taken, once, in its order. */
static void check_taken(struct sink *sink, int64_t first, size_t len)
{
	assert_int_equal(sink->taken_len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(sink->taken[i], first + (int64_t)i);
}

static void drain(void)
{
	assert_true(engine_drain(lab.engine, LAB_LIMIT));
}

static void batches_go_by_way_of_the_journal(void **state)
{
	struct journal_writer_status journal_writer;

	(void)state;
	open_lab(ROOM, FOLDER);
	commit(0, 100);
	drain();
	check_taken(durable, 0, 100);
	check_taken(plain, 0, 100);
	assert_int_equal(status_of(instances[0]).delivered, 100);
	assert_true(status_of(instances[0]).durable);
	assert_false(status_of(instances[1]).durable);
	journal_writer_count(lab.engine->journal_writer, &journal_writer);
	assert_int_equal(journal_writer.journal.end.samples, 100);
	assert_int_equal(journal_writer.bypassed + journal_writer.dropped, 0);
	lab_close(&lab);

	open_lab(ROOM, FOLDER); /* It had them all. */
	commit(100, 3);
	drain();
	check_taken(durable, 100, 3);
	lab_close(&lab);
}

static void one_that_falls_behind_loses_nothing(void **state)
{
	struct mc_writer_status status;

	(void)state;
	open_lab(ROOM, FOLDER);
	for (unsigned round = 0; round < 3; round++) {
		set(durable, true, 0);
		commit(round * 1000, 1000);
		status = status_of(instances[0]);
		assert_true(status.queued > 900);
		assert_true(status.queued_journal > 500);
		assert_true(status.queued_bytes <= QUEUE);
		assert_int_equal(status.dropped_full, 0);
		set(durable, false, 0);
		drain();
		assert_int_equal(status_of(instances[0]).queued, 0);
	}
	check_taken(durable, 0, 3000);
	assert_int_equal(status_of(instances[0]).delivered, 3000);
	lab_close(&lab);
}

/* While it reads from disk, more comes all the time. */
static void it_catches_up_under_load(void **state)
{
	(void)state;
	open_lab(ROOM, FOLDER);
	set(durable, true, 0);
	commit(0, 500);
	set(durable, false, 0);
	commit(500, 3000);
	drain();
	check_taken(durable, 0, 3500);
	lab_close(&lab);
}

static void what_is_left_waits_for_the_next_start(void **state)
{
	mc_time begun;

	(void)state;
	open_lab(ROOM, FOLDER);
	commit(0, 10);
	drain();
	set(durable, false, -EAGAIN);
	commit(10, 490);
	wait_for_calls(durable, 11);
	begun = thread_time();
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_true(thread_time() - begun < LAB_LIMIT / 4);
	assert_int_equal(status_of(instances[0]).delivered, 10);
	assert_int_equal(status_of(instances[0]).queued, 490);
	assert_int_equal(status_of(instances[0]).dropped_stop, 0);
	lab_close(&lab);

	open_lab(ROOM, FOLDER);
	drain();
	check_taken(durable, 10, 490);
	assert_int_equal(status_of(instances[0]).accepted, 490);
	assert_int_equal(status_of(instances[0]).delivered, 490);
	commit(500, 5);
	drain();
	check_taken(durable, 10, 495);
	lab_close(&lab);
}

/* What comes from the disk has the rates that it had when it was recorded: not
 * known at first and after a reset, else the change per second. */
static void rates_are_recorded(void **state)
{
	double live[41];

	(void)state;
	open_lab(ROOM, FOLDER);
	commit(0, 1);
	drain();
	set(durable, false, -EAGAIN);
	commit(1, 19);
	commit(7, 20); /* Back to 7: a reset. */
	mc_commit(fill(INT64_C(1) << 40));
	wait_for_calls(durable, 2);
	assert_true(writer_drain(instances[1]->context.writer, thread_time() + LAB_LIMIT));
	assert_int_equal(plain->taken_len, 41);
	memcpy(live, plain->rates, sizeof(live));
	lab_close(&lab);

	open_lab(ROOM, FOLDER);
	drain();
	assert_int_equal(durable->taken_len, 40);
	for (size_t i = 0; i < 40; i++) {
		double rate = durable->rates[i];

		assert_true(isnan(rate) ? isnan(live[i + 1]) : rate == live[i + 1]);
		assert_int_equal(isnan(rate), i == 19);
		if (i != 19 && i != 39)
			assert_true(fabs(rate - 100) < 0.001);
	}
	lab_close(&lab);
}

/* A record that came without rates, as those of the first version. */
static void old_records_are_read(void **state)
{
	struct mc_otlp_writer *old = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_batch *batch, *again;
	const struct mc_sample *sample;

	(void)state;
	open_lab(ROOM, FOLDER);
	batch = mc_begin(engine_ctx(source));
	mc_put_gauge(batch, 50, .type = "percent");
	mc_put_gauge(batch, 101, .type = "percent", .type_instance = "too much");
	mc_put_derive(batch, 7, .type = "derive");
	assert_non_null(mc_otlp_write(old, batch, NULL, &bytes));
	again = mc_begin(engine_ctx(source));
	assert_true(journal_entry_read(again, bytes.at, bytes.size));
	assert_int_equal(again->accepted, 3);
	sample = mc_next(again, NULL);
	assert_true(sample->values[0].gauge == 50);
	assert_true(mc_rate(sample, 0) == 50);
	sample = mc_next(again, sample);
	assert_true(sample->values[0].gauge == 101);
	assert_true(isnan(mc_rate(sample, 0)));
	sample = mc_next(again, sample);
	assert_int_equal(sample->values[0].derive, 7);
	assert_true(isnan(mc_rate(sample, 0)));
	mc_discard(again);
	mc_discard(batch);
	mc_otlp_writer_free(old);
	lab_close(&lab);
}

static void the_quota_drops_and_counts(void **state)
{
	struct mc_writer_status status;

	(void)state;
	open_lab((uint64_t)128 << 10, FOLDER);
	set(durable, true, 0);
	commit(0, 2000);
	status = status_of(instances[0]);
	assert_int_equal(status.accepted, 2000);
	assert_true(status.dropped_quota > 500);
	assert_int_equal(mc_dropped_before(engine_ctx(instances[0])), status.dropped_quota);
	set(durable, false, 0);
	drain();
	status = status_of(instances[0]);
	assert_int_equal(status.queued, 0);
	assert_int_equal(status.delivered, 2000 - status.dropped_quota);
	assert_int_equal(durable->taken_len, status.delivered);
	for (size_t i = 1; i < durable->taken_len; i++)
		assert_true(durable->taken[i] > durable->taken[i - 1]);
	assert_int_equal(durable->taken[durable->taken_len - 1], 1999);
	assert_int_equal(status_of(instances[1]).dropped_full, 0);
	assert_int_equal(status_of(instances[1]).accepted, 2000);
	check_taken(plain, 0, 2000);
	lab_close(&lab);
}

/* Flips a bit of the newest file, in its middle. */
static void damage_newest(void)
{
	char newest[64] = "", path[128];
	DIR *list = opendir(FOLDER);
	struct dirent *entry;
	uint8_t byte;
	off_t at;
	int file;

	assert_non_null(list);
	while ((entry = readdir(list)) != NULL)
		if (strstr(entry->d_name, ".seg") != NULL && strcmp(entry->d_name, newest) > 0)
			snprintf(newest, sizeof(newest), "%.60s", entry->d_name);
	closedir(list);
	snprintf(path, sizeof(path), FOLDER "/%s", newest);
	file = open(path, O_RDWR);
	assert_true(file >= 0);
	at = lseek(file, 0, SEEK_END) / 2;
	assert_int_equal(pread(file, &byte, 1, at), 1);
	byte ^= 0x10;
	assert_int_equal(pwrite(file, &byte, 1, at), 1);
	close(file);
}

/* While it waits on the disk, a record goes bad: it alone is lost, and the ledger says so. */
static void what_goes_bad_is_lost_alone(void **state)
{
	struct mc_writer_status status;
	int64_t last = -1;

	(void)state;
	open_lab(ROOM, FOLDER);
	set(durable, true, 0);
	commit(0, 1000);
	damage_newest();
	set(durable, false, 0);
	drain();
	status = status_of(instances[0]);
	assert_int_equal(status.dropped_damaged, 1);
	assert_int_equal(status.delivered, 999);
	assert_int_equal(status.queued, 0);
	assert_int_equal(durable->taken_len, 999);
	for (size_t i = 0; i < durable->taken_len; i++) {
		assert_in_range(durable->taken[i] - last, 1, 2);
		last = durable->taken[i];
	}
	assert_int_equal(last, 999);
	lab_close(&lab);
}

/* No file may grow: as a disk that is full. */
static void a_full_disk_is_gone_without(void **state)
{
	struct rlimit usual, none;
	struct journal_writer_status journal_writer;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
	none = usual;
	none.rlim_cur = 0;
	open_lab(ROOM, FOLDER);
	commit(0, 100);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	commit(100, 15);
	assert_int_equal(mc_commit_safely(fill(115), LAB_LIMIT), -EIO);
	journal_writer_count(lab.engine->journal_writer, &journal_writer);
	assert_int_equal(journal_writer.bypassed, 16);
	assert_true(journal_writer.journal.failed);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
	clock_step(2 * MC_SECOND);
	assert_int_equal(mc_commit_safely(fill(116), LAB_LIMIT), 0);
	drain();
	check_taken(durable, 0, 117);
	journal_writer_count(lab.engine->journal_writer, &journal_writer);
	assert_false(journal_writer.journal.failed);
	lab_close(&lab);
}

struct told { /* The results of mc_commit_then(). */
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned times;
	int rc;
};

static void on_committed(void *argument, int rc)
{
	struct told *told = argument;

	pthread_mutex_lock(&told->lock);
	told->times++;
	told->rc |= rc;
	pthread_cond_signal(&told->change);
	pthread_mutex_unlock(&told->lock);
}

/* Twenty wait at once, and are answered together, after one write. */
static void who_waits_is_told_without_a_thread_of_his_own(void **state)
{
	struct told told = { .lock = PTHREAD_MUTEX_INITIALIZER };
	mc_time until = thread_time() + LAB_LIMIT;

	(void)state;
	clock_cond_init(&told.change);
	open_lab(ROOM, FOLDER);
	for (unsigned i = 0; i < 20; i++)
		mc_commit_then(fill(i), LAB_LIMIT, on_committed, &told);
	pthread_mutex_lock(&told.lock);
	while (told.times < 20 && thread_wait(&told.change, &told.lock, until))
		;
	pthread_mutex_unlock(&told.lock);
	mc_commit_cancel(engine_ctx(source)); /* Nobody. */
	assert_int_equal(told.times, 20);
	assert_int_equal(told.rc, 0);
	drain();
	check_taken(durable, 0, 20);
	lab_close(&lab);
	pthread_cond_destroy(&told.change);
}

/* Writers stop after the journal writer, and what they measure themselves has
 * no way any more: it is counted, and nobody waits for it. */
static void what_comes_after_the_end_is_counted(void **state)
{
	struct told told = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .change = PTHREAD_COND_INITIALIZER };
	struct journal_writer_status journal_writer;

	(void)state;
	open_lab(ROOM, FOLDER);
	commit(0, 5);
	assert_true(journal_writer_stop(lab.engine->journal_writer, thread_time() + 9 * MC_SECOND));
	mc_commit(fill(5));
	mc_commit_then(fill(6), MC_SECOND, on_committed, &told);
	assert_int_equal(told.times, 1);
	assert_int_equal(told.rc, -EIO);
	journal_writer_count(lab.engine->journal_writer, &journal_writer);
	assert_int_equal(journal_writer.dropped, 2);
	assert_int_equal(status_of(instances[0]).dropped_full, 2);
	drain();
	check_taken(durable, 0, 5);
	check_taken(plain, 0, 7);
	lab_close(&lab); /* No batch is left. */
}

/* Large batches do not take the places of small ones one by one. */
static void what_waits_for_the_disk_is_bounded(void **state)
{
	mc_time until = thread_time() + 9 * MC_SECOND;
	unsigned large = 400; /* Some 30 KiB; QUEUE has room for two. */
	struct journal_writer_status journal_writer;

	(void)state;
	open_lab(ROOM, FOLDER);
	assert_true(journal_writer_hold(lab.engine->journal_writer, until));
	for (unsigned i = 0; i < 40; i++) {
		struct mc_batch *batch = fill(i);
		struct mc_series *series = batch->first->series;

		for (unsigned j = 1; i >= 20 && j < large; j++)
			mc_put_at(batch, series, (struct mc_stamp){ batch->time + j, 1 },
				  batch->first->values, 1);
		mc_commit(batch);
	}
	journal_writer_count(lab.engine->journal_writer, &journal_writer);
	assert_in_range(journal_writer.dropped, 20 + 17 * large, 20 + 19 * large);
	journal_writer_go_on(lab.engine->journal_writer);
	drain();
	assert_int_equal(durable->taken_len, 20 + 20 * large - journal_writer.dropped);
	assert_int_equal(status_of(instances[0]).dropped_full, journal_writer.dropped);
	lab_close(&lab);
}

static void there_may_be_no_journal(void **state)
{
	struct told told = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .change = PTHREAD_COND_INITIALIZER };

	(void)state;
	open_lab(ROOM, "/nowhere/at/all");
	assert_null(lab.engine->journal_writer);
	assert_non_null(strstr(lab.log, "journal: cannot use"));
	assert_int_equal(mc_commit_safely(fill(0), MC_SECOND), -ENOTSUP);
	mc_commit_then(fill(1), MC_SECOND, on_committed, &told);
	assert_int_equal(told.times, 1);
	assert_int_equal(told.rc, -ENOTSUP);
	drain();
	check_taken(durable, 0, 2);
	lab_close(&lab);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(batches_go_by_way_of_the_journal),
		TEST(one_that_falls_behind_loses_nothing),
		TEST(it_catches_up_under_load),
		TEST(what_is_left_waits_for_the_next_start),
		TEST(rates_are_recorded),
		TEST(old_records_are_read),
		TEST(the_quota_drops_and_counts),
		TEST(what_goes_bad_is_lost_alone),
		TEST(a_full_disk_is_gone_without),
		TEST(who_waits_is_told_without_a_thread_of_his_own),
		TEST(what_comes_after_the_end_is_counted),
		TEST(what_waits_for_the_disk_is_bounded),
		TEST(there_may_be_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
