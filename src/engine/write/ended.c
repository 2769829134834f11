/* SPDX-License-Identifier: MIT */
/* Reports to a writer series that have fallen silent, or have values again. */
#include "engine/write/ended.h"

#include <collector/writer.h>

#include "engine/write/writer_internal.h"

bool ended_is_wanted(const struct writer *writer)
{
	return writer->context->callbacks->ended != NULL;
}

void ended_put(struct writer *writer, struct mc_batch *batch)
{
	struct queue_item item = { .kind = QUEUE_ENDED, .batch = batch };

	if (!ended_is_wanted(writer))
		return;
	pthread_mutex_lock(&writer->worker.lock);
	if ((writer->subscribed || writer->context->callbacks->notify_always) &&
	    !writer->worker.stopping) {
		if (queue_push(&writer->worker.queue, &item)) {
			atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
			worker_wake(&writer->worker, WORKER_AT_ONCE);
		} else {
			writer->ledger.lost_notifications++;
		}
	}
	writer_unlock(writer);
}

void ended_hand_out(struct writer *writer, const struct queue_item *item)
{
	struct context *context = writer->context;

	MC_FOR_EACH_SAMPLE (sample, item->batch)
		context->callbacks->ended(&context->ctx, sample->series, sample->interval);
}
