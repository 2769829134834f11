/* SPDX-License-Identifier: MIT */
/* The journal writer: batches become records, a group of them at a time. */
#include "engine/write/journal_writer.h"

#include <collector/journal.h>
#include <collector/serve.h>
#include <collector/writer.h>

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
#include "engine/write/durable.h"
#include "engine/write/journal_entry.h"
#include "engine/write/journal_writer_internal.h"
#include "engine/write/writer.h"

#define GROUP_MAX 256 /* Batches that are written at once. */
#define GROUP_BYTES ((size_t)256 << 10)
#define LINGER (5 * MC_MILLISECOND)    /* As the writers do; see writer.c. */
#define RECORD_BYTES ((size_t)4 << 20) /* Larger batches are several. */
#define TICK JOURNAL_SYNC_INTERVAL_TIME

/* What a person can do something about. */
static const char *reason_of(int rc)
{
	if (rc == -EBUSY)
		return "another process uses it";
	if (rc == -EPERM)
		return "it is another user's, or open to others (its mode must "
		       "be 0700)";
	return strerror(-rc);
}

struct journal_writer *journal_writer_new(
	const struct journal_settings *settings,
	struct instance_sets *instances, struct store *store,
	size_t limit_bytes)
{
	struct journal_writer *journal_writer =
		alloc_zero(sizeof(*journal_writer));
	int rc = journal_open(settings, &journal_writer->journal);

	if (rc < 0) {
		log_error("journal: cannot use '%s', it goes on without: %s",
			  settings->path, reason_of(rc));
		free(journal_writer);
		return NULL;
	}
	journal_writer->instances = instances;
	journal_writer->store = store;
	journal_writer->limit = limit_bytes;
	journal_writer->encoder = mc_otlp_writer_new(RECORD_BYTES);
	otlp_write_rates(journal_writer->encoder);
	journal_writer->group =
		alloc_array(GROUP_MAX, sizeof(*journal_writer->group));
	journal_writer->ticked = clock_now();
	pthread_mutex_init(&journal_writer->lock, NULL);
	clock_cond_init(&journal_writer->change);
	clock_cond_init(&journal_writer->watch);
	queue_init(&journal_writer->queue);
	waiters_init(&journal_writer->waiters);
	waiters_init(&journal_writer->answered);
	return journal_writer;
}

void journal_writer_free(struct journal_writer *journal_writer)
{
	if (journal_writer == NULL)
		return;
	journal_close(journal_writer->journal);
	mc_otlp_writer_free(journal_writer->encoder);
	queue_done(&journal_writer->queue);
	pthread_cond_destroy(&journal_writer->change);
	pthread_cond_destroy(&journal_writer->watch);
	pthread_mutex_destroy(&journal_writer->lock);
	free(journal_writer->group);
	free(journal_writer);
}

void journal_writer_set_limit(struct journal_writer *journal_writer,
			      size_t limit_bytes)
{
	pthread_mutex_lock(&journal_writer->lock);
	journal_writer->limit = limit_bytes;
	pthread_mutex_unlock(&journal_writer->lock);
}

/* --- The thread ------------------------------------------------------- */

/* Adds as much of a batch behind 'last' as a record has.  Returns the last
 * sample of that. */
static const struct mc_sample *add_record(struct journal_writer *journal_writer,
					  struct member *member,
					  const struct mc_sample *last)
{
	struct journal *journal = journal_writer->journal;
	struct journal_record record = { .type = FRAME_BATCH,
					 .time = member->batch->time };
	struct mc_offset offset = { .samples = journal_samples(journal) };
	const struct mc_sample *next = last;
	struct mc_otlp_bytes bytes;
	size_t size = 0;

	while (size < RECORD_BYTES &&
	       (next = otlp_write_piece(journal_writer->encoder, member->batch,
					last, &bytes)) != NULL) {
		journal_append(journal, bytes.at, bytes.size);
		size += bytes.size;
		record.samples += bytes.samples_len;
		last = next;
	}
	/* Of several records the last one says that all are there. */
	if (mc_next(member->batch, last) == NULL)
		record.receipt = member->batch->receipt;
	offset.seq = journal_add(journal, &record);
	if (member->records++ == 0)
		member->offset = offset;
	return last;
}

