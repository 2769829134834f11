/* SPDX-License-Identifier: MIT */
/* The journal writer: batches wait for the disk, and are written a group of them at a time. */
#include "engine/write/durable/journal_writer.h"

#include <collector/label.h>
#include <collector/serve.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/instance_set.h"
#include "engine/journal/dedup.h"
#include "engine/otlp/otlp_write.h"
#include "engine/store/store.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/journal_writer_internal.h"

#define GROUP_MAX 256 /* Batches that are written at once. */
#define GROUP_BYTES ((size_t)256 << 10)
#define LINGER (5 * MC_MILLISECOND)
#define ROUND_MIN 3 /* Batches that come at a time. */
#define ROUND_MAX MC_MILLISECOND
#define TICK JOURNAL_SYNC_INTERVAL_TIME

/* Problems that a person can solve. */
static const char *reason_of(int rc)
{
	if (rc == -EBUSY)
		return "another process uses it";
	if (rc == -EPERM)
		return "it is another user's, or open to others (its mode must "
		       "be 0700)";
	return strerror(-rc);
}

struct journal_writer *journal_writer_new(const struct journal_settings *settings,
					  struct instance_sets *instances, struct store *store,
					  struct mc_ctx *ctx, size_t limit_bytes) MC_NO_LOCK
{
	struct journal_writer *journal_writer = alloc_zero(sizeof(*journal_writer));
	int rc = journal_open(settings, &journal_writer->journal);

	if (rc < 0) {
		log_error("journal: cannot use '%s', it goes on without: %s", settings->path,
			  reason_of(rc));
		free(journal_writer);
		return NULL;
	}
	journal_writer->instances = instances;
	journal_writer->store = store;
	journal_writer->limit = limit_bytes;
	journal_writer->encoder = mc_otlp_writer_new(JOURNAL_RECORD_BYTES);
	otlp_write_rates(journal_writer->encoder);
	mc_otlp_writer_label(journal_writer->encoder, ctx, mc_each_sent_label);
	journal_writer->group = alloc_array(GROUP_MAX, sizeof(*journal_writer->group));
	journal_writer->ticked = clock_now();
	worker_init(&journal_writer->worker, LINGER);
	clock_cond_init(&journal_writer->watch_change);
	waiters_init(&journal_writer->waiters);
	return journal_writer;
}

void journal_writer_free(struct journal_writer *journal_writer)
{
	if (journal_writer == NULL)
		return;
	journal_close(journal_writer->journal);
	mc_otlp_writer_free(journal_writer->encoder);
	worker_done(&journal_writer->worker);
	pthread_cond_destroy(&journal_writer->watch_change);
	free(journal_writer->group);
	free(journal_writer);
}

void journal_writer_set_limit(struct journal_writer *journal_writer, size_t limit_bytes)
{
	pthread_mutex_lock(&journal_writer->worker.lock);
	journal_writer->limit = limit_bytes;
	pthread_mutex_unlock(&journal_writer->worker.lock);
}

void journal_writer_call_before(struct journal_writer *journal_writer,
				void (*before)(void *argument), void *argument)
{
	journal_writer->before = before;
	journal_writer->before_argument = argument;
}

/* --- The thread ------------------------------------------------------- */

/* Takes what waits as the next group; returns how many. */
static size_t take_group(struct journal_writer *journal_writer, uint64_t *sequence)
	MC_REQUIRES(journal_writer->worker.lock)
{
	struct queue_item item;
	size_t len = 0, bytes = 0;

	while (len < GROUP_MAX && bytes < GROUP_BYTES &&
	       queue_pop(&journal_writer->worker.queue, &item)) {
		journal_writer->group[len++] = (struct journal_member){ .batch = item.batch };
		bytes += item.size;
		*sequence = item.offset.seq;
	}
	journal_writer->queued_bytes -= bytes;
	journal_writer->writing_bytes = bytes;
	return len;
}

static void tick(struct journal_writer *journal_writer)
{
	if (clock_now() - journal_writer->ticked < TICK)
		return;
	journal_writer->ticked = clock_now();
	journal_writer->dirty = false;
	journal_tick(journal_writer->journal);
	journal_group_trim(journal_writer);
}

