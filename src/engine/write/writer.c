/* SPDX-License-Identifier: MIT */
/* A writer: one bounded queue and one thread for an instance. */
#include "engine/write/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/store/store.h"
#include "engine/write/account.h"
#include "engine/write/catch_up.h"
#include "engine/write/durable.h"
#include "engine/write/handover.h"
#include "engine/write/journal_entry.h"
#include "engine/write/linger.h"
#include "engine/write/notification.h"
#include "engine/write/slot.h"
#include "engine/write/writer_internal.h"

#define RETRY_FIRST (100 * MC_MILLISECOND) /* Doubles until RETRY_LAST. */
#define RETRY_LAST (10 * MC_SECOND)
#define START_AGAIN MC_SECOND /* After a thread that cannot be made. */

/* A thread that is woken again within this time lingers for as long
 * instead of being woken for each one, unless that many bytes wait. */
#define LINGER (10 * MC_MILLISECOND)
#define LINGER_BYTES ((size_t)256 << 10)
#define TRIM_BYTES ((size_t)2 << 20)
#define TRIM_EVERY (10 * MC_SECOND)

struct writer *writer_new(struct context *context, size_t limit_bytes)
{
	struct writer *writer = alloc_zero(sizeof(*writer));

	writer->context = context;
	context->find_log_once = writer_log_once;
	writer->slot = SLOT_NONE;
	writer->limit = limit_bytes;
	writer->ledger.limit_bytes = limit_bytes;
	writer->subscribed = !context->callbacks->on_request;
	log_once_init(&writer->log_once);
	log_once_init(&writer->notices_log_once);
	pthread_mutex_init(&writer->lock, NULL);
	clock_cond_init(&writer->change);
	queue_init(&writer->queue);
	notification_queue_init(&writer->notification_queue, limit_bytes / 2);
	return writer;
}

void writer_set_limit(struct writer *writer, size_t limit_bytes)
{
	pthread_mutex_lock(&writer->lock);
	writer->limit = limit_bytes;
	writer->ledger.limit_bytes = limit_bytes;
	notification_queue_set_limit(&writer->notification_queue,
				     limit_bytes / 2);
	pthread_mutex_unlock(&writer->lock);
}

static void release(struct writer *writer, struct mc_batch *batch)
{
	store_release(writer->context->catalog->store, batch);
}

/* --- The thread ------------------------------------------------------- */

/* Waits until the batch may be offered again; false when its time is up. */
static bool wait_to_retry(struct writer *writer, mc_time *delay)
{
	mc_time until = clock_now() + *delay;
	bool again, told, kept;

	*delay = *delay < RETRY_LAST / 2 ? 2 * *delay : RETRY_LAST;
	pthread_mutex_lock(&writer->lock);
	while (!writer->stopping && clock_now() < until)
		notification_wait(writer, until);
	kept = writer->recorded || writer->has_successor;
	if (writer->stopping && !kept) {
		/* Not on and on until the deadline, but not only once. */
		mc_time soon = thread_time() + RETRY_FIRST;

		while (thread_time() < soon &&
		       thread_wait(&writer->change, &writer->lock, soon))
			;
	}
	again = !writer->stopping ||
		(!kept && thread_time() < writer->stop_until);
	told = !writer->stopping || !notification_is_due(writer);
	pthread_mutex_unlock(&writer->lock);
	if (!told)
		notification_hand_out(writer);
	return again;
}

/* False if the batch is to be offered again by the next process, or by a
 * successor: nothing may overtake it. */