/* Adds a batch to the group; more records than one if it is very large. */
static void add_records(struct journal_writer *journal_writer,
			struct member *member)
{
	const struct mc_sample *last = NULL;

	do
		last = add_record(journal_writer, member, last);
	while (mc_next(member->batch, last) != NULL);
}

/* One without samples only asks how those before it fared; and, if they were
 * not written, whether something can be written again. */
static bool has_record(const struct journal_writer *journal_writer,
		       const struct member *member)
{
	return member->batch->accepted > 0 ||
	       journal_is_failing(journal_writer->journal);
}

static bool write_group(struct journal_writer *journal_writer, size_t len)
{
	bool ready = journal_is_ready(journal_writer->journal);

	for (size_t i = 0; i < len && ready; i++)
		if (has_record(journal_writer, &journal_writer->group[i]))
			add_records(journal_writer, &journal_writer->group[i]);
	if (ready && journal_commit(journal_writer->journal) == 0) {
		journal_writer->dirty = true;
		return true;
	}
	for (size_t i = 0; i < len; i++) {
		journal_writer->group[i].records = 0;
		journal_writer->bypassed +=
			journal_writer->group[i].batch->accepted;
	}
	return false;
}

/* Tells the writers of records that the quota has taken from them. */
static void tell_of_quota(struct journal_writer *journal_writer)
{
	struct journal_status status;
	struct instance_set_reader visit;

	journal_count(journal_writer->journal, &status);
	if (status.dropped_segments == journal_writer->dropped_segments)
		return;
	journal_writer->dropped_segments = status.dropped_segments;
	visit = instance_set_read_lock(journal_writer->instances);
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		durable_trim(visit.instance_set->writers[i], &status.oldest);
	instance_set_read_unlock(journal_writer->instances, visit);
}

static void offer_group(struct journal_writer *journal_writer, size_t len)
{
	struct instance_set_reader visit =
		instance_set_read_lock(journal_writer->instances);

	for (unsigned i = 0; i < visit.instance_set->writers_len; i++) {
		struct writer *writer = visit.instance_set->writers[i];

		if (!durable_is(writer))
			continue;
		for (size_t j = 0; j < len; j++) {
			struct member *member = &journal_writer->group[j];

			if (member->records > 0 || member->batch->accepted > 0)
				durable_offer(writer, member->batch,
					      &member->offset, member->records);
		}
		writer_wake(writer);
	}
	instance_set_read_unlock(journal_writer->instances, visit);
	for (size_t i = 0; i < len; i++) {
		journal_writer->queued -=
			journal_writer->group[i].batch->accepted;
		store_release(journal_writer->store,
			      journal_writer->group[i].batch);
	}
	tell_of_quota(journal_writer);
}

void journal_writer_tell(struct journal_writer *journal_writer)
{
	struct waiters answered;

	if (journal_writer->telling || journal_writer->answered.first == NULL)
		return;
	journal_writer->telling = true;
	while (journal_writer->answered.first != NULL) {
		waiters_take(&journal_writer->answered, &answered);
		pthread_mutex_unlock(&journal_writer->lock);
		waiters_tell(&answered);
		pthread_mutex_lock(&journal_writer->lock);
	}
	journal_writer->telling = false;
	pthread_cond_broadcast(&journal_writer->change);
}

/* Needs the lock.  Waits for work, or for more of it where much comes, or for
 * the next tick. */
static void wait_for_work(struct journal_writer *journal_writer)
{
	mc_time until = journal_writer->dirty ? journal_writer->ticked + TICK
					      : CLOCK_NEVER;
	mc_time now;

	if (journal_writer->fast && journal_writer->waiters.first == NULL) {
		journal_writer->lingering = true;
		thread_wait(&journal_writer->change, &journal_writer->lock,
			    thread_time() + LINGER);
		journal_writer->lingering = false;
		journal_writer->fast = !queue_empty(&journal_writer->queue);
		return;
	}
	journal_writer->waiting = true;
	clock_wait(&journal_writer->change, &journal_writer->lock, until);
	journal_writer->waiting = false;
	now = thread_time();
	journal_writer->fast = now - journal_writer->woken < LINGER;
	journal_writer->woken = now;
}