/* Returns whether it has waited. */
static bool wait_while_held(struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock)
{
	bool held = journal_writer->held;

	if (held)
		pthread_cond_broadcast(&journal_writer->worker.change);
	while (journal_writer->held)
		pthread_cond_wait(&journal_writer->worker.change, &journal_writer->worker.lock);
	return held;
}

/* One that is woken by the first of several batches would write this one alone, and then the
 * others: waits a moment for them. */
static void wait_for_round(struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock)
{
	if (journal_writer->round > 0 && !queue_empty(&journal_writer->worker.queue) &&
	    !waiters_empty(&journal_writer->waiters) && !journal_writer->worker.stopping)
		worker_linger(&journal_writer->worker, journal_writer->round);
}

/* After a group, for the next: whether they come several at a time. */
static void learn_round(struct journal_writer *journal_writer, size_t len, mc_time begun)
	MC_REQUIRES(journal_writer->worker.lock)
{
	mc_time took = thread_time() - begun;

	if (len == 0)
		return;
	if (len + journal_writer->worker.queue.batches.len < ROUND_MIN)
		journal_writer->round = 0;
	else
		journal_writer->round = took < ROUND_MAX ? took : ROUND_MAX;
}

/* Returns whether the group is safe. */
static bool work_on(struct journal_writer *journal_writer, size_t len)
	MC_EXCLUDES(journal_writer->worker.lock)
{
	bool written, safe;

	if (len > 0 && journal_writer->before != NULL)
		journal_writer->before(journal_writer->before_argument);
	written = len > 0 && journal_group_write(journal_writer, len);
	safe = written && journal_is_safe(journal_writer->journal);
	journal_group_offer(journal_writer, len);
	tick(journal_writer);
	return safe;
}

static void *journal_writer_main(void *argument)
{
	struct journal_writer *journal_writer = argument;
	uint64_t sequence = 0;
	mc_time begun;
	size_t len;
	bool safe;

	pthread_mutex_lock(&journal_writer->worker.lock);
	for (;;) {
		worker_look(&journal_writer->worker);
		if (queue_empty(&journal_writer->worker.queue) && journal_writer->worker.stopping)
			break;
		if (queue_empty(&journal_writer->worker.queue)) {
			worker_wait(&journal_writer->worker,
				    waiters_empty(&journal_writer->waiters),
				    journal_writer->dirty ? journal_writer->ticked + TICK
							  : CLOCK_NEVER);
			wait_for_round(journal_writer);
		}
		if (wait_while_held(journal_writer))
			continue;
		len = take_group(journal_writer, &sequence);
		worker_work(&journal_writer->worker);
		journal_watch_work(journal_writer);
		pthread_mutex_unlock(&journal_writer->worker.lock);
		begun = thread_time();
		safe = work_on(journal_writer, len);
		pthread_mutex_lock(&journal_writer->worker.lock);
		learn_round(journal_writer, len, begun);
		journal_writer->writing_bytes = 0;
		if (len > 0)
			waiters_answer(&journal_writer->waiters, sequence, safe ? 0 : -EIO);
		waiters_tell(&journal_writer->waiters, &journal_writer->worker);
	}
	pthread_mutex_unlock(&journal_writer->worker.lock);
	worker_end(&journal_writer->worker);
	return NULL;
}

void journal_writer_start(struct journal_writer *journal_writer)
{
	int rc;

	pthread_mutex_lock(&journal_writer->worker.lock);
	worker_begin(&journal_writer->worker, "journal", journal_writer_main, journal_writer);
	worker_wake(&journal_writer->worker, WORKER_AT_ONCE);
	rc = worker_failure(&journal_writer->worker);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	if (rc < 0)
		log_error("journal: cannot start a thread: %s", strerror(-rc));
	journal_watch_start(journal_writer);
}

bool journal_writer_hold(struct journal_writer *journal_writer, mc_time until)
{
	bool idle;

	pthread_mutex_lock(&journal_writer->worker.lock);
	journal_writer->held = true;
	while (worker_is_busy(&journal_writer->worker) &&
	       thread_wait(&journal_writer->worker.change, &journal_writer->worker.lock, until))
		;
	idle = !worker_is_busy(&journal_writer->worker);
	journal_writer->held = idle;
	pthread_mutex_unlock(&journal_writer->worker.lock);
	return idle;
}

