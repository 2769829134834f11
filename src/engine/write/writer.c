/* SPDX-License-Identifier: MIT */
/* A writer: its queue, and its wake-ups.  Its thread is in delivery.c. */
#include "engine/write/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/store/store.h"
#include "engine/write/account.h"
#include "engine/write/route.h"
#include "engine/write/slot.h"
#include "engine/write/writer_internal.h"

#define LINGER (10 * MC_MILLISECOND)
#define LINGER_BYTES ((size_t)256 << 10) /* With more it does not linger. */

/* Where mc_fail() takes a reason down when it is called by the writer's own
 * thread; NULL in other threads. */
static struct log_once *find_log_once(struct writer *writer)
{
	bool here;

	pthread_mutex_lock(&writer->worker.lock);
	here = worker_is_self(&writer->worker);
	pthread_mutex_unlock(&writer->worker.lock);
	return here ? writer->log_once_now : NULL;
}

struct writer *writer_new(struct context *context, size_t limit_bytes) MC_NO_LOCK
{
	struct writer *writer = alloc_zero(sizeof(*writer));

	writer->context = context;
	context->find_log_once = find_log_once;
	writer->slot = SLOT_NONE;
	writer->limit = limit_bytes;
	writer->ledger.limit_bytes = limit_bytes;
	writer->subscribed = !context->callbacks->on_request;
	log_once_init(&writer->log_once);
	log_once_init(&writer->notices_log_once);
	writer->log_once_now = &writer->log_once;
	worker_init(&writer->worker, LINGER);
	notification_queue_init(&writer->notification_queue, limit_bytes / 2);
	return writer;
}

void writer_set_limit(struct writer *writer, size_t limit_bytes)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->limit = limit_bytes;
	writer->ledger.limit_bytes = limit_bytes;
	notification_queue_set_limit(&writer->notification_queue, limit_bytes / 2);
	pthread_mutex_unlock(&writer->worker.lock);
}

static void release(struct writer *writer, struct mc_batch *batch)
{
	store_release(writer->context->registry->store, batch);
}

/* --- The queue -------------------------------------------------------- */

void writer_unlock(struct writer *writer)
{
	int rc = worker_failure(&writer->worker);

	pthread_mutex_unlock(&writer->worker.lock);
	if (rc < 0)
		log_once_failure(&writer->log_once, writer->context->ctx.name,
				 "cannot start a thread: %s", strerror(-rc));
}

unsigned writer_make_room(struct writer *writer, size_t size,
			  struct queue_item dropped[WRITER_DROPS_MAX])
{
	struct mc_writer_status *ledger = &writer->ledger;
	unsigned len = 0;

	while (ledger->queued_bytes + size > writer->limit && len < WRITER_DROPS_MAX &&
	       queue_pop_batch(&writer->worker.queue, &dropped[len])) {
		ledger->queued_bytes -= dropped[len].size;
		if (dropped[len].records > 0) { /* Only from memory. */
			writer->catch_up.behind = true;
		} else {
			uint64_t samples = route_count(writer, &dropped[len]);

			ledger->queued -= samples;
			ledger->dropped_full += samples;
		}
		len++;
	}
	return len;
}

/* Whether too many bytes wait to linger for more. */
static enum worker_urgency urgency_of(const struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	size_t waiting = writer->ledger.queued_bytes;

	return waiting > LINGER_BYTES || waiting > writer->limit / 2 ? WORKER_AT_ONCE
								     : WORKER_AFTER_LINGER;
}

void writer_enqueue(struct writer *writer, const struct queue_item *item)
{
	struct mc_writer_status *ledger = &writer->ledger;
	uint64_t samples = route_count(writer, item);

	ledger->accepted += samples;
	if (ledger->queued_bytes + item->size > writer->limit) {
		ledger->dropped_full += samples;
		return;
	}
	atomic_fetch_add_explicit(&item->batch->references, 1, memory_order_relaxed);
	queue_push(&writer->worker.queue, item);
	ledger->queued += samples;
	ledger->queued_bytes += item->size;
	if (ledger->queued_bytes > writer->queued_bytes_max)
		writer->queued_bytes_max = ledger->queued_bytes;
}

void writer_put(struct writer *writer, struct mc_batch *batch, bool now)
{
	struct queue_item dropped[WRITER_DROPS_MAX];
	unsigned dropped_len = 0;
	struct queue_item item = { .kind = QUEUE_BATCH, .batch = batch, .size = batch_size(batch) };

	pthread_mutex_lock(&writer->worker.lock);
	if (writer->subscribed && !writer->worker.stopping &&
	    writer->context->callbacks->write != NULL && !writer->recorded) {
		dropped_len = writer_make_room(writer, item.size, dropped);
		writer_enqueue(writer, &item);
		if (now)
			worker_wake(&writer->worker, urgency_of(writer));
	}
	writer_unlock(writer);
	for (unsigned i = 0; i < dropped_len; i++)
		release(writer, dropped[i].batch);
}