static bool write_batch(struct writer *writer, const struct queue_item *item,
			uint64_t samples)
{
	struct mc_offset after = { item->offset.seq + item->records,
				   item->offset.samples + samples };
	struct context *context = writer->context;
	mc_time delay = RETRY_FIRST;
	bool again = true;
	int rc;

	writer->current = item;
	do {
		rc = context->callbacks->write(&context->ctx, item->batch);
		log_once_result(&writer->log_once, context->ctx.name, rc);
		if (rc == -EAGAIN)
			again = wait_to_retry(writer, &delay);
	} while (rc == -EAGAIN && again);

	writer->current = NULL;
	if (rc == -EAGAIN && handover_keep(writer, item))
		return false;
	if (item->records > 0 && rc != -EAGAIN &&
	    !context->callbacks->acks_async)
		catch_up_delivered(&writer->catch_up, &after);
	pthread_mutex_lock(&writer->lock);
	account_batch(writer, item, samples, rc);
	pthread_mutex_unlock(&writer->lock);
	release(writer, item->batch);
	return rc != -EAGAIN || item->records == 0;
}

static bool work_on(struct writer *writer, struct queue_item *item)
{
	struct context *context = writer->context;
	uint64_t samples;
	bool done = true;

	switch (item->kind) {
	case QUEUE_BATCH:
		done = write_batch(writer, item, item->batch->accepted);
		break;
	case QUEUE_RECORD:
		if (durable_read(writer, item, &samples))
			done = write_batch(writer, item, samples);
		break;
	case QUEUE_NOTICES:
		notification_hand_out(writer);
		break;
	case QUEUE_FLUSH:
		log_once_result(&writer->log_once, context->ctx.name,
				context->callbacks->flush(
					&context->ctx, item->age, item->name));
		break;
	case QUEUE_FORGET:
		slot_forget(writer, item->slot);
		break;
	}
	queue_item_done(item);
	return done;
}

/* Needs the lock.  Takes what comes next, from memory or from the journal; at
 * the end what is in the journal stays there. */
static bool try_take(struct writer *writer, struct queue_item *item)
{
	const struct queue_item *first = queue_first(&writer->queue);
	struct catch_up *catch_up = &writer->catch_up;
	struct mc_offset limit;

	if (notification_is_due(writer)) {
		*item = (struct queue_item){ .kind = QUEUE_NOTICES };
		return true;
	}
	if (first != NULL && first->kind != QUEUE_BATCH)
		return queue_pop(&writer->queue, item);
	if (first != NULL && catch_up_is_next(catch_up, first)) {
		durable_pop(writer, item);
		return true;
	}
	if (catch_up->cursor == NULL)
		return false;
	if (catch_up_has(catch_up, queue_first_batch(&writer->queue), &limit)) {
		*item = (struct queue_item){ .kind = QUEUE_RECORD };
		return !writer->stopping;
	}
	catch_up->behind = false;
	return false;
}

/* Needs the lock.  Waits for work, or for more of it where much comes: a
 * thousand packets a second are then not two thousand context switches.  In
 * real time: nothing but the number of wake-ups depends on it. */
static void wait_for_work(struct writer *writer)
{
	mc_time now;

	if (writer->fast) {
		now = thread_time();
		writer->lingering = true;
		thread_wait(&writer->change, &writer->lock, now + LINGER);
		writer->lingering = false;
		writer->fast = !queue_empty(&writer->queue);
		return;
	}
	writer->waiting = true;
	clock_wait(&writer->change, &writer->lock,
		   notification_queue_due(&writer->notification_queue));
	writer->waiting = false;
	now = thread_time();
	writer->fast = now - writer->woken < LINGER;
	writer->woken = now;
}

/* Needs the lock, and lets it go meanwhile.  The memory of what has waited is
 * not for the C library to keep. */
static void shrink(struct writer *writer)
{
	mc_time now = thread_time();

	if (!writer->needs_trim || now - writer->trimmed < TRIM_EVERY)
		return;
	writer->needs_trim = false;
	writer->trimmed = now;
	pthread_mutex_unlock(&writer->lock);
	alloc_give_back();
	pthread_mutex_lock(&writer->lock);
}