void journal_writer_go_on(struct journal_writer *journal_writer)
{
	pthread_mutex_lock(&journal_writer->worker.lock);
	journal_writer->held = false;
	pthread_cond_broadcast(&journal_writer->worker.change);
	pthread_mutex_unlock(&journal_writer->worker.lock);
}

void journal_writer_attach(struct journal_writer *journal_writer, struct writer *writer)
{
	durable_attach(writer, journal_writer->journal);
}

/* --- The queue -------------------------------------------------------- */

/* 'late': the end has come. */
static void miss(struct journal_writer *journal_writer, uint64_t samples, bool late)
{
	struct instance_set_reader visit = instance_set_read_lock(journal_writer->instances);

	journal_writer->dropped += samples;
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		if (durable_is(visit.instance_set->writers[i]))
			durable_drop_before(visit.instance_set->writers[i], samples, late);
	instance_set_read_unlock(journal_writer->instances, visit);
}

static void drop(struct journal_writer *journal_writer, struct mc_batch *batch, bool late)
{
	miss(journal_writer, batch->accepted, late);
	journal_writer->queued -= batch->accepted;
	store_release(journal_writer->store, batch);
}

/* Gives the lock up meanwhile.  The oldest go until that many bytes have room:
 * small ones do not make it for a large one one by one. */
static void make_room(struct journal_writer *journal_writer, size_t size)
	MC_REQUIRES(journal_writer->worker.lock)
{
	struct queue_item gone;

	while (journal_writer->queued_bytes + size > journal_writer->limit &&
	       queue_pop(&journal_writer->worker.queue, &gone)) {
		journal_writer->queued_bytes -= gone.size;
		waiters_answer(&journal_writer->waiters, gone.offset.seq, -EIO);
		pthread_mutex_unlock(&journal_writer->worker.lock);
		drop(journal_writer, gone.batch, false);
		pthread_mutex_lock(&journal_writer->worker.lock);
	}
}

/* Gives the lock up meanwhile.  Puts a batch at the end.  Returns its sequence number; 0 after the
 * end, when no thread would take it. */
static uint64_t push(struct journal_writer *journal_writer, struct mc_batch *batch)
	MC_REQUIRES(journal_writer->worker.lock)
{
	struct queue_item item = { .kind = QUEUE_BATCH, .batch = batch, .size = batch_size(batch) };

	make_room(journal_writer, item.size);
	if (journal_writer->ended)
		return 0;
	atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
	journal_writer->queued_bytes += item.size;
	journal_writer->queued += batch->accepted;
	item.offset.seq = ++journal_writer->sequence;
	queue_push(&journal_writer->worker.queue, &item);
	return item.offset.seq;
}

/* Whether too many bytes wait to linger for more. */
static enum worker_urgency urgency_of(const struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock)
{
	return journal_writer->queued_bytes > GROUP_BYTES ? WORKER_AT_ONCE : WORKER_AFTER_LINGER;
}

void journal_writer_put(struct journal_writer *journal_writer, struct mc_batch *batch, bool now)
{
	bool taken;

	pthread_mutex_lock(&journal_writer->worker.lock);
	taken = push(journal_writer, batch) > 0;
	if (now)
		worker_wake(&journal_writer->worker, urgency_of(journal_writer));
	waiters_tell(&journal_writer->waiters, &journal_writer->worker);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	if (!taken)
		miss(journal_writer, batch->accepted, false);
}

/* Half of what may wait in memory is for those who do not ask. */
bool journal_writer_has_room(struct journal_writer *journal_writer)
{
	size_t queued;
	bool room;

	pthread_mutex_lock(&journal_writer->worker.lock);
	room = journal_writer->queued_bytes <= journal_writer->limit / 2;
	queued = journal_writer->queued_bytes + journal_writer->writing_bytes;
	pthread_mutex_unlock(&journal_writer->worker.lock);
	return room && journal_has_room(journal_writer->journal, queued);
}

void journal_writer_wake(struct journal_writer *journal_writer)
{
	pthread_mutex_lock(&journal_writer->worker.lock);
	if (!queue_empty(&journal_writer->worker.queue))
		worker_wake(&journal_writer->worker, urgency_of(journal_writer));
	pthread_mutex_unlock(&journal_writer->worker.lock);
}

