/* SPDX-License-Identifier: MIT */
/* Batches that a durable writer is offered, and takes from the journal. */
#include "engine/write/durable/durable.h"

#include <collector/journal.h>
#include <collector/private/status.h>
#include <collector/writer.h>

#include <errno.h>

#include "base/thread.h"
#include "engine/judge/copies.h"
#include "engine/judge/judge.h"
#include "engine/write/durable/consumer.h"
#include "engine/write/durable/journal_entry.h"
#include "engine/write/writer_internal.h"

bool durable_is(const struct writer *writer)
{
	return writer->recorded;
}

void durable_prepare(struct writer *writer)
{
	const struct mc_writer *callbacks = writer->context->callbacks;

	writer->recorded = callbacks->durable && callbacks->write != NULL && !callbacks->on_request;
}

void durable_attach(struct writer *writer, struct journal *journal)
{
	struct mc_writer_status *ledger = &writer->ledger;
	uint64_t samples, lost;

	pthread_mutex_lock(&writer->worker.lock);
	samples = catch_up_open(&writer->catch_up, journal, writer->context->ctx.name, &lost);
	ledger->durable = true;
	ledger->accepted += samples;
	ledger->dropped_quota += lost;
	ledger->queued += samples - lost;
	pthread_mutex_unlock(&writer->worker.lock);
}

void durable_detach(struct writer *writer)
{
	pthread_mutex_lock(&writer->worker.lock);
	catch_up_let_go(&writer->catch_up);
	pthread_mutex_unlock(&writer->worker.lock);
}

void durable_leave(struct writer *writer, const struct writer *successor)
{
	consumer_leave(writer->catch_up.consumers, successor->catch_up.consumers);
}

/* Puts the batch in the queue if nothing is missing between it and what waits there. */
static void offer_recorded(struct writer *writer, const struct queue_item *item)
	MC_REQUIRES(writer->worker.lock)
{
	struct catch_up *catch_up = &writer->catch_up;

	struct mc_offset end = { item->offset.seq + item->records,
				 item->offset.samples + item->batch->accepted };

	/* Batches that are on disk as well need less room in memory. */
	if (writer->ledger.queued_bytes + item->size > writer->limit / 2)
		catch_up->behind = true;
	catch_up_offer(catch_up, &end, !catch_up->behind);
	if (!catch_up->behind) {
		writer_enqueue(writer, item);
		return;
	}
	writer->ledger.accepted += item->batch->accepted;
	writer->ledger.queued += item->batch->accepted;
}

void durable_offer(struct writer *writer, struct mc_batch *batch, const struct mc_offset *offset,
		   uint32_t records)
{
	struct queue_item dropped[WRITER_DROPS_MAX];
	unsigned dropped_len = 0;
	struct queue_item item = { .kind = QUEUE_BATCH,
				   .records = records,
				   .size = batch_size(batch),
				   .batch = batch,
				   .offset = *offset };

	pthread_mutex_lock(&writer->worker.lock);
	if (!writer_has_cursor(writer)) {
		/* It will begin after the present end of the journal. */
		writer->ledger.accepted += records > 0 ? 0 : batch->accepted;
		writer->ledger.dropped_full += records > 0 ? 0 : batch->accepted;
	} else if (writer->subscribed && !writer->worker.stopping && records > 0) {
		offer_recorded(writer, &item);
	} else if (writer->subscribed && !writer->worker.stopping) {
		item.offset = writer->catch_up.end;
		dropped_len = writer_make_room(writer, item.size, dropped);
		writer_enqueue(writer, &item);
	}
	pthread_mutex_unlock(&writer->worker.lock);
	for (unsigned i = 0; i < dropped_len; i++)
		store_release(writer->context->registry->store, dropped[i].batch);
}

void durable_drop_before(struct writer *writer, uint64_t samples, bool late)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->ledger.accepted += samples;
	if (late)
		writer->ledger.dropped_stop += samples;
	else
		writer->ledger.dropped_full += samples;
	pthread_mutex_unlock(&writer->worker.lock);
}

