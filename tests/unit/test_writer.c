/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/thread.h"
#include "engine/write/delivery.h"
#include "engine/write/writer.h"
#include "lab.h"

static int no_thread; /* Why none can be made, or 0. */

int __wrap_thread_start(pthread_t *, const char *, void *(*)(void *), void *);
int __real_thread_start(pthread_t *, const char *, void *(*)(void *), void *);
int __wrap_thread_start(pthread_t *thread, const char *name, void *(*main)(void *), void *argument)
{
	return no_thread != 0 ? no_thread : __real_thread_start(thread, name, main, argument);
}

/* A writer controlled by the test, and a source to feed it. */
struct sink {
	_Atomic int result;      /* Of write(). */
	_Atomic bool block;      /* write() waits until this is false. */
	_Atomic unsigned writes; /* Calls of write(). */
	_Atomic int64_t last;    /* Value of the last sample written. */
	_Atomic int64_t sum;
	_Atomic unsigned flushes, notifications, forgotten;
	_Atomic int refusal;     /* Of notify(), ... */
	_Atomic unsigned offers; /* ... and its calls. */
	_Atomic int64_t heard;   /* Time of the last notification. */
	pthread_mutex_t lock;
	pthread_cond_t change;
};

static int sink_start(struct mc_ctx *ctx)
{
	struct sink *sink = ctx->self;

	pthread_mutex_init(&sink->lock, NULL);
	clock_cond_init(&sink->change);
	return 0;
}

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct sink *sink = ctx->self;
	int result;

	pthread_mutex_lock(&sink->lock);
	sink->writes++;
	pthread_cond_broadcast(&sink->change);
	while (sink->block)
		pthread_cond_wait(&sink->change, &sink->lock);
	pthread_mutex_unlock(&sink->lock);
	result = sink->result; /* Once: a test may change it meanwhile. */
	if (result < 0)
		return mc_fail(ctx, -result, "told to fail");
	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);

		if (*slot == NULL)
			*slot = sink;
		sink->last = sample->values[0].derive;
		sink->sum += sink->last;
	}
	return 0;
}

static int sink_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct sink *sink = ctx->self;
	int refusal = sink->refusal; /* Once, as in sink_write(). */

	sink->offers++;
	if (refusal < 0)
		return mc_fail(ctx, -refusal, "told to refuse");
	for (; notification != NULL; notification = mc_next_notification(ctx)) {
		sink->heard = notification->time;
		sink->notifications++;
	}
	return 0;
}

static int sink_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	struct sink *sink = ctx->self;

	(void)age;
	(void)name;
	sink->flushes++;
	return 0;
}

static unsigned all_forgotten;