void journal_writer_put_then(struct journal_writer *journal_writer, struct mc_batch *batch,
			     mc_time limit, mc_committed *done, void *argument)
{
	mc_time now = thread_time();
	struct waiter waiter = {
		.ctx = batch->ctx, .until = now + limit, .done = done, .argument = argument
	};

	pthread_mutex_lock(&journal_writer->worker.lock);
	waiters_expire(&journal_writer->waiters, now);
	waiter.sequence = push(journal_writer, batch);
	if (waiter.sequence > 0)
		waiters_add(&journal_writer->waiters, &waiter);
	worker_wake(&journal_writer->worker,
		    journal_writer->round > 0 ? urgency_of(journal_writer) : WORKER_AT_ONCE);
	waiters_tell(&journal_writer->waiters, &journal_writer->worker);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	if (waiter.sequence > 0)
		return;
	miss(journal_writer, batch->accepted, false);
	done(argument, -EIO);
}

void journal_writer_cancel(struct journal_writer *journal_writer, const struct mc_ctx *ctx)
{
	pthread_mutex_lock(&journal_writer->worker.lock);
	waiters_cancel(&journal_writer->waiters, ctx);
	waiters_tell(&journal_writer->waiters, &journal_writer->worker);
	while (journal_writer->waiters.telling)
		pthread_cond_wait(&journal_writer->worker.change, &journal_writer->worker.lock);
	pthread_mutex_unlock(&journal_writer->worker.lock);
}

void journal_writer_show_receipts(struct journal_writer *journal_writer,
				  void (*show)(void *argument, const struct mc_dedup_id *),
				  void *argument)
{
	dedup_show(journal_receipts(journal_writer->journal), show, argument);
}

/* --- The end ---------------------------------------------------------- */

static bool has_work(const void *argument)
{
	const struct journal_writer *journal_writer = argument;

	return !queue_empty(&journal_writer->worker.queue);
}

bool journal_writer_drain(struct journal_writer *journal_writer, mc_time until)
{
	bool empty;

	pthread_mutex_lock(&journal_writer->worker.lock);
	worker_wake(&journal_writer->worker, WORKER_AT_ONCE);
	empty = worker_drain(&journal_writer->worker, has_work, journal_writer, until);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	return empty;
}

static void drop_rest(struct journal_writer *journal_writer)
{
	struct queue_item item;
	bool got;

	do {
		pthread_mutex_lock(&journal_writer->worker.lock);
		got = queue_pop(&journal_writer->worker.queue, &item);
		pthread_mutex_unlock(&journal_writer->worker.lock);
		if (got)
			drop(journal_writer, item.batch, true);
	} while (got);
}

bool journal_writer_stop(struct journal_writer *journal_writer, mc_time until)
{
	bool done;

	pthread_mutex_lock(&journal_writer->worker.lock);
	worker_stop(&journal_writer->worker);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	done = worker_join(&journal_writer->worker, until);
	pthread_mutex_lock(&journal_writer->worker.lock);
	journal_writer->ended = true;
	waiters_answer(&journal_writer->waiters, UINT64_MAX, -EIO);
	waiters_tell(&journal_writer->waiters, &journal_writer->worker);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	journal_watch_stop(journal_writer);
	if (!done)
		log_warn("journal: the disk of '%s' hangs, it is left behind "
			 "with %" PRIu64 " samples that may be on no disk",
			 journal_path(journal_writer->journal), journal_writer->queued);
	drop_rest(journal_writer);
	return done;
}

void journal_writer_count(struct journal_writer *journal_writer,
			  struct journal_writer_status *status)
{
	mc_time hanging;

	journal_count(journal_writer->journal, &status->journal);
	pthread_mutex_lock(&journal_writer->worker.lock);
	hanging = journal_writer->hanging;
	pthread_mutex_unlock(&journal_writer->worker.lock);
	status->failing_since = hanging != 0 ? hanging : status->journal.failed_since;
	status->queued = journal_writer->queued;
	status->bypassed = journal_writer->bypassed;
	status->dropped = journal_writer->dropped;
}