void durable_trim(struct writer *writer, const struct mc_offset *oldest)
{
	uint64_t lost;

	pthread_mutex_lock(&writer->worker.lock);
	if (writer_has_cursor(writer)) {
		lost = catch_up_trim(&writer->catch_up, queue_first_batch(&writer->worker.queue),
				     oldest);
		writer->ledger.queued -= lost;
		writer->ledger.dropped_quota += lost;
	}
	pthread_mutex_unlock(&writer->worker.lock);
}

void durable_pop(struct writer *writer, struct queue_item *item) MC_REQUIRES(writer->worker.lock)
{
	struct mc_offset after;

	queue_pop(&writer->worker.queue, item);
	if (item->records == 0)
		return;
	after = item->offset;
	after.seq += item->records;
	after.samples += item->batch->accepted;
	catch_up_skip(&writer->catch_up, &after);
}

/* Until descriptors or memory are there again; a stop ends it. */
static void wait_a_moment(struct writer *writer)
{
	mc_time until = thread_time() + MC_SECOND;

	pthread_mutex_lock(&writer->worker.lock);
	while (!writer->worker.stopping &&
	       thread_wait(&writer->worker.change, &writer->worker.lock, until))
		;
	pthread_mutex_unlock(&writer->worker.lock);
}

/* Goes on at a record, and counts what is missing before it.  A file that the quota has removed
 * may be missed before durable_trim() reports it, so missing records before the begin of the
 * journal count as removed by the quota. */
static void skip_missing(struct writer *writer, const struct mc_offset *found)
	MC_REQUIRES(writer->worker.lock)
{
	struct catch_up *catch_up = &writer->catch_up;
	struct mc_offset oldest = journal_start(catch_up->journal);
	uint64_t from = catch_up->next.samples;
	uint64_t lost = catch_up_skip(catch_up, found), quota = 0;

	if (oldest.samples > from)
		quota = oldest.samples - from < lost ? oldest.samples - from : lost;
	writer->ledger.queued -= lost;
	writer->ledger.dropped_quota += quota;
	writer->ledger.dropped_damaged += lost - quota;
}

static bool is_batch(const struct frame *frame, uint64_t seq)
{
	return frame->seq == seq && frame->type == FRAME_BATCH;
}

struct place { /* Of a record that was found. */
	struct mc_offset found;
	bool here; /* It is that record; else those up to 'found' are missing. */
};

/* Finds the next record of the journal, if it is still there, and leaves it there.  With 'only',
 * finds that one, and nothing if another comes next. */
static bool find_record(struct writer *writer, uint64_t only, struct frame *frame,
			struct place *place)
{
	struct catch_up *catch_up = &writer->catch_up;
	struct mc_offset limit;
	uint64_t seq;
	bool here;
	int rc;

	pthread_mutex_lock(&writer->worker.lock);
	here = catch_up_has(catch_up, queue_first_batch(&writer->worker.queue), &limit);
	seq = catch_up->next.seq;
	pthread_mutex_unlock(&writer->worker.lock);
	rc = here ? journal_reader_next(catch_up->reader, seq, frame) : -EAGAIN;
	if (here && rc < 0)
		wait_a_moment(writer);
	if (rc < 0)
		return false;
	here = rc > 0 && frame->seq < limit.seq;
	if (only > 0 && !(here && seq == only && is_batch(frame, only)))
		return false;
	place->here = here;
	place->found = here ? (struct mc_offset){ frame->seq, frame->before } : limit;
	return true;
}

/* Goes on after it; missing ones before it are counted. */
static bool take_record(struct writer *writer, const struct frame *frame, const struct place *place)
{
	struct catch_up *catch_up = &writer->catch_up;
	struct mc_offset after = { place->found.seq + 1, place->found.samples + frame->samples };
	bool here;

	pthread_mutex_lock(&writer->worker.lock);
	skip_missing(writer, &place->found);
	here = place->here && frame->seq == catch_up->next.seq;
	if (here)
		catch_up_skip(catch_up, &after);
	pthread_mutex_unlock(&writer->worker.lock);
	return here && frame->type == FRAME_BATCH;
}

/* When the writer goes back to memory, the reader has nothing to hold. */
static void rest_if_done(struct writer *writer)
{
	const struct queue_item *first;
	struct mc_offset limit;
	bool more;

	pthread_mutex_lock(&writer->worker.lock);
	first = queue_first_batch(&writer->worker.queue);
	more = catch_up_has(&writer->catch_up, first, &limit);
	pthread_mutex_unlock(&writer->worker.lock);
	if (!more)
		journal_reader_rest(writer->catch_up.reader);
}

