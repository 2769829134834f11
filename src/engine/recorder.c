/* SPDX-License-Identifier: MIT */
/* The recorder: batches become records, a group of them at a time. */
#include "engine/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/durable.h"
#include "engine/house.h"
#include "engine/receipts.h"
#include "engine/record.h"
#include "engine/recorder_house.h"
#include "engine/writer.h"
#include "wire/otlp.h"

#define GROUP_MAX 256 /* Batches that are written at once. */
#define GROUP_BYTES ((size_t)256 << 10)
#define GATHER (5 * MC_MILLISECOND)    /* As the writers do; see writer.c. */
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

struct recorder *recorder_new(struct engine *engine,
			      const struct journal_settings *settings)
{
	struct recorder *recorder = alloc_zero(sizeof(*recorder));
	int rc = journal_open(settings, &recorder->journal);

	if (rc < 0) {
		log_error("journal: cannot use '%s', it goes on without: %s",
			  settings->path, reason_of(rc));
		free(recorder);
		return NULL;
	}
	recorder->engine = engine;
	recorder->limit = engine->live.queue_bytes;
	recorder->encoder = mc_otlp_writer_new(RECORD_BYTES);
	otlp_write_rates(recorder->encoder);
	recorder->group = alloc_array(GROUP_MAX, sizeof(*recorder->group));
	recorder->ticked = clock_now();
	pthread_mutex_init(&recorder->lock, NULL);
	clock_cond_init(&recorder->change);
	clock_cond_init(&recorder->watch);
	queue_init(&recorder->queue);
	waiters_init(&recorder->waiters);
	waiters_init(&recorder->answered);
	return recorder;
}

void recorder_free(struct recorder *recorder)
{
	if (recorder == NULL)
		return;
	journal_close(recorder->journal);
	mc_otlp_writer_free(recorder->encoder);
	queue_done(&recorder->queue);
	pthread_cond_destroy(&recorder->change);
	pthread_cond_destroy(&recorder->watch);
	pthread_mutex_destroy(&recorder->lock);
	free(recorder->group);
	free(recorder);
}

void recorder_set_limit(struct recorder *recorder, size_t limit_bytes)
{
	pthread_mutex_lock(&recorder->lock);
	recorder->limit = limit_bytes;
	pthread_mutex_unlock(&recorder->lock);
}

/* --- The thread ------------------------------------------------------- */

/* Adds as much of a batch behind 'last' as a record has.  Returns the last
 * sample of that. */
static const struct mc_sample *add_record(struct recorder *recorder,
					  struct member *member,
					  const struct mc_sample *last)
{
	struct journal *journal = recorder->journal;
	struct journal_record record = { .type = FRAME_BATCH,
					 .time = member->batch->time };
	struct queue_place place = { .before = journal_samples(journal) };
	const struct mc_sample *next = last;
	struct mc_otlp_bytes bytes;
	size_t size = 0;

	while (size < RECORD_BYTES &&
	       (next = otlp_write_piece(recorder->encoder, member->batch, last,
					&bytes)) != NULL) {
		journal_append(journal, bytes.at, bytes.size);
		size += bytes.size;
		record.samples += bytes.samples_len;
		last = next;
	}
	/* Of several records the last one says that all are there. */
	if (mc_next(member->batch, last) == NULL)
		record.receipt = member->batch->receipt;
	place.seq = journal_add(journal, &record);
	if (member->records++ == 0)
		member->place = place;
	return last;
}

/* Adds a batch to the group; more records than one if it is very large. */
static void add_records(struct recorder *recorder, struct member *member)
{
	const struct mc_sample *last = NULL;

	do
		last = add_record(recorder, member, last);
	while (mc_next(member->batch, last) != NULL);
}

/* One without samples only asks how those before it fared; and, if they were
 * not written, whether something can be written again. */
static bool has_record(const struct recorder *recorder,
		       const struct member *member)
{
	return member->batch->accepted > 0 ||
	       journal_is_failing(recorder->journal);
}

static bool write_group(struct recorder *recorder, size_t len)
{
	bool ready = journal_is_ready(recorder->journal);

	for (size_t i = 0; i < len && ready; i++)
		if (has_record(recorder, &recorder->group[i]))
			add_records(recorder, &recorder->group[i]);
	if (ready && journal_commit(recorder->journal) == 0) {
		recorder->dirty = true;
		return true;
	}
	for (size_t i = 0; i < len; i++) {
		recorder->group[i].records = 0;
		recorder->bypassed += recorder->group[i].batch->accepted;
	}
	return false;
}