/* Needs the lock.  Takes what waits as the next group; returns how many. */
static size_t take_group(struct journal_writer *journal_writer,
			 uint64_t *sequence)
{
	struct queue_item item;
	size_t len = 0, bytes = 0;

	while (len < GROUP_MAX && bytes < GROUP_BYTES &&
	       queue_pop(&journal_writer->queue, &item)) {
		journal_writer->group[len++] =
			(struct member){ .batch = item.batch };
		bytes += item.size;
		*sequence = item.offset.seq;
	}
	journal_writer->queued_bytes -= bytes;
	return len;
}

static void tick(struct journal_writer *journal_writer)
{
	if (clock_now() - journal_writer->ticked < TICK)
		return;
	journal_writer->ticked = clock_now();
	journal_writer->dirty = false;
	journal_tick(journal_writer->journal);
	tell_of_quota(journal_writer);
}

/* Needs the lock.  Returns whether it has waited. */
static bool wait_while_held(struct journal_writer *journal_writer)
{
	bool held = journal_writer->held;

	if (held)
		pthread_cond_broadcast(&journal_writer->change);
	while (journal_writer->held)
		pthread_cond_wait(&journal_writer->change,
				  &journal_writer->lock);
	return held;
}

static void *journal_writer_main(void *argument)
{
	struct journal_writer *journal_writer = argument;
	uint64_t sequence = 0;
	size_t len;

	pthread_mutex_lock(&journal_writer->lock);
	for (;;) {
		bool written;

		journal_writer->busy = false;
		if (queue_empty(&journal_writer->queue)) {
			pthread_cond_broadcast(&journal_writer->change);
			if (journal_writer->stopping)
				break;
			wait_for_work(journal_writer);
		}
		if (wait_while_held(journal_writer))
			continue;
		len = take_group(journal_writer, &sequence);
		journal_writer->busy = true;
		journal_writer_watch_work(journal_writer);
		pthread_mutex_unlock(&journal_writer->lock);
		written = len > 0 && write_group(journal_writer, len);
		written = written && journal_is_safe(journal_writer->journal);
		offer_group(journal_writer, len);
		tick(journal_writer);
		pthread_mutex_lock(&journal_writer->lock);
		if (len > 0)
			waiters_answer(&journal_writer->waiters, sequence,
				       written ? 0 : -EIO,
				       &journal_writer->answered);
		journal_writer_tell(journal_writer);
	}
	journal_writer->done = true;
	pthread_cond_broadcast(&journal_writer->change);
	pthread_mutex_unlock(&journal_writer->lock);
	return NULL;
}

void journal_writer_start(struct journal_writer *journal_writer)
{
	int rc = thread_start(&journal_writer->thread, "journal",
			      journal_writer_main, journal_writer);

	if (rc < 0)
		log_error("journal: cannot start a thread: %s", strerror(-rc));
	journal_writer->begun = rc == 0;
	journal_writer_watch_start(journal_writer);
}

bool journal_writer_hold(struct journal_writer *journal_writer, mc_time until)
{
	bool idle;

	pthread_mutex_lock(&journal_writer->lock);
	journal_writer->held = true;
	while (journal_writer->busy &&
	       thread_wait(&journal_writer->change, &journal_writer->lock,
			   until))
		;
	idle = !journal_writer->busy;
	journal_writer->held = idle;
	pthread_mutex_unlock(&journal_writer->lock);
	return idle;
}

void journal_writer_go_on(struct journal_writer *journal_writer)
{
	pthread_mutex_lock(&journal_writer->lock);
	journal_writer->held = false;
	pthread_cond_broadcast(&journal_writer->change);
	pthread_mutex_unlock(&journal_writer->lock);
}