/* Makes a batch of a record; false, and it is counted as damaged, if it cannot be read. */
static bool decode(struct writer *writer, const struct frame *frame, struct queue_item *item)
{
	struct context *context = writer->context;
	struct store *store = context->registry->store;

	*item = (struct queue_item){
		.kind = QUEUE_RECORD,
		.records = 1,
		.offset = { frame->seq, frame->before },
		.batch = store_begin(store, &context->ctx),
	};
	item->batch->time = frame->time;
	if (journal_entry_read(item->batch, frame->payload, frame->size)) {
		if (!copies_recorded(context->judges, item->batch))
			judge_recorded(context->judges, item->batch);
		return true;
	}
	pthread_mutex_lock(&writer->worker.lock);
	writer->ledger.queued -= frame->samples;
	writer->ledger.dropped_damaged += frame->samples;
	pthread_mutex_unlock(&writer->worker.lock);
	store_release(store, item->batch);
	return false;
}

bool durable_read(struct writer *writer, struct queue_item *item, uint64_t *samples)
{
	struct frame frame;
	struct place place;
	bool read = find_record(writer, 0, &frame, &place) && take_record(writer, &frame, &place) &&
		    decode(writer, &frame, item);

	if (read)
		*samples = frame.samples;
	rest_if_done(writer);
	return read;
}

/* One that does not fit is left where it is. */
static bool read_after(struct writer *writer, const struct durable_question *question,
		       struct queue_item *item, uint64_t *samples)
{
	uint64_t next = question->last->offset.seq + question->last->records;
	struct frame frame;
	struct place place;
	bool read;

	if (!find_record(writer, next, &frame, &place))
		return false;
	read = decode(writer, &frame, item);
	if (read && !question->fits(question->argument, item->batch)) {
		store_release(writer->context->registry->store, item->batch);
		return false;
	}
	take_record(writer, &frame, &place);
	*samples = frame.samples;
	return read;
}

bool durable_read_after(struct writer *writer, const struct durable_question *question,
			struct queue_item *item, uint64_t *samples)
{
	bool read = (writer->context->callbacks->repeatable ||
		     question->last->offset.seq >= writer->catch_up.known.seq) &&
		    read_after(writer, question, item, samples);

	rest_if_done(writer);
	return read;
}

/* --- The plugin API ------------------------------------------------------ */

bool mc_offset(struct mc_ctx *ctx, struct mc_offset *offset)
{
	const struct writer *writer = context_of(ctx)->writer;
	const struct queue_item *item = writer->current;

	if (item == NULL || item->records == 0)
		return false;
	*offset = item->offset;
	return true;
}

bool mc_offset_end(struct mc_ctx *ctx, struct mc_offset *offset)
{
	const struct writer *writer = context_of(ctx)->writer;
	const struct queue_item *item = writer->current;

	if (item == NULL || item->records == 0)
		return false;
	*offset = writer->current_end;
	return true;
}

bool mc_records(struct mc_ctx *ctx, struct mc_records *records)
{
	const struct writer *writer = context_of(ctx)->writer;
	const struct queue_item *item = writer->current;

	*records = (struct mc_records){ 0 };
	if (item == NULL || item->records == 0)
		return false;
	*records = (struct mc_records){ journal_epoch(writer->catch_up.journal), item->offset.seq,
					item->offset.seq + item->records - 1 };
	return true;
}

uint64_t mc_dropped_before(struct mc_ctx *ctx)
{
	struct writer *writer = context_of(ctx)->writer;
	const struct mc_writer_status *ledger = &writer->ledger;
	uint64_t missed;

	pthread_mutex_lock(&writer->worker.lock);
	missed = ledger->dropped_full + ledger->dropped_quota + ledger->dropped_damaged -
		 writer->missed_before;
	pthread_mutex_unlock(&writer->worker.lock);
	return missed;
}

void mc_ack(struct mc_ctx *ctx, struct mc_offset offset)
{
	struct writer *writer = context_of(ctx)->writer;

	catch_up_delivered(&writer->catch_up, &offset);
}