/* Takes the next item; false when there is none and there will be none. */
static bool take(struct writer *writer, struct queue_item *item)
{
	bool got;

	pthread_mutex_lock(&writer->lock);
	writer->busy = false;
	if (queue_empty(&writer->queue)) {
		pthread_cond_broadcast(&writer->change);
		shrink(writer);
	}
	while (!(got = try_take(writer, item)) && !writer->stopping)
		wait_for_work(writer);
	writer->busy = got;
	if (got)
		linger_collect(writer, item);
	writer->full_seen = writer->ledger.dropped_full;
	pthread_mutex_unlock(&writer->lock);
	return got;
}

bool writer_is_out_of_time(struct writer *writer)
{
	bool out;

	pthread_mutex_lock(&writer->lock);
	out = writer->stopping && thread_time() >= writer->stop_until;
	pthread_mutex_unlock(&writer->lock);
	return out;
}

static void *writer_main(void *argument)
{
	struct writer *writer = argument;
	struct context *context = writer->context;
	struct queue_item item;

	log_once_result(&writer->log_once, context->ctx.name, 0);
	while (!writer_is_out_of_time(writer) && take(writer, &item) &&
	       work_on(writer, &item))
		;
	notification_hand_out_rest(writer);
	if (context->callbacks->flush != NULL && !writer_is_out_of_time(writer))
		log_once_result(
			&writer->log_once, context->ctx.name,
			context->callbacks->flush(&context->ctx, 0, NULL));
	pthread_mutex_lock(&writer->lock);
	writer->done = true;
	pthread_cond_broadcast(&writer->change);
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

/* --- The queue -------------------------------------------------------- */

/* Needs the lock.  What waits for a thread that cannot be made stays in the
 * queue, and the next one who wakes it tries again. */
static void start_thread(struct writer *writer)
{
	mc_time now = clock_now();

	if (now < writer->start_due)
		return;
	writer->start_result =
		thread_start(&writer->thread, writer->context->ctx.name,
			     writer_main, writer);
	writer->begun = writer->start_result == 0;
	writer->start_due = now + START_AGAIN;
}

void writer_wake_thread(struct writer *writer, enum writer_urgency urgency)
{
	if (!writer->ready)
		return;
	if (!writer->begun) {
		start_thread(writer);
		return;
	}
	if (!writer->waiting &&
	    !(writer->lingering && urgency != WRITER_AFTER_LINGER) &&
	    !(writer->holding && urgency == WRITER_NOTICE))
		return;
	pthread_cond_broadcast(&writer->change);
	writer->waiting = writer->lingering = false;
}

void writer_unlock(struct writer *writer)
{
	int rc = writer->start_result;

	writer->start_result = 0;
	pthread_mutex_unlock(&writer->lock);
	if (rc < 0)
		log_once_failure(&writer->log_once, writer->context->ctx.name,
				 "cannot start a thread: %s", strerror(-rc));
}

unsigned writer_make_room(struct writer *writer, size_t size,
			  struct queue_item dropped[WRITER_DROPS_MAX])
{
	struct mc_writer_status *ledger = &writer->ledger;
	unsigned len = 0;

	while (ledger->queued_bytes + size > writer->limit &&
	       len < WRITER_DROPS_MAX &&
	       queue_pop_batch(&writer->queue, &dropped[len])) {
		ledger->queued_bytes -= dropped[len].size;
		if (dropped[len].records > 0) { /* Only from memory. */
			writer->catch_up.behind = true;
		} else {
			ledger->queued -= dropped[len].batch->accepted;
			ledger->dropped_full += dropped[len].batch->accepted;
		}
		len++;
	}
	return len;
}

/* Needs the lock.  Whether too many bytes wait to linger for more. */
static enum writer_urgency urgency_of(const struct writer *writer)
{
	size_t waiting = writer->ledger.queued_bytes;

	return waiting > LINGER_BYTES || waiting > writer->limit / 2
		       ? WRITER_AT_ONCE
		       : WRITER_AFTER_LINGER;
}

void writer_enqueue(struct writer *writer, const struct queue_item *item)
{
	struct mc_writer_status *ledger = &writer->ledger;
	struct mc_batch *batch = item->batch;

	ledger->accepted += batch->accepted;
	if (ledger->queued_bytes + item->size > writer->limit) {
		ledger->dropped_full += batch->accepted;
		return;
	}
	atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
	queue_push(&writer->queue, item);
	ledger->queued += batch->accepted;
	ledger->queued_bytes += item->size;
	writer->needs_trim |= ledger->queued_bytes > TRIM_BYTES;
}

void writer_put(struct writer *writer, struct mc_batch *batch, bool now)
{
	struct queue_item dropped[WRITER_DROPS_MAX];
	unsigned dropped_len = 0;
	struct queue_item item = { .kind = QUEUE_BATCH,
				   .batch = batch,
				   .size = batch_size(batch) };

	pthread_mutex_lock(&writer->lock);
	if (writer->subscribed && !writer->stopping &&
	    writer->context->callbacks->write != NULL && !writer->recorded) {
		dropped_len = writer_make_room(writer, item.size, dropped);
		writer_enqueue(writer, &item);
		if (now)
			writer_wake_thread(writer, urgency_of(writer));
	}
	writer_unlock(writer);
	for (unsigned i = 0; i < dropped_len; i++)
		release(writer, dropped[i].batch);
}

/* Needs the lock. */
static bool has_work(const struct writer *writer)
{
	const struct queue_item *first = queue_first_batch(&writer->queue);
	struct mc_offset limit;

	return !queue_empty(&writer->queue) ||
	       writer->notification_queue.waiting.len > 0 ||
	       catch_up_has(&writer->catch_up, first, &limit);
}

void writer_wake(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	if (has_work(writer))
		writer_wake_thread(writer, urgency_of(writer));
	writer_unlock(writer);
}

void writer_begin(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	writer->ready = true;
	pthread_mutex_unlock(&writer->lock);
	writer_wake(writer);
}

void writer_flush(struct writer *writer, mc_time age, const char *name)
{
	struct queue_item item = { .kind = QUEUE_FLUSH, .age = age };
	bool queued;

	if (writer->context->callbacks->flush == NULL)
		return;
	item.name = alloc_copy(name);
	pthread_mutex_lock(&writer->lock);
	queued = !writer->done && queue_push(&writer->queue, &item);
	if (queued)
		writer_wake_thread(writer, WRITER_AT_ONCE);
	writer_unlock(writer);
	if (!queued)
		queue_item_done(&item);
}

void writer_subscribe(struct writer *writer, bool on)
{
	pthread_mutex_lock(&writer->lock);
	writer->subscribed = on;
	writer->subscription_set = true;
	pthread_mutex_unlock(&writer->lock);
}

/* --- The end ---------------------------------------------------------- */

bool writer_drain(struct writer *writer, mc_time until)
{
	bool empty;

	pthread_mutex_lock(&writer->lock);
	writer->drains++;
	if (has_work(writer) || writer->lingering)
		writer_wake_thread(writer, WRITER_AT_ONCE);
	while (!(empty = !has_work(writer) && !writer->busy) && writer->begun &&
	       !writer->done)
		if (!thread_wait(&writer->change, &writer->lock, until))
			break;
	writer->drains--;
	writer_unlock(writer);
	return empty;
}

void writer_stop(struct writer *writer, mc_time until)
{
	pthread_mutex_lock(&writer->lock);
	writer->start_due = 0;
	if (!queue_empty(&writer->queue))
		writer_wake_thread(writer, WRITER_AT_ONCE);
	writer->stopping = true;
	writer->stop_until = until;
	writer->notification_queue.due = 0;
	pthread_cond_broadcast(&writer->change);
	writer_unlock(writer);
}

/* What could not be delivered in time; said once, with its number.  A thread
 * that is not done is in the plugin, which then is asked for nothing. */
static void drop_rest(struct writer *writer, bool done)
{
	struct queue_item item;
	uint64_t left, kept, untold;

	pthread_mutex_lock(&writer->lock);
	if (writer->has_successor) {
		pthread_mutex_unlock(&writer->lock);
		return;
	}
	untold = notification_queue_drop(&writer->notification_queue);
	writer->ledger.lost_notifications += untold;
	while (queue_pop(&writer->queue, &item)) {
		if (item.kind == QUEUE_BATCH) {
			account_batch(writer, &item, item.batch->accepted,
				      -EAGAIN);
			pthread_mutex_unlock(&writer->lock);
			release(writer, item.batch);
			pthread_mutex_lock(&writer->lock);
		} else if (item.kind == QUEUE_FORGET && done) {
			pthread_mutex_unlock(&writer->lock);
			slot_forget(writer, item.slot);
			pthread_mutex_lock(&writer->lock);
		}
		queue_item_done(&item);
	}
	kept = writer->recorded ? writer->ledger.queued : 0;
	left = writer->ledger.dropped_stop + writer->ledger.queued - kept;
	pthread_mutex_unlock(&writer->lock);
	if (kept > 0)
		log_info("%s: %llu samples stay in the journal",
			 writer->context->ctx.name, (unsigned long long)kept);
	if (left > 0)
		log_warn("%s: %llu samples were not delivered before the stop",
			 writer->context->ctx.name, (unsigned long long)left);
	if (untold > 0)
		log_warn("%s: %llu notifications were not delivered before "
			 "the stop",
			 writer->context->ctx.name, (unsigned long long)untold);
}

bool writer_is_stopping(struct writer *writer)
{
	bool stopping;

	pthread_mutex_lock(&writer->lock);
	stopping = writer->stopping;
	pthread_mutex_unlock(&writer->lock);
	return stopping;
}

bool writer_join(struct writer *writer, mc_time until)
{
	bool done;

	pthread_mutex_lock(&writer->lock);
	while (writer->begun && !writer->done &&
	       thread_wait(&writer->change, &writer->lock, until))
		;
	done = !writer->begun || writer->done;
	pthread_mutex_unlock(&writer->lock);
	if (done && writer->begun && !writer->joined) {
		pthread_join(writer->thread, NULL);
		writer->joined = true;
	}
	drop_rest(writer, done);
	return done;
}

void writer_free(struct writer *writer)
{
	if (writer == NULL)
		return;
	queue_done(&writer->queue);
	notification_queue_done(&writer->notification_queue);
	catch_up_close(&writer->catch_up);
	log_once_done(&writer->log_once);
	log_once_done(&writer->notices_log_once);
	pthread_cond_destroy(&writer->change);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

void writer_status(struct writer *writer, struct mc_writer_status *status)
{
	pthread_mutex_lock(&writer->lock);
	*status = writer->ledger;
	if (writer_has_cursor(writer))
		status->queued_journal = catch_up_on_disk(
			&writer->catch_up, queue_first_batch(&writer->queue));
	status->name = writer->context->ctx.name;
	status->cpu =
		writer->begun && !writer->done ? thread_cpu(writer->thread) : 0;
	pthread_mutex_unlock(&writer->lock);
}

struct log_once *writer_log_once(struct writer *writer)
{
	bool here;

	pthread_mutex_lock(&writer->lock);
	here = writer->begun && pthread_equal(writer->thread, pthread_self());
	pthread_mutex_unlock(&writer->lock);
	if (!here)
		return NULL;
	return writer->telling ? &writer->notices_log_once : &writer->log_once;
}

void writer_failure(struct writer *writer, char *out)
{
	log_once_text(&writer->log_once, out);
	if (out[0] == '\0')
		log_once_text(&writer->notices_log_once, out);
}