/* Needs the lock. */
static bool has_work(const void *argument)
{
	const struct writer *writer = argument;
	const struct queue_item *first = queue_first_batch(&writer->worker.queue);
	struct mc_offset limit;

	return !queue_empty(&writer->worker.queue) || writer->notification_queue.waiting.len > 0 ||
	       catch_up_has(&writer->catch_up, first, &limit);
}

void writer_wake(struct writer *writer)
{
	pthread_mutex_lock(&writer->worker.lock);
	if (has_work(writer))
		worker_wake(&writer->worker, urgency_of(writer));
	writer_unlock(writer);
}

void writer_flush(struct writer *writer, mc_time age, const char *name)
{
	struct queue_item item = { .kind = QUEUE_FLUSH, .age = age };
	bool queued;

	if (writer->context->callbacks->flush == NULL)
		return;
	item.name = alloc_copy(name);
	pthread_mutex_lock(&writer->worker.lock);
	queued = writer->worker.state < WORKER_DONE && queue_push(&writer->worker.queue, &item);
	if (queued)
		worker_wake(&writer->worker, WORKER_AT_ONCE);
	writer_unlock(writer);
	if (!queued)
		queue_item_done(&item);
}

void writer_subscribe(struct writer *writer, bool on)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->subscribed = on;
	writer->subscription_set = true;
	pthread_mutex_unlock(&writer->worker.lock);
}

/* --- The end ---------------------------------------------------------- */

bool writer_drain(struct writer *writer, mc_time until)
{
	bool empty;

	pthread_mutex_lock(&writer->worker.lock);
	writer->drains++;
	if (has_work(writer) || writer->worker.state == WORKER_LINGERING ||
	    writer->worker.state == WORKER_COLLECTING)
		worker_wake(&writer->worker, WORKER_AT_ONCE);
	empty = worker_drain(&writer->worker, has_work, writer, until);
	writer->drains--;
	writer_unlock(writer);
	return empty;
}

void writer_stop(struct writer *writer, mc_time until)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->stop_until = until;
	writer->notification_queue.due = 0;
	worker_stop(&writer->worker);
	writer_unlock(writer);
}

bool writer_is_out_of_time(struct writer *writer)
{
	bool out;

	pthread_mutex_lock(&writer->worker.lock);
	out = writer->worker.stopping && thread_time() >= writer->stop_until;
	pthread_mutex_unlock(&writer->worker.lock);
	return out;
}

bool writer_is_stopping(struct writer *writer)
{
	bool stopping;

	pthread_mutex_lock(&writer->worker.lock);
	stopping = writer->worker.stopping;
	pthread_mutex_unlock(&writer->worker.lock);
	return stopping;
}

void writer_free(struct writer *writer)
{
	if (writer == NULL)
		return;
	worker_done(&writer->worker);
	notification_queue_done(&writer->notification_queue);
	notification_limit_done(&writer->notification_limit);
	catch_up_close(&writer->catch_up);
	log_once_done(&writer->log_once);
	log_once_done(&writer->notices_log_once);
	free(writer);
}

void writer_status(struct writer *writer, struct mc_writer_status *status)
{
	pthread_mutex_lock(&writer->worker.lock);
	account_status(writer, status);
	if (writer_has_cursor(writer))
		status->queued_journal = catch_up_on_disk(&writer->catch_up,
							  queue_first_batch(&writer->worker.queue));
	status->name = writer->context->ctx.name;
	status->cpu = worker_cpu(&writer->worker);
	pthread_mutex_unlock(&writer->worker.lock);
}

void writer_failure(struct writer *writer, char *out)
{
	log_once_text(&writer->log_once, out);
	if (out[0] == '\0')
		log_once_text(&writer->notices_log_once, out);
	if (out[0] != '\0')
		return;
	pthread_mutex_lock(&writer->worker.lock);
	memcpy(out, writer->stalled, sizeof(writer->stalled));
	pthread_mutex_unlock(&writer->worker.lock);
}

/* --- The plugin API --------------------------------------------------- */

void mc_set_failure(struct mc_ctx *ctx, const char *why)
{
	struct writer *writer = context_of(ctx)->writer;

	if (writer == NULL)
		return;
	pthread_mutex_lock(&writer->worker.lock);
	text_copy(writer->stalled, sizeof(writer->stalled), why);
	pthread_mutex_unlock(&writer->worker.lock);
}

bool writer_is_for_people(const struct writer *writer)
{
	const struct mc_writer *callbacks = writer->context->callbacks;

	return callbacks->log == NULL && !callbacks->on_request && !callbacks->notify_always;
}