void journal_writer_attach(struct journal_writer *journal_writer,
			   struct writer *writer)
{
	durable_attach(writer, journal_writer->journal);
}

/* --- The queue -------------------------------------------------------- */

/* Needs the lock. */
static void wake(struct journal_writer *journal_writer, bool at_once)
{
	if (journal_writer->waiting || (journal_writer->lingering && at_once))
		pthread_cond_broadcast(&journal_writer->change);
}

/* 'late': the end has come. */
static void miss(struct journal_writer *journal_writer, uint64_t samples,
		 bool late)
{
	struct instance_set_reader visit =
		instance_set_read_lock(journal_writer->instances);

	journal_writer->dropped += samples;
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		if (durable_is(visit.instance_set->writers[i]))
			durable_drop_before(visit.instance_set->writers[i],
					    samples, late);
	instance_set_read_unlock(journal_writer->instances, visit);
}

static void drop(struct journal_writer *journal_writer, struct mc_batch *batch,
		 bool late)
{
	miss(journal_writer, batch->accepted, late);
	journal_writer->queued -= batch->accepted;
	store_release(journal_writer->store, batch);
}

/* Needs the lock, and gives it up meanwhile.  The oldest go until that many
 * bytes have room: small ones do not make it for a large one one by one. */
static void make_room(struct journal_writer *journal_writer, size_t size)
{
	struct queue_item gone;

	while (journal_writer->queued_bytes + size > journal_writer->limit &&
	       queue_pop(&journal_writer->queue, &gone)) {
		journal_writer->queued_bytes -= gone.size;
		waiters_answer(&journal_writer->waiters, gone.offset.seq, -EIO,
			       &journal_writer->answered);
		pthread_mutex_unlock(&journal_writer->lock);
		drop(journal_writer, gone.batch, false);
		pthread_mutex_lock(&journal_writer->lock);
	}
}

/* Needs the lock, and gives it up meanwhile.  Puts a batch at the end.  Returns
 * its sequence number; 0 after the end, when nobody would take it. */
static uint64_t push(struct journal_writer *journal_writer,
		     struct mc_batch *batch)
{
	struct queue_item item = { .kind = QUEUE_BATCH,
				   .batch = batch,
				   .size = batch_size(batch) };

	make_room(journal_writer, item.size);
	if (journal_writer->ended)
		return 0;
	atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
	journal_writer->queued_bytes += item.size;
	journal_writer->queued += batch->accepted;
	item.offset.seq = ++journal_writer->sequence;
	queue_push(&journal_writer->queue, &item);
	return item.offset.seq;
}

void journal_writer_put(struct journal_writer *journal_writer,
			struct mc_batch *batch, bool now)
{
	bool taken;

	pthread_mutex_lock(&journal_writer->lock);
	taken = push(journal_writer, batch) > 0;
	if (now)
		wake(journal_writer,
		     journal_writer->queued_bytes > GROUP_BYTES);
	journal_writer_tell(journal_writer);
	pthread_mutex_unlock(&journal_writer->lock);
	if (!taken)
		miss(journal_writer, batch->accepted, false);
}

bool journal_writer_has_room(struct journal_writer *journal_writer)
{
	size_t queued;

	pthread_mutex_lock(&journal_writer->lock);
	queued = journal_writer->queued_bytes;
	pthread_mutex_unlock(&journal_writer->lock);
	return journal_has_room(journal_writer->journal, queued);
}

void journal_writer_wake(struct journal_writer *journal_writer)
{
	pthread_mutex_lock(&journal_writer->lock);
	if (!queue_empty(&journal_writer->queue))
		wake(journal_writer,
		     journal_writer->queued_bytes > GROUP_BYTES);
	pthread_mutex_unlock(&journal_writer->lock);
}

