/* SPDX-License-Identifier: MIT */
/* Samples that a lagging part of a writer takes from the journal. */
#include "engine/write/durable/consumer.h"

#include <collector/journal.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/judge/copies.h"
#include "engine/judge/judge.h"
#include "engine/write/durable/journal_entry.h"
#include "engine/write/route.h"
#include "engine/write/writer_internal.h"

struct mc_consumer {
	struct mc_consumer *older;
	struct context *context;
	struct cursor *cursor;
	struct reader *reader;
};

void consumer_free(struct mc_consumer *consumer)
{
	while (consumer != NULL) {
		struct mc_consumer *older = consumer->older;

		journal_reader_free(consumer->reader);
		free(consumer);
		consumer = older;
	}
}

void consumer_let_go(struct mc_consumer *consumer)
{
	for (; consumer != NULL; consumer = consumer->older)
		cursor_let_go(consumer->cursor);
}

void consumer_leave(struct mc_consumer *consumer, const struct mc_consumer *successors)
{
	for (; consumer != NULL; consumer = consumer->older) {
		const struct mc_consumer *successor = successors;

		while (successor != NULL && successor->cursor != consumer->cursor)
			successor = successor->older;
		if (successor == NULL)
			cursor_let_go(consumer->cursor);
	}
}

struct mc_consumer *mc_consumer(struct mc_ctx *ctx, const char *name, struct mc_offset *from,
				struct mc_offset *end)
{
	struct context *context = context_of(ctx);
	struct catch_up *catch_up = &context->writer->catch_up;
	struct mc_consumer *consumer;
	char full[256];

	if (catch_up->cursor == NULL)
		return NULL;
	snprintf(full, sizeof(full), "%s/%s", context->ctx.name, name);
	consumer = alloc_zero(sizeof(*consumer));
	consumer->context = context;
	consumer->cursor = journal_cursor(catch_up->journal, full, from);
	consumer->reader = journal_reader_new(catch_up->journal);
	consumer->older = catch_up->consumers;
	catch_up->consumers = consumer;
	*end = catch_up->next;
	return consumer;
}

void mc_consumer_ack(struct mc_consumer *consumer, struct mc_offset offset)
{
	cursor_move(consumer->cursor, &offset);
}

void mc_consumer_lost(struct mc_consumer *consumer, uint64_t samples)
{
	struct writer *writer = consumer->context->writer;

	pthread_mutex_lock(&writer->worker.lock);
	writer->ledger.delivered -= samples;
	writer->ledger.dropped_quota += samples;
	pthread_mutex_unlock(&writer->worker.lock);
}

/* A batch without other users is reduced to the writer's samples. */
static void hide_others(const struct context *context, struct mc_batch *batch)
{
	uint32_t route = route_of(context->writer);

	if (!copies_recorded(context->judges, batch))
		judge_recorded(context->judges, batch);
	batch->accepted -= batch_count(batch, route);
	batch->hidden |= route;
}

struct mc_batch *mc_consumer_read(struct mc_consumer *consumer, struct mc_offset *from,
				  uint64_t end)
{
	struct store *store = consumer->context->registry->store;
	struct mc_batch *batch = NULL;
	struct frame frame;
	int rc = 1;

	while (batch == NULL && from->seq < end && rc > 0) {
		rc = journal_reader_next(consumer->reader, from->seq, &frame);
		if (rc < 0)
			return NULL;
		if (rc == 0 || frame.seq >= end) {
			from->seq = end;
			break;
		}
		*from = (struct mc_offset){ frame.seq + 1, frame.before + frame.samples };
		if (frame.type != FRAME_BATCH)
			continue;
		batch = store_begin(store, &consumer->context->ctx);
		batch->time = frame.time;
		if (!journal_entry_read(batch, frame.payload, frame.size)) {
			store_release(store, batch);
			batch = NULL;
			continue;
		}
		hide_others(consumer->context, batch);
	}
	if (from->seq >= end)
		journal_reader_rest(consumer->reader);
	return batch;
}
