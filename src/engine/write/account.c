/* SPDX-License-Identifier: MIT */
/* Keeps the ledger of a writer's samples. */
#include "engine/write/account.h"

#include <collector/private/status.h>
#include <collector/writer.h>

#include <errno.h>

#include "engine/write/writer_internal.h"

void account_batch(struct writer *writer, const struct queue_item *item, uint64_t samples, int rc)
	MC_REQUIRES(writer->worker.lock)
{
	struct mc_writer_status *ledger = &writer->ledger;
	uint64_t others = batch_count(item->batch, writer->route);
	uint64_t delivered = item->batch->accepted - others - writer->lost;

	writer->lost = 0;
	ledger->queued_bytes -= item->size;
	ledger->failures += rc < 0;
	if (rc == -EAGAIN && item->records > 0)
		return;          /* It stays in the journal. */
	if (item->records > 0) { /* It is known now that these are not its. */
		ledger->accepted -= others;
		ledger->queued -= others;
		samples -= others;
	}
	ledger->queued -= samples;
	if (rc == -EAGAIN) {
		ledger->dropped_stop += samples;
	} else if (rc < 0) {
		ledger->dropped_refused += samples;
	} else {
		/* From the journal: for some no series could be had. */
		ledger->delivered += delivered;
		ledger->dropped_refused += samples - delivered;
		writer->full_known = writer->full_seen;
	}
}

/* A share that was reported as delivered stays so, although the waiting samples, and those that
 * write() has taken, are not counted at the same moment. */
void account_status(struct writer *writer, struct mc_writer_status *out)
	MC_REQUIRES(writer->worker.lock)
{
	const struct mc_writer_status *ledger = &writer->ledger;
	uint64_t waiting = writer->waiting;
	uint64_t delivered = ledger->delivered > waiting ? ledger->delivered - waiting : 0;

	if (delivered < writer->acknowledged)
		delivered = writer->acknowledged;
	if (delivered > ledger->delivered)
		delivered = ledger->delivered;
	writer->acknowledged = delivered;
	*out = *ledger;
	out->delivered = delivered;
	out->queued += ledger->delivered - delivered;
}

void account_recorded(struct writer *writer, uint64_t samples, uint64_t taken)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->ledger.accepted += samples;
	writer->ledger.delivered += taken;
	writer->ledger.dropped_refused += samples - taken;
	pthread_mutex_unlock(&writer->worker.lock);
}

/* Whether write() has a batch in hand that it may still leave to be offered
 * again, to a successor that loses the same samples. */
static bool is_in_hand(const struct writer *writer) MC_REQUIRES(writer->worker.lock)
{
	const struct mc_writer *callbacks = writer->context->callbacks;

	return callbacks->durable && !callbacks->acks_async && worker_is_self(&writer->worker) &&
	       writer->current != NULL;
}

/* Samples that write() took and that were lost after all.  Any thread. */
static void lose(struct writer *writer, uint64_t samples)
{
	pthread_mutex_lock(&writer->worker.lock);
	if (is_in_hand(writer)) {
		writer->lost += samples;
	} else {
		writer->ledger.delivered -= samples;
		writer->ledger.dropped_refused += samples;
	}
	pthread_mutex_unlock(&writer->worker.lock);
}

/* --- The plugin API --------------------------------------------------- */

void mc_set_waiting(struct mc_ctx *ctx, uint64_t samples)
{
	struct writer *writer = context_of(ctx)->writer;

	if (writer != NULL)
		writer->waiting = samples;
}

void mc_drop(struct mc_ctx *ctx, uint64_t samples, int errnum, const char *fmt, ...)
{
	struct context *context = context_of(ctx);
	va_list args;

	if (context->writer == NULL)
		return;
	lose(context->writer, samples);
	va_start(args, fmt);
	log_once_reason(&context->log_once, errnum, fmt, args);
	va_end(args);
	log_once_result(&context->log_once, ctx->name, errnum != 0 ? -errnum : -EINVAL);
}
