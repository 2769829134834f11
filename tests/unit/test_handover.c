/* SPDX-License-Identifier: MIT */
/* The ledger of a durable writer: what it leaves to its successor is counted once, and reported
 * once; unacknowledged samples are queued. */
#include "unit.h"

#include <errno.h>

#include "base/thread.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"
#include "journal_fixture.h"
#include "lab.h"

#define LARGE 900 /* Samples of a batch. */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned calls;
	_Atomic int told;   /* What write() returns. */
	_Atomic bool loses; /* It takes a sample back, each instance one. */
} seen = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static int take(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	bool *lost = ctx->self;

	(void)batch;
	if (seen.loses && !*lost)
		mc_drop(ctx, 1, EPROTO, "told to lose");
	*lost = true;
	pthread_mutex_lock(&seen.lock);
	seen.calls++;
	pthread_cond_broadcast(&seen.change);
	pthread_mutex_unlock(&seen.lock);
	return seen.told;
}

static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.self_size = sizeof(bool),
	.writer = &(const struct mc_writer){ .write = take, .durable = true },
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *durable;

static int open_lab(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_OFF, 1 << 20, 0 };

	if (journal_enter(state) != 0)
		return -1;
	lab_open_with(&lab, 1 << 20, &settings);
	source = engine_add(lab.engine, &source_plugin, "source");
	durable = engine_add(lab.engine, &durable_plugin, "durable");
	seen.calls = 0;
	seen.told = 0;
	seen.loses = false;
	return engine_start(lab.engine) == 0 ? 0 : -1;
}

static int close_lab(void **state)
{
	lab_close(&lab);
	return journal_leave(state);
}

/* Another one takes the place. */
static void replace(void)
{
	struct instance *next = engine_prepare(lab.engine, &durable_plugin, "durable");
	struct engine_change change = { &durable, &next, 1, 1, NULL };

	assert_int_equal(engine_change(lab.engine, &change, MC_SECOND), 0);
	durable = next;
}

static struct mc_writer_status ledger(void)
{
	struct mc_writer_status status;

	writer_status(durable->context.writer, &status);
	return status;
}

static void put(unsigned len)
{
	struct mc_batch *batch = mc_begin(engine_ctx(source));
	char name[16];

	for (unsigned i = 0; i < len; i++) {
		struct mc_id id = { .type = "derive", .type_instance = name };

		snprintf(name, sizeof(name), "%u", i);
		mc_derive(batch, mc_series(batch, id), i);
	}
	mc_commit(batch);
	assert_true(
		journal_writer_drain(lab.engine->journal_writer, thread_time() + 60 * MC_SECOND));
	clock_step(10 * MC_MILLISECOND);
}

static void wait_for_a_call(void)
{
	pthread_mutex_lock(&seen.lock);
	while (seen.calls == 0)
		pthread_cond_wait(&seen.change, &seen.lock);
	pthread_mutex_unlock(&seen.lock);
}

/* In a batch that is not taken, and offered again. */
static void what_write_takes_back_counts_once(void **state)
{
	(void)state;
	seen.loses = true;
	seen.told = -EAGAIN;
	put(1);
	wait_for_a_call();
	assert_int_equal(ledger().delivered, 0);
	seen.told = 0;
	replace();
	lab_drain(&lab);
	assert_int_equal(ledger().accepted, 1);
	assert_int_equal(ledger().delivered, 0);
	assert_int_equal(ledger().dropped_refused, 1);
}

/* Whatever is changed meanwhile. */
static void what_the_quota_takes_counts_once(void **state)
{
	uint64_t dropped;

	(void)state;
	seen.told = -EAGAIN;
	for (int i = 0; i < 60; i++)
		put(LARGE);
	dropped = ledger().dropped_quota;
	assert_in_range(dropped, 10 * LARGE, 50 * LARGE);
	assert_int_equal(mc_dropped_before(engine_ctx(durable)), dropped);
	for (int i = 0; i < 3; i++) {
		replace();
		assert_int_equal(ledger().accepted, 60 * LARGE);
		/* What was in hand may be gone as well. */
		assert_in_range(ledger().dropped_quota, dropped, 60 * LARGE);
		dropped = ledger().dropped_quota;
		assert_int_equal(ledger().queued + dropped, 60 * LARGE);
		assert_int_equal(mc_dropped_before(engine_ctx(durable)), dropped);
	}
	seen.told = 0; /* It is delivered, and so the gap is known. */
	lab_drain(&lab);
	replace();
	put(LARGE);
	lab_drain(&lab);
	assert_int_equal(mc_dropped_before(engine_ctx(durable)), 0);
	assert_int_equal(ledger().accepted, 61 * LARGE);
	assert_int_equal(ledger().delivered + ledger().dropped_quota, 61 * LARGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

static void what_is_not_acknowledged_is_queued(void **state)
{
	struct mc_writer_status now;

	(void)state;
	mc_set_waiting(engine_ctx(durable), 2); /* The engine, too, looks at the ledger. */
	put(3);
	lab_drain(&lab);
	now = ledger();
	assert_int_equal(now.delivered, 1);
	assert_int_equal(now.queued, 2);
	mc_set_waiting(engine_ctx(durable), 9); /* Not taken yet, some. */
	now = ledger();
	assert_int_equal(now.delivered, 1);
	assert_int_equal(now.queued, 2);
	mc_set_waiting(engine_ctx(durable), 1);
	mc_drop(engine_ctx(durable), 1, 0, "one is lost");
	now = ledger();
	assert_int_equal(now.delivered, 1);
	assert_int_equal(now.queued, 1);
	assert_int_equal(now.dropped_refused, 1);
	mc_set_waiting(engine_ctx(durable), 0);
	now = ledger();
	assert_int_equal(now.delivered, 2);
	assert_int_equal(now.queued, 0);
}

static void why_it_waits_is_the_failure(void **state)
{
	char failure[LOG_ONCE_SIZE];

	(void)state;
	mc_set_failure(engine_ctx(durable), "nobody is there");
	put(1);
	lab_drain(&lab);
	writer_failure(durable->context.writer, failure);
	assert_string_equal(failure, "nobody is there");
	mc_set_failure(engine_ctx(durable), "");
	writer_failure(durable->context.writer, failure);
	assert_string_equal(failure, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_write_takes_back_counts_once),
		TEST(what_the_quota_takes_counts_once),
		TEST(what_is_not_acknowledged_is_queued),
		TEST(why_it_waits_is_the_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