/* Tells the writers of records that the quota has taken from them. */
static void tell_of_quota(struct recorder *recorder)
{
	struct queue_place oldest;
	struct journal_status status;
	struct roster_visit visit;

	journal_count(recorder->journal, &status);
	if (status.dropped_segments == recorder->dropped_segments)
		return;
	recorder->dropped_segments = status.dropped_segments;
	oldest = (struct queue_place){ status.oldest, status.oldest_before };
	visit = roster_enter(recorder->engine);
	for (unsigned i = 0; i < visit.roster->writers_len; i++)
		durable_trim(visit.roster->writers[i], &oldest);
	roster_leave(recorder->engine, visit);
}

static void offer_group(struct recorder *recorder, size_t len)
{
	struct engine *engine = recorder->engine;
	struct roster_visit visit = roster_enter(engine);

	for (unsigned i = 0; i < visit.roster->writers_len; i++) {
		struct writer *writer = visit.roster->writers[i];

		if (!durable_is(writer))
			continue;
		for (size_t j = 0; j < len; j++) {
			struct member *member = &recorder->group[j];

			if (member->records > 0 || member->batch->accepted > 0)
				durable_offer(writer, member->batch,
					      &member->place, member->records);
		}
		writer_wake(writer);
	}
	roster_leave(engine, visit);
	for (size_t i = 0; i < len; i++) {
		recorder->queued -= recorder->group[i].batch->accepted;
		store_release(engine->store, recorder->group[i].batch);
	}
	tell_of_quota(recorder);
}

void recorder_tell(struct recorder *recorder)
{
	struct waiters answered;

	if (recorder->telling || recorder->answered.first == NULL)
		return;
	recorder->telling = true;
	while (recorder->answered.first != NULL) {
		waiters_take(&recorder->answered, &answered);
		pthread_mutex_unlock(&recorder->lock);
		waiters_tell(&answered);
		pthread_mutex_lock(&recorder->lock);
	}
	recorder->telling = false;
	pthread_cond_broadcast(&recorder->change);
}

/* Needs the lock.  Waits for work, or for more of it where much comes, or for
 * the next tick. */
static void wait_for_work(struct recorder *recorder)
{
	mc_time until = recorder->dirty ? recorder->ticked + TICK : CLOCK_NEVER;
	mc_time now;

	if (recorder->brisk && recorder->waiters.first == NULL) {
		recorder->gathering = true;
		thread_wait(&recorder->change, &recorder->lock,
			    thread_time() + GATHER);
		recorder->gathering = false;
		recorder->brisk = !queue_empty(&recorder->queue);
		return;
	}
	recorder->waiting = true;
	clock_wait(&recorder->change, &recorder->lock, until);
	recorder->waiting = false;
	now = thread_time();
	recorder->brisk = now - recorder->woken < GATHER;
	recorder->woken = now;
}

/* Needs the lock.  Takes what waits as the next group; returns how many. */
static size_t take_group(struct recorder *recorder, uint64_t *ticket)
{
	struct queue_item item;
	size_t len = 0, bytes = 0;

	while (len < GROUP_MAX && bytes < GROUP_BYTES &&
	       queue_pop(&recorder->queue, &item)) {
		recorder->group[len++] = (struct member){ .batch = item.batch };
		bytes += item.size;
		*ticket = item.place.seq;
	}
	recorder->queued_bytes -= bytes;
	return len;
}

static void tick(struct recorder *recorder)
{
	if (clock_now() - recorder->ticked < TICK)
		return;
	recorder->ticked = clock_now();
	recorder->dirty = false;
	journal_tick(recorder->journal);
	tell_of_quota(recorder);
}

/* Needs the lock.  Returns whether it has waited. */
static bool wait_while_held(struct recorder *recorder)
{
	bool held = recorder->held;

	if (held)
		pthread_cond_broadcast(&recorder->change);
	while (recorder->held)
		pthread_cond_wait(&recorder->change, &recorder->lock);
	return held;
}

