/* SPDX-License-Identifier: MIT */
/* Notifications go to every instance that wants them, each through its own notification queue. */
#include "engine/write/notification.h"

#include <collector/writer.h>

#include <errno.h>

#include "base/clock.h"
#include "engine/context.h"
#include "engine/write/writer_internal.h"

/* After this a writer is offered again what it could not take.  It knows itself
 * when to try, so this is short. */
#define AGAIN (MC_SECOND / 2)

/* --- The way in ---------------------------------------------------------- */

/* The first that waits may wait for others. */
static void push(struct writer *writer, struct notification_queue_item *item)
	MC_REQUIRES(writer->worker.lock)
{
	struct notification_queue *queue = &writer->notification_queue;

	if (queue->waiting.len == 0)
		writer->notification_linger_until = clock_now() + writer->notification_linger;
	writer->ledger.lost_notifications += notification_queue_push(queue, item);
}

/* Whether the writer gets it; else it is counted. */
static bool passes(struct writer *writer, const void *source,
		   const struct mc_notification *notification)
{
	bool passed;

	pthread_mutex_lock(&writer->worker.lock);
	passed = notification_limit_passes(&writer->notification_limit, source, notification,
					   clock_now());
	if (!passed) {
		writer->ledger.suppressed_notifications++;
		/* It waits for when the summary is due. */
		worker_wake(&writer->worker, WORKER_WHILE_HOLDING);
	}
	writer_unlock(writer);
	return passed;
}

static bool is_wanted(struct writer *writer, const struct mc_notification *notification)
{
	const struct mc_writer *callbacks = writer->context->callbacks;
	mc_notification_wanted *wants;

	if (callbacks->notify == NULL || (!writer->subscribed && !callbacks->notify_always))
		return false;
	pthread_mutex_lock(&writer->worker.lock);
	wants = writer->wants_notification;
	pthread_mutex_unlock(&writer->worker.lock);
	return wants == NULL || wants(&writer->context->ctx, notification);
}

void notification_put(struct writer *writer, const void *source,
		      const struct mc_notification *notification)
{
	struct notification_queue_item *item;

	if (!is_wanted(writer, notification) || !passes(writer, source, notification))
		return;
	item = notification_queue_item_new(notification);
	pthread_mutex_lock(&writer->worker.lock);
	if (writer->worker.state >= WORKER_DONE) {
		writer->ledger.lost_notifications++;
		notification_queue_item_free(item);
	} else {
		push(writer, item);
		worker_wake(&writer->worker, WORKER_WHILE_HOLDING);
	}
	writer_unlock(writer);
}

/* Puts the summary of suppressed notifications in the queue when it is due. */
static void sum_up(struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	struct context *context = writer->context;
	mc_time due = notification_limit_due(&writer->notification_limit);
	char text[NOTIFICATION_LIMIT_TEXT_SIZE];
	const struct mc_field field = { MC_SUMMARY_FIELD, "true" };
	struct mc_notification summary = {
		.time = clock_wall(),
		.id = { .host = context->ctx.host, .plugin = context->ctx.name },
		.message = text,
		.fields = &field,
		.fields_len = 1,
	};

	if (due == CLOCK_NEVER || (due > clock_now() && !writer->worker.stopping))
		return;
	summary.severity = notification_limit_sum_up(&writer->notification_limit, text);
	push(writer, notification_queue_item_new(&summary));
}

/* --- The way out --------------------------------------------------------- */

/* When the queue's first is, which may wait for others. */
static mc_time queue_due(const struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	mc_time due = notification_queue_due(&writer->notification_queue);

	if (writer->worker.stopping || writer->drains > 0 ||
	    due > writer->notification_linger_until)
		return due;
	return writer->notification_linger_until;
}

mc_time notification_due(struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	mc_time due, summary_due;

	sum_up(writer);
	due = queue_due(writer);
	summary_due = notification_limit_due(&writer->notification_limit);
	return due < summary_due ? due : summary_due;
}

bool notification_is_due(struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	sum_up(writer);
	return queue_due(writer) <= clock_now();
}

/* The result of the notifications that were taken. */
static void settle(struct writer *writer, int rc) MC_REQUIRES(writer->worker.lock)
{
	uint64_t len = notification_queue_settle(&writer->notification_queue, rc == -EAGAIN);

	if (rc == -EAGAIN)
		writer->notification_queue.due =
			writer->worker.stopping ? CLOCK_NEVER : clock_now() + AGAIN;
	else if (rc < 0)
		writer->ledger.lost_notifications += len;
}

void notification_hand_out(struct writer *writer)
{
	struct context *context = writer->context;
	const struct mc_notification *notification;
	int rc;

	pthread_mutex_lock(&writer->worker.lock);
	notification = notification_queue_take(&writer->notification_queue);
	pthread_mutex_unlock(&writer->worker.lock);
	if (notification == NULL)
		return;
	/* It may fail while write() does not, or the other way. */
	writer->log_once_now = &writer->notices_log_once;
	rc = context->callbacks->notify(&context->ctx, notification);
	writer->log_once_now = &writer->log_once;
	log_once_result(&writer->notices_log_once, context->ctx.name, rc);
	pthread_mutex_lock(&writer->worker.lock);
	settle(writer, rc);
	pthread_mutex_unlock(&writer->worker.lock);
}

void notification_hand_out_rest(struct writer *writer)
{
	bool more = true;

	while (more && !writer_is_out_of_time(writer)) {
		notification_hand_out(writer);
		pthread_mutex_lock(&writer->worker.lock);
		more = notification_is_due(writer);
		pthread_mutex_unlock(&writer->worker.lock);
	}
}

void notification_wait(struct writer *writer, enum worker_state state, mc_time until)
	MC_REQUIRES(writer->worker.lock)
{
	mc_time due = notification_due(writer);

	if (notification_is_due(writer)) {
		pthread_mutex_unlock(&writer->worker.lock);
		notification_hand_out(writer);
		pthread_mutex_lock(&writer->worker.lock);
		return;
	}
	worker_pause(&writer->worker, state, due < until ? due : until);
}

/* --- The plugin API ------------------------------------------------------ */

const struct mc_notification *mc_next_notification(struct mc_ctx *ctx)
{
	struct writer *writer = context_of(ctx)->writer;
	const struct mc_notification *notification;

	pthread_mutex_lock(&writer->worker.lock);
	notification = notification_queue_take(&writer->notification_queue);
	pthread_mutex_unlock(&writer->worker.lock);
	return notification;
}

void mc_linger_notifications(struct mc_ctx *ctx, mc_time time)
{
	struct writer *writer = context_of(ctx)->writer;

	pthread_mutex_lock(&writer->worker.lock);
	writer->notification_linger = time;
	pthread_mutex_unlock(&writer->worker.lock);
}

void mc_select_notifications(struct mc_ctx *ctx, mc_notification_wanted *wants)
{
	struct writer *writer = context_of(ctx)->writer;

	pthread_mutex_lock(&writer->worker.lock);
	writer->wants_notification = wants;
	pthread_mutex_unlock(&writer->worker.lock);
}

void mc_limit_notifications(struct mc_ctx *ctx, uint64_t len)
{
	struct writer *writer = context_of(ctx)->writer;

	pthread_mutex_lock(&writer->worker.lock);
	writer->notification_limit.len = len;
	pthread_mutex_unlock(&writer->worker.lock);
}