static void on_end(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

static void sink_forget(struct mc_ctx *ctx, void *slot)
{
	struct sink *sink = ctx->self;

	assert_ptr_equal(slot, sink);
	sink->forgotten++;
	all_forgotten++;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.self_size = sizeof(struct sink),
	.start = sink_start,
	.writer = &(const struct mc_writer){ .write = sink_write,
					     .notify = sink_notify,
					     .flush = sink_flush,
					     .forget = sink_forget },
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source;
static struct sink *one, *two;
static struct instance *sinks[2];

static void open_with(size_t queue_bytes)
{
	lab_open(&lab, queue_bytes);
	source = engine_add(lab.engine, &source_plugin, "source");
	sinks[0] = engine_add(lab.engine, &sink_plugin, "one");
	sinks[1] = engine_add(lab.engine, &sink_plugin, "two");
	one = engine_ctx(sinks[0])->self;
	two = engine_ctx(sinks[1])->self;
	assert_int_equal(engine_start_idle(lab.engine), 0);
}

static int open_lab(void **state)
{
	(void)state;
	open_with(1 << 20);
	return 0;
}

static void let_go(struct sink *sink)
{
	pthread_mutex_lock(&sink->lock);
	sink->block = false;
	pthread_cond_broadcast(&sink->change);
	pthread_mutex_unlock(&sink->lock);
}

static void wait_for_writes(struct sink *sink, unsigned writes)
{
	pthread_mutex_lock(&sink->lock);
	while (sink->writes < writes)
		pthread_cond_wait(&sink->change, &sink->lock);
	pthread_mutex_unlock(&sink->lock);
}

static int close_lab(void **state)
{
	(void)state;
	no_thread = 0;
	let_go(one);
	let_go(two);
	lab_close(&lab);
	return 0;
}

/* One batch of one sample, a second after the one before. */
static void commit(int64_t value)
{
	struct mc_batch *batch;

	clock_step(MC_SECOND);
	batch = mc_begin(engine_ctx(source));
	mc_put_derive(batch, value, .type = "derive");
	mc_commit(batch);
}

static struct mc_writer_status ledger_of(struct instance *sink)
{
	struct mc_writer_status status;

	writer_status(sink->context.writer, &status);
	assert_int_equal(status.accepted, status.delivered + status.queued + status.dropped_full +
						  status.dropped_refused + status.dropped_stop);
	return status;
}

static bool drain(struct instance *sink)
{
	return writer_drain(sink->context.writer, thread_time() + LAB_LIMIT);
}

static void every_writer_gets_every_sample(void **state)
{
	(void)state;
	for (int i = 1; i <= 100; i++)
		commit(i);
	assert_true(drain(sinks[0]) && drain(sinks[1]));
	assert_int_equal(one->sum, 5050);
	assert_int_equal(two->sum, 5050);
	assert_int_equal(ledger_of(sinks[0]).delivered, 100);
}

static void a_blocked_writer_hurts_only_itself(void **state)
{
	(void)state;
	one->block = true;
	for (int i = 1; i <= 100; i++)
		commit(i);
	assert_true(drain(sinks[1]));
	assert_int_equal(two->sum, 5050);
	assert_int_equal(ledger_of(sinks[0]).queued, 100);
	let_go(one);
	assert_true(drain(sinks[0]));
	assert_int_equal(one->sum, 5050);
}

static void a_full_queue_drops_the_oldest_and_counts(void **state)
{
	struct mc_writer_status ledger;

	(void)state;
	close_lab(NULL);
	open_with(64 << 10);
	one->block = true;
	commit(1000);
	wait_for_writes(one, 1); /* It is being written: it cannot go. */
	for (int i = 1; i <= 100; i++)
		commit(i);
	ledger = ledger_of(sinks[0]);
	assert_int_equal(ledger.accepted, 101);
	assert_true(ledger.dropped_full > 50);
	assert_true(ledger.queued_bytes <= ledger.limit_bytes);
	let_go(one);
	assert_true(drain(sinks[0]));
	/* What is left are the newest ones, in order. */
	assert_int_equal(one->last, 100);
	ledger = ledger_of(sinks[0]);
	assert_int_equal(ledger.queued, 0);
	assert_int_equal(ledger.queued_bytes, 0);
	assert_int_equal(ledger.delivered + ledger.dropped_full, 101);
}

static void a_refused_batch_is_dropped_and_counted(void **state)
{
	struct mc_writer_status ledger;

	(void)state;
	one->result = -EINVAL;
	commit(1);
	assert_true(drain(sinks[0]));
	one->result = 0;
	commit(2);
	assert_true(drain(sinks[0]));
	ledger = ledger_of(sinks[0]);
	assert_int_equal(ledger.dropped_refused, 1);
	assert_int_equal(ledger.delivered, 1);
	assert_int_equal(ledger.failures, 1);
	assert_non_null(strstr(lab.log, "one: told to fail: Invalid argument"));
}

static void a_batch_is_offered_again_in_order(void **state)
{
	(void)state;
	one->result = -EAGAIN;
	commit(1);
	wait_for_writes(one, 1);
	commit(2);
	while (one->writes < 4) /* The pause doubles from 100 ms. */
		clock_step(10 * MC_SECOND);
	assert_int_equal(one->sum, 0);
	assert_int_equal(ledger_of(sinks[0]).queued, 2);
	one->result = 0;
	while (ledger_of(sinks[0]).queued > 0)
		clock_step(10 * MC_SECOND);
	assert_int_equal(one->sum, 3);
	assert_int_equal(one->last, 2);
}

static unsigned count_lines(const char *text)
{
	unsigned len = 0;

	for (const char *at = lab.log; (at = strstr(at, text)) != NULL; at++)
		len++;
	return len;
}

static void a_thread_that_cannot_be_made_is_tried_again(void **state)
{
	char failure[LOG_ONCE_SIZE];

	(void)state;
	no_thread = -EAGAIN;
	for (int i = 1; i <= 100; i++)
		commit(i);
	assert_int_equal(one->writes, 0);
	assert_int_equal(ledger_of(sinks[0]).queued, 100);
	writer_failure(sinks[0]->context.writer, failure);
	assert_string_equal(failure, "cannot start a thread: Resource temporarily unavailable");
	assert_int_equal(count_lines("one: cannot start a thread: "), 1);
	no_thread = -ENOMEM;
	clock_step(MC_SECOND);
	writer_wake(sinks[0]->context.writer);
	assert_int_equal(count_lines("one: cannot start a thread: "), 2);
	no_thread = 0;
	writer_wake(sinks[0]->context.writer); /* No sooner than after a second. */
	assert_false(drain(sinks[0]));
	clock_step(MC_SECOND);
	writer_wake(sinks[0]->context.writer); /* No batch is needed for that. */
	assert_true(drain(sinks[0]));
	assert_int_equal(one->sum, 5050);
	writer_failure(sinks[0]->context.writer, failure);
	assert_string_equal(failure, "");
	assert_int_equal(count_lines("one: works again after "), 1);
}

static void what_had_no_thread_is_counted_at_a_stop(void **state)
{
	(void)state;
	no_thread = -EAGAIN;
	commit(1);
	commit(2);
	writer_stop(sinks[0]->context.writer, thread_time() + LAB_LIMIT);
	assert_true(delivery_join(sinks[0]->context.writer, thread_time() + LAB_LIMIT));
	assert_int_equal(ledger_of(sinks[0]).dropped_stop, 2);
	assert_non_null(strstr(lab.log, "one: 2 samples were not delivered before the stop"));
	no_thread = 0;
}

static void lost_samples_are_taken_back(void **state)
{
	struct mc_writer_status ledger;

	(void)state;
	for (int i = 1; i <= 3; i++)
		commit(i);
	assert_true(drain(sinks[0]));
	mc_drop(engine_ctx(sinks[0]), 2, EIO, "cannot write '%s'", "x.rrd");
	ledger = ledger_of(sinks[0]);
	assert_int_equal(ledger.delivered, 1);
	assert_int_equal(ledger.dropped_refused, 2);
	assert_non_null(strstr(lab.log, "one: cannot write 'x.rrd': "));
}

static void a_stop_delivers_flushes_and_forgets(void **state)
{
	(void)state;
	commit(1);
	commit(2);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(one->sum, 3);
	assert_int_equal(one->flushes, 1);
	assert_int_equal(one->forgotten, 0);
}

/* Another writer may still hold a batch: what ends with it must not be
 * forgotten by that one's thread. */
static void what_ends_after_a_stop_is_forgotten_at_the_end(void **state)
{
	struct store *store = lab.engine->registry.store;
	struct mc_batch *old, *sweep;

	(void)state;
	commit(1);
	assert_true(writer_drain(sinks[0]->context.writer, thread_time() + 9 * MC_SECOND));
	old = mc_begin(engine_ctx(source));
	clock_step(100 * LAB_INTERVAL);
	sweep = mc_begin(engine_ctx(source));
	store_sweep(store, sweep, on_end, NULL);
	mc_discard(sweep);
	assert_int_equal(engine_series(lab.engine), 0);
	assert_true(engine_stop(lab.engine, 4 * MC_SECOND));
	mc_discard(old);
	assert_int_equal(one->forgotten, 0);
	all_forgotten = 0;
	engine_free(lab.engine);
	assert_int_equal(all_forgotten, 2);
	log_remove_target(&lab);
	type_set_free(lab.types);
	open_with(1 << 20);
}

static void a_stop_does_not_wait_for_a_dead_destination(void **state)
{
	mc_time begun = thread_time();

	(void)state;
	one->result = -EAGAIN;
	commit(1);
	commit(2);
	wait_for_writes(one, 1);
	/* Of a second, a busy machine would have 0.2 s for what is last. */
	assert_true(engine_stop(lab.engine, 4 * MC_SECOND));
	assert_true(thread_time() - begun < LAB_LIMIT / 4);
	assert_int_equal(ledger_of(sinks[0]).dropped_stop, 2);
	assert_non_null(strstr(lab.log, "one: 2 samples were not delivered before the stop"));
}

static void notifications_reach_all_who_want_them(void **state)
{
	(void)state;
	mc_notify(engine_ctx(source),
		  &(struct mc_notification){ .severity = MC_WARNING, .message = "hot" });
	assert_true(drain(sinks[0]) && drain(sinks[1]));
	assert_int_equal(one->notifications, 1);
	assert_int_equal(two->notifications, 1);
}

/* The time distinguishes them. */
static void notify(mc_time time)
{
	mc_notify(engine_ctx(source), &(struct mc_notification){ .time = time, .message = "hot" });
}

static void notifications_come_before_batches_that_wait(void **state)
{
	(void)state;
	one->result = -EAGAIN;
	commit(1);
	wait_for_writes(one, 1);
	notify(7); /* The clock stands: the batch is not offered again. */
	while (one->notifications < 1)
		sched_yield();
	assert_int_equal(one->writes, 1);
	one->result = 0;
	while (ledger_of(sinks[0]).queued > 0)
		clock_step(10 * MC_SECOND);
}

/* Each of them is logged once, whatever becomes of the other. */
static void batches_and_notifications_fail_apart(void **state)
{
	char failure[LOG_ONCE_SIZE];

	(void)state;
	one->result = -EAGAIN;
	commit(1);
	wait_for_writes(one, 1);
	for (unsigned i = 1; i <= 5; i++) {
		unsigned writes = one->writes;

		notify(i);
		while (one->notifications < i || one->writes == writes)
			clock_step(10 * MC_SECOND);
	}
	assert_int_equal(count_lines("one: told to fail"), 1);
	assert_int_equal(count_lines("one: works again"), 0);
	writer_failure(sinks[0]->context.writer, failure);
	assert_non_null(strstr(failure, "told to fail"));
	one->result = 0;
	one->refusal = -EAGAIN;
	notify(6);
	while (ledger_of(sinks[0]).queued > 0)
		clock_step(10 * MC_SECOND);
	commit(2);
	while (ledger_of(sinks[0]).queued > 0)
		clock_step(10 * MC_SECOND);
	assert_int_equal(count_lines("one: works again"), 1);
	assert_int_equal(count_lines("one: told to refuse"), 1);
	writer_failure(sinks[0]->context.writer, failure);
	assert_non_null(strstr(failure, "told to refuse"));
}

static void notifications_are_taken_together(void **state)
{
	(void)state;
	one->block = true;
	commit(1);
	wait_for_writes(one, 1);
	for (int i = 1; i <= 1000; i++)
		notify(i);
	let_go(one);
	assert_true(drain(sinks[0]));
	assert_int_equal(one->notifications, 1000);
	assert_int_equal(one->offers, 1);
	assert_int_equal(one->heard, 1000);
}

static void a_notification_is_offered_again(void **state)
{
	(void)state;
	one->refusal = -EAGAIN;
	notify(1);
	while (one->offers < 1)
		sched_yield();
	commit(5); /* Values do not wait for it. */
	while (one->sum < 5)
		sched_yield();
	notify(2);
	while (one->offers < 4)
		clock_step(MC_SECOND);
	assert_int_equal(one->notifications, 0);
	one->refusal = 0;
	while (one->notifications < 2)
		clock_step(MC_SECOND);
	assert_int_equal(one->heard, 2);
	assert_int_equal(ledger_of(sinks[0]).lost_notifications, 0);
}

static void notifications_that_are_refused_or_too_many_are_counted(void **state)
{
	(void)state;
	one->refusal = -EINVAL;
	notify(1);
	assert_true(drain(sinks[0]));
	assert_int_equal(ledger_of(sinks[0]).lost_notifications, 1);
	one->refusal = 0;
	one->block = true;
	commit(1);
	wait_for_writes(one, 1);
	for (int i = 1; i <= 10000; i++)
		notify(i);
	let_go(one);
	assert_true(drain(sinks[0]));
	assert_int_equal(one->heard, 10000);
	assert_true(one->notifications < 10000);
	assert_int_equal(one->notifications + ledger_of(sinks[0]).lost_notifications, 10001);
}

static void a_stop_offers_notifications_once_more(void **state)
{
	(void)state;
	one->refusal = two->refusal = -EAGAIN;
	notify(1);
	notify(2);
	while (one->offers < 1 || two->offers < 1)
		sched_yield();
	two->refusal = 0;
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(ledger_of(sinks[0]).lost_notifications, 2);
	assert_int_equal(two->notifications, 2);
	assert_non_null(strstr(lab.log, "one: 2 notifications were not delivered before the stop"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_writer_gets_every_sample),
		TEST(a_blocked_writer_hurts_only_itself),
		TEST(a_full_queue_drops_the_oldest_and_counts),
		TEST(a_refused_batch_is_dropped_and_counted),
		TEST(a_batch_is_offered_again_in_order),
		TEST(a_thread_that_cannot_be_made_is_tried_again),
		TEST(what_had_no_thread_is_counted_at_a_stop),
		TEST(lost_samples_are_taken_back),
		TEST(a_stop_delivers_flushes_and_forgets),
		TEST(what_ends_after_a_stop_is_forgotten_at_the_end),
		TEST(a_stop_does_not_wait_for_a_dead_destination),
		TEST(notifications_reach_all_who_want_them),
		TEST(notifications_come_before_batches_that_wait),
		TEST(batches_and_notifications_fail_apart),
		TEST(notifications_are_taken_together),
		TEST(a_notification_is_offered_again),
		TEST(notifications_that_are_refused_or_too_many_are_counted),
		TEST(a_stop_offers_notifications_once_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