void journal_writer_put_then(struct journal_writer *journal_writer,
			     struct mc_batch *batch, mc_time limit,
			     mc_committed *done, void *argument)
{
	mc_time now = thread_time();
	struct waiter waiter = { .ctx = batch->ctx,
				 .until = now + limit,
				 .done = done,
				 .argument = argument };

	pthread_mutex_lock(&journal_writer->lock);
	waiters_expire(&journal_writer->waiters, now,
		       &journal_writer->answered);
	waiter.sequence = push(journal_writer, batch);
	if (waiter.sequence > 0)
		waiters_add(&journal_writer->waiters, &waiter);
	wake(journal_writer, true);
	journal_writer_tell(journal_writer);
	pthread_mutex_unlock(&journal_writer->lock);
	if (waiter.sequence > 0)
		return;
	miss(journal_writer, batch->accepted, false);
	done(argument, -EIO);
}

void journal_writer_cancel(struct journal_writer *journal_writer,
			   const struct mc_ctx *ctx)
{
	pthread_mutex_lock(&journal_writer->lock);
	waiters_cancel(&journal_writer->waiters, ctx,
		       &journal_writer->answered);
	journal_writer_tell(journal_writer);
	while (journal_writer->telling)
		pthread_cond_wait(&journal_writer->change,
				  &journal_writer->lock);
	pthread_mutex_unlock(&journal_writer->lock);
}

void journal_writer_show_receipts(struct journal_writer *journal_writer,
				  void (*show)(void *argument,
					       const struct mc_dedup_id *),
				  void *argument)
{
	dedup_show(journal_receipts(journal_writer->journal), show, argument);
}

/* --- The end ---------------------------------------------------------- */

bool journal_writer_drain(struct journal_writer *journal_writer, mc_time until)
{
	bool empty;

	pthread_mutex_lock(&journal_writer->lock);
	wake(journal_writer, true);
	while (!(empty = queue_empty(&journal_writer->queue) &&
			 !journal_writer->busy) &&
	       journal_writer->begun && !journal_writer->done)
		if (!thread_wait(&journal_writer->change, &journal_writer->lock,
				 until))
			break;
	pthread_mutex_unlock(&journal_writer->lock);
	return empty;
}

bool journal_writer_stop(struct journal_writer *journal_writer, mc_time until)
{
	struct queue_item item;
	bool done;

	pthread_mutex_lock(&journal_writer->lock);
	journal_writer->stopping = true;
	pthread_cond_broadcast(&journal_writer->change);
	while (journal_writer->begun && !journal_writer->done &&
	       thread_wait(&journal_writer->change, &journal_writer->lock,
			   until))
		;
	done = !journal_writer->begun || journal_writer->done;
	journal_writer->ended = true;
	waiters_answer(&journal_writer->waiters, UINT64_MAX, -EIO,
		       &journal_writer->answered);
	journal_writer_tell(journal_writer);
	pthread_mutex_unlock(&journal_writer->lock);
	journal_writer_watch_stop(journal_writer);
	if (!done)
		log_warn("journal: the disk of '%s' hangs, it is left behind "
			 "with %" PRIu64 " samples that may be on no disk",
			 journal_path(journal_writer->journal),
			 journal_writer->queued);
	if (journal_writer->begun && done)
		pthread_join(journal_writer->thread, NULL);
	journal_writer->begun = journal_writer->begun && !done;
	for (;;) {
		bool got;

		pthread_mutex_lock(&journal_writer->lock);
		got = queue_pop(&journal_writer->queue, &item);
		pthread_mutex_unlock(&journal_writer->lock);
		if (!got)
			return done;
		drop(journal_writer, item.batch, true);
	}
}

void journal_writer_count(struct journal_writer *journal_writer,
			  struct journal_writer_status *status)
{
	mc_time hanging;

	journal_count(journal_writer->journal, &status->journal);
	pthread_mutex_lock(&journal_writer->lock);
	hanging = journal_writer->hanging;
	pthread_mutex_unlock(&journal_writer->lock);
	status->failing_since =
		hanging != 0 ? hanging : status->journal.failed_since;
	status->queued = journal_writer->queued;
	status->bypassed = journal_writer->bypassed;
	status->dropped = journal_writer->dropped;
}
