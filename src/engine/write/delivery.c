/* SPDX-License-Identifier: MIT */
/* The thread of a writer. */
#include "engine/write/delivery.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/write/account.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/handover.h"
#include "engine/write/ended.h"
#include "engine/write/linger.h"
#include "engine/write/notification.h"
#include "engine/write/route.h"
#include "engine/write/slot.h"
#include "engine/write/writer_internal.h"

#define RETRY_FIRST (100 * MC_MILLISECOND) /* Doubles until RETRY_LAST. */
#define RETRY_LAST (10 * MC_SECOND)
#define TRIM_BYTES ((size_t)2 << 20)
#define TRIM_EVERY (10 * MC_SECOND)

static void release(struct writer *writer, struct mc_batch *batch)
{
	store_release(writer->context->registry->store, batch);
}

/* --- The thread ------------------------------------------------------- */

/* Waits until the batch may be offered again; false when its time is up. */
static bool wait_to_retry(struct writer *writer, mc_time *delay)
{
	mc_time until = clock_now() + *delay;
	bool again, handed_out, kept;

	*delay = *delay < RETRY_LAST / 2 ? 2 * *delay : RETRY_LAST;
	pthread_mutex_lock(&writer->worker.lock);
	while (!writer->worker.stopping && clock_now() < until)
		notification_wait(writer, WORKER_HOLDING, until);
	kept = writer->recorded || writer->has_successor;
	if (writer->worker.stopping && !kept) {
		/* Not on and on until the deadline, but not only once. */
		mc_time soon = thread_time() + RETRY_FIRST;

		while (thread_time() < soon &&
		       thread_wait(&writer->worker.change, &writer->worker.lock, soon))
			;
	}
	again = !writer->worker.stopping || (!kept && thread_time() < writer->stop_until);
	handed_out = !writer->worker.stopping || !notification_is_due(writer);
	pthread_mutex_unlock(&writer->worker.lock);
	if (!handed_out)
		notification_hand_out(writer);
	return again;
}

/* Offers what of the batch is for the writer until it takes or refuses it. */
static int offer(struct writer *writer, const struct mc_batch *whole)
{
	struct context *context = writer->context;
	mc_time delay = RETRY_FIRST;
	struct mc_batch view;
	const struct mc_batch *batch = batch_without(whole, writer->route, &view);
	bool again = true;
	int rc;

	/* One that acknowledges has to know of all. */
	if (batch->accepted == 0 && !context->callbacks->acks_async)
		return 0;
	do {
		rc = context->callbacks->write(&context->ctx, batch);
		log_once_result(&writer->log_once, context->ctx.name, rc);
		if (rc == -EAGAIN)
			again = wait_to_retry(writer, &delay);
	} while (rc == -EAGAIN && again);
	return rc;
}

/* False if the batch is to be offered again by the next process, or by a
 * successor: nothing may overtake it. */
static bool write_batch(struct writer *writer, const struct queue_item *item, uint64_t samples)
{
	struct mc_offset after = { item->offset.seq + item->records,
				   item->offset.samples + samples };
	struct context *context = writer->context;
	int rc;

	writer->current = item;
	writer->current_end = after;
	rc = offer(writer, item->batch);
	writer->current = NULL;
	if (rc == -EAGAIN && handover_keep(writer, item))
		return false;
	if (item->records > 0 && rc != -EAGAIN && !context->callbacks->acks_async)
		catch_up_delivered(&writer->catch_up, &after);
	pthread_mutex_lock(&writer->worker.lock);
	account_batch(writer, item, samples, rc);
	pthread_mutex_unlock(&writer->worker.lock);
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
		done = write_batch(writer, item, route_count(writer, item));
		break;
	case QUEUE_RECORD:
		if (durable_read(writer, item, &samples)) {
			linger_read(writer, item, &samples);
			done = write_batch(writer, item, samples);
		}
		break;
	case QUEUE_NOTICES:
		notification_hand_out(writer);
		break;
	case QUEUE_FLUSH:
		log_once_result(&writer->log_once, context->ctx.name,
				context->callbacks->flush(&context->ctx, item->age, item->name));
		break;
	case QUEUE_FORGET:
		slot_forget(writer, item->slot);
		break;
	case QUEUE_ENDED:
		ended_hand_out(writer, item);
		release(writer, item->batch);
		break;
	}
	queue_item_done(item);
	return done;
}

/* Takes what comes next, from memory or from the journal; at the end what is in
 * the journal stays there. */