static void *recorder_main(void *argument)
{
	struct recorder *recorder = argument;
	uint64_t ticket = 0;
	size_t len;

	pthread_mutex_lock(&recorder->lock);
	for (;;) {
		bool written;

		recorder->busy = false;
		if (queue_empty(&recorder->queue)) {
			pthread_cond_broadcast(&recorder->change);
			if (recorder->stopping)
				break;
			wait_for_work(recorder);
		}
		if (wait_while_held(recorder))
			continue;
		len = take_group(recorder, &ticket);
		recorder->busy = true;
		recorder_watch_work(recorder);
		pthread_mutex_unlock(&recorder->lock);
		written = len > 0 && write_group(recorder, len);
		written = written && journal_is_safe(recorder->journal);
		offer_group(recorder, len);
		tick(recorder);
		pthread_mutex_lock(&recorder->lock);
		if (len > 0)
			waiters_answer(&recorder->waiters, ticket,
				       written ? 0 : -EIO, &recorder->answered);
		recorder_tell(recorder);
	}
	recorder->done = true;
	pthread_cond_broadcast(&recorder->change);
	pthread_mutex_unlock(&recorder->lock);
	return NULL;
}

void recorder_start(struct recorder *recorder)
{
	int rc = thread_start(&recorder->thread, "journal", recorder_main,
			      recorder);

	if (rc < 0)
		log_error("journal: cannot start a thread: %s", strerror(-rc));
	recorder->begun = rc == 0;
	recorder_watch_start(recorder);
}

bool recorder_hold(struct recorder *recorder, mc_time until)
{
	bool idle;

	pthread_mutex_lock(&recorder->lock);
	recorder->held = true;
	while (recorder->busy &&
	       thread_wait(&recorder->change, &recorder->lock, until))
		;
	idle = !recorder->busy;
	recorder->held = idle;
	pthread_mutex_unlock(&recorder->lock);
	return idle;
}

void recorder_go_on(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->lock);
	recorder->held = false;
	pthread_cond_broadcast(&recorder->change);
	pthread_mutex_unlock(&recorder->lock);
}

void recorder_attach(struct recorder *recorder, struct writer *writer)
{
	durable_attach(writer, recorder->journal);
}

/* --- The queue -------------------------------------------------------- */

/* Needs the lock. */
static void wake(struct recorder *recorder, bool at_once)
{
	if (recorder->waiting || (recorder->gathering && at_once))
		pthread_cond_broadcast(&recorder->change);
}

/* 'late': the end has come. */
static void miss(struct recorder *recorder, uint64_t samples, bool late)
{
	struct engine *engine = recorder->engine;
	struct roster_visit visit = roster_enter(engine);

	recorder->dropped += samples;
	for (unsigned i = 0; i < visit.roster->writers_len; i++)
		if (durable_is(visit.roster->writers[i]))
			durable_miss(visit.roster->writers[i], samples, late);
	roster_leave(engine, visit);
}

static void drop(struct recorder *recorder, struct mc_batch *batch, bool late)
{
	miss(recorder, batch->accepted, late);
	recorder->queued -= batch->accepted;
	store_release(recorder->engine->store, batch);
}

/* Needs the lock, and gives it up meanwhile.  The oldest go until that many
 * bytes have room: small ones do not make it for a large one one by one. */
static void make_room(struct recorder *recorder, size_t size)
{
	struct queue_item gone;

	while (recorder->queued_bytes + size > recorder->limit &&
	       queue_pop(&recorder->queue, &gone)) {
		recorder->queued_bytes -= gone.size;
		waiters_answer(&recorder->waiters, gone.place.seq, -EIO,
			       &recorder->answered);
		pthread_mutex_unlock(&recorder->lock);
		drop(recorder, gone.batch, false);
		pthread_mutex_lock(&recorder->lock);
	}
}

/* Needs the lock, and gives it up meanwhile.  Puts a batch at the end.  Returns
 * its ticket; 0 after the end, when nobody would take it. */
static uint64_t push(struct recorder *recorder, struct mc_batch *batch)
{
	struct queue_item item = { .kind = QUEUE_BATCH,
				   .batch = batch,
				   .size = batch_size(batch) };

	make_room(recorder, item.size);
	if (recorder->ended)
		return 0;
	atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
	recorder->queued_bytes += item.size;
	recorder->queued += batch->accepted;
	item.place.seq = ++recorder->tickets;
	queue_push(&recorder->queue, &item);
	return item.place.seq;
}

void recorder_put(struct recorder *recorder, struct mc_batch *batch, bool now)
{
	bool taken;

	pthread_mutex_lock(&recorder->lock);
	taken = push(recorder, batch) > 0;
	if (now)
		wake(recorder, recorder->queued_bytes > GROUP_BYTES);
	recorder_tell(recorder);
	pthread_mutex_unlock(&recorder->lock);
	if (!taken)
		miss(recorder, batch->accepted, false);
}

