/* SPDX-License-Identifier: MIT */
/* Which samples of a batch are for a writer. */
#include "engine/write/route.h"

#include <collector/writer.h>

#include "engine/write/writer_internal.h"

void route_set(struct writer *writer, uint32_t flag)
{
	writer->route = flag;
}

uint32_t route_of(const struct writer *writer)
{
	return writer->route;
}

const char *route_accepts_late(const struct writer *writer, mc_time by)
{
	return writer->route != 0 && writer->late > 0 && by <= writer->late
		       ? writer->context->ctx.name
		       : NULL;
}

void mc_accept_late(struct mc_ctx *ctx, mc_time window)
{
	context_of(ctx)->writer->late = window;
}

uint32_t route_lineage(struct writer *writer)
{
	uint32_t lineage = writer->route;
	bool here;

	pthread_mutex_lock(&writer->worker.lock);
	here = worker_is_self(&writer->worker);
	pthread_mutex_unlock(&writer->worker.lock);
	if (here && writer->current != NULL)
		lineage |= writer->current->batch->lineage;
	return lineage;
}

uint64_t route_count(const struct writer *writer, const struct queue_item *item)
{
	const struct mc_batch *batch = item->batch;

	if (item->records > 0)
		return batch->accepted;
	return batch->accepted - batch_count(batch, writer->route);
}