static bool try_take(struct writer *writer, struct queue_item *item)
	MC_REQUIRES(writer->worker.lock)
{
	const struct queue_item *first = queue_first(&writer->worker.queue);
	struct catch_up *catch_up = &writer->catch_up;
	struct mc_offset limit;

	if (notification_is_due(writer)) {
		*item = (struct queue_item){ .kind = QUEUE_NOTICES };
		return true;
	}
	if (first != NULL && first->kind != QUEUE_BATCH)
		return queue_pop(&writer->worker.queue, item);
	if (first != NULL && catch_up_is_next(catch_up, first)) {
		durable_pop(writer, item);
		return true;
	}
	if (catch_up->cursor == NULL)
		return false;
	if (catch_up_has(catch_up, queue_first_batch(&writer->worker.queue), &limit)) {
		*item = (struct queue_item){ .kind = QUEUE_RECORD };
		return !writer->worker.stopping;
	}
	catch_up->behind = false;
	return false;
}

/* Gives the lock up meanwhile.  The memory of what has waited is not for the C library to keep. */
static void shrink(struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	mc_time now = thread_time();

	if (writer->queued_bytes_max <= TRIM_BYTES || now - writer->trimmed < TRIM_EVERY)
		return;
	writer->queued_bytes_max = 0;
	writer->trimmed = now;
	pthread_mutex_unlock(&writer->worker.lock);
	alloc_give_back();
	pthread_mutex_lock(&writer->worker.lock);
}

/* Takes the next item; false when the queue is empty for good. */
static bool take(struct writer *writer, struct queue_item *item)
{
	bool got;

	pthread_mutex_lock(&writer->worker.lock);
	worker_look(&writer->worker);
	if (queue_empty(&writer->worker.queue))
		shrink(writer);
	while (!(got = try_take(writer, item)) && !writer->worker.stopping)
		worker_wait(&writer->worker, true, notification_due(writer));
	if (got) {
		worker_work(&writer->worker);
		linger_collect(writer, item);
	}
	writer->full_seen = writer->ledger.dropped_full;
	pthread_mutex_unlock(&writer->worker.lock);
	return got;
}

static void *writer_main(void *argument)
{
	struct writer *writer = argument;
	struct context *context = writer->context;
	struct queue_item item;

	crash_set_plugin(context->ctx.name);
	log_once_result(&writer->log_once, context->ctx.name, 0);
	while (!writer_is_out_of_time(writer) && take(writer, &item) && work_on(writer, &item))
		;
	notification_hand_out_rest(writer);
	if (context->callbacks->flush != NULL && !writer_is_out_of_time(writer))
		log_once_result(&writer->log_once, context->ctx.name,
				context->callbacks->flush(&context->ctx, 0, NULL));
	worker_end(&writer->worker);
	return NULL;
}

void delivery_begin(struct writer *writer)
{
	pthread_mutex_lock(&writer->worker.lock);
	worker_begin(&writer->worker, writer->context->ctx.name, writer_main, writer);
	pthread_mutex_unlock(&writer->worker.lock);
	writer_wake(writer);
}

/* --- The end ---------------------------------------------------------- */

/* Samples that could not be delivered in time; logged once, with their number.  A thread that is
 * not done is in the plugin, which is not called again then. */
static void drop_rest(struct writer *writer, bool done)
{
	struct queue_item item;
	uint64_t left, kept, undelivered;

	pthread_mutex_lock(&writer->worker.lock);
	if (writer->has_successor) {
		pthread_mutex_unlock(&writer->worker.lock);
		return;
	}
	undelivered = notification_queue_drop(&writer->notification_queue);
	writer->ledger.lost_notifications += undelivered;
	while (queue_pop(&writer->worker.queue, &item)) {
		if (item.kind == QUEUE_BATCH) {
			account_batch(writer, &item, route_count(writer, &item), -EAGAIN);
			pthread_mutex_unlock(&writer->worker.lock);
			release(writer, item.batch);
			pthread_mutex_lock(&writer->worker.lock);
		} else if (item.kind == QUEUE_ENDED) {
			pthread_mutex_unlock(&writer->worker.lock);
			release(writer, item.batch);
			pthread_mutex_lock(&writer->worker.lock);
		} else if (item.kind == QUEUE_FORGET && done) {
			pthread_mutex_unlock(&writer->worker.lock);
			slot_forget(writer, item.slot);
			pthread_mutex_lock(&writer->worker.lock);
		}
		queue_item_done(&item);
	}
	kept = writer->recorded ? writer->ledger.queued : 0;
	left = writer->ledger.dropped_stop + writer->ledger.queued - kept;
	pthread_mutex_unlock(&writer->worker.lock);
	if (kept > 0)
		log_info("%s: %llu samples stay in the journal", writer->context->ctx.name,
			 (unsigned long long)kept);
	if (left > 0)
		log_warn("%s: %llu samples were not delivered before the stop",
			 writer->context->ctx.name, (unsigned long long)left);
	if (undelivered > 0)
		log_warn("%s: %llu notifications were not delivered before "
			 "the stop",
			 writer->context->ctx.name, (unsigned long long)undelivered);
}

bool delivery_join(struct writer *writer, mc_time until)
{
	bool done = worker_join(&writer->worker, until);

	drop_rest(writer, done);
	return done;
}