bool recorder_has_room(struct recorder *recorder)
{
	size_t queued;

	pthread_mutex_lock(&recorder->lock);
	queued = recorder->queued_bytes;
	pthread_mutex_unlock(&recorder->lock);
	return journal_has_room(recorder->journal, queued);
}

void recorder_wake(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->lock);
	if (!queue_empty(&recorder->queue))
		wake(recorder, recorder->queued_bytes > GROUP_BYTES);
	pthread_mutex_unlock(&recorder->lock);
}

void recorder_put_then(struct recorder *recorder, struct mc_batch *batch,
		       mc_time limit, mc_committed *done, void *argument)
{
	mc_time now = thread_time();
	struct waiter waiter = { .ctx = batch->ctx,
				 .until = now + limit,
				 .done = done,
				 .argument = argument };

	pthread_mutex_lock(&recorder->lock);
	waiters_expire(&recorder->waiters, now, &recorder->answered);
	waiter.ticket = push(recorder, batch);
	if (waiter.ticket > 0)
		waiters_add(&recorder->waiters, &waiter);
	wake(recorder, true);
	recorder_tell(recorder);
	pthread_mutex_unlock(&recorder->lock);
	if (waiter.ticket > 0)
		return;
	miss(recorder, batch->accepted, false);
	done(argument, -EIO);
}

void recorder_cancel(struct recorder *recorder, const struct mc_ctx *ctx)
{
	pthread_mutex_lock(&recorder->lock);
	waiters_cancel(&recorder->waiters, ctx, &recorder->answered);
	recorder_tell(recorder);
	while (recorder->telling)
		pthread_cond_wait(&recorder->change, &recorder->lock);
	pthread_mutex_unlock(&recorder->lock);
}

void recorder_show_receipts(struct recorder *recorder,
			    void (*show)(void *argument,
					 const struct mc_receipt *),
			    void *argument)
{
	receipts_show(journal_receipts(recorder->journal), show, argument);
}

/* --- The end ---------------------------------------------------------- */

bool recorder_drain(struct recorder *recorder, mc_time until)
{
	bool empty;

	pthread_mutex_lock(&recorder->lock);
	wake(recorder, true);
	while (!(empty = queue_empty(&recorder->queue) && !recorder->busy) &&
	       recorder->begun && !recorder->done)
		if (!thread_wait(&recorder->change, &recorder->lock, until))
			break;
	pthread_mutex_unlock(&recorder->lock);
	return empty;
}

bool recorder_stop(struct recorder *recorder, mc_time until)
{
	struct queue_item item;
	bool done;

	pthread_mutex_lock(&recorder->lock);
	recorder->stopping = true;
	pthread_cond_broadcast(&recorder->change);
	while (recorder->begun && !recorder->done &&
	       thread_wait(&recorder->change, &recorder->lock, until))
		;
	done = !recorder->begun || recorder->done;
	recorder->ended = true;
	waiters_answer(&recorder->waiters, UINT64_MAX, -EIO,
		       &recorder->answered);
	recorder_tell(recorder);
	pthread_mutex_unlock(&recorder->lock);
	recorder_watch_stop(recorder);
	if (!done)
		log_warn("journal: the disk of '%s' hangs, it is left behind "
			 "with %" PRIu64 " samples that may be on no disk",
			 journal_path(recorder->journal), recorder->queued);
	if (recorder->begun && done)
		pthread_join(recorder->thread, NULL);
	recorder->begun = recorder->begun && !done;
	for (;;) {
		bool got;

		pthread_mutex_lock(&recorder->lock);
		got = queue_pop(&recorder->queue, &item);
		pthread_mutex_unlock(&recorder->lock);
		if (!got)
			return done;
		drop(recorder, item.batch, true);
	}
}

void recorder_count(struct recorder *recorder, struct recorder_status *status)
{
	mc_time hanging;

	journal_count(recorder->journal, &status->journal);
	pthread_mutex_lock(&recorder->lock);
	hanging = recorder->hanging;
	pthread_mutex_unlock(&recorder->lock);
	status->failing_since =
		hanging != 0 ? hanging : status->journal.failed_since;
	status->queued = recorder->queued;
	status->bypassed = recorder->bypassed;
	status->dropped = recorder->dropped;
}
