/* SPDX-License-Identifier: MIT */
/* What a writer leaves to the one that takes its place. */
#include "engine/heir.h"

#include "engine/writer_house.h"

bool heir_keep(struct writer *writer, const struct queue_item *item)
{
	bool kept;

	pthread_mutex_lock(&writer->lock);
	kept = writer->has_heir && item->records == 0;
	if (kept)
		writer->rest = *item;
	pthread_mutex_unlock(&writer->lock);
	return kept;
}

void heir_stop(struct writer *writer, mc_time until)
{
	pthread_mutex_lock(&writer->lock);
	writer->has_heir = true;
	pthread_mutex_unlock(&writer->lock);
	writer_stop(writer, until);
}

/* Takes all that waits out of a writer; what is to be forgotten stays. */
static struct queue take_all(struct writer *from, struct lane *notices)
{
	struct queue all = { 0 }, kept = { 0 };
	struct queue_item item;

	pthread_mutex_lock(&from->lock);
	lane_move(&from->lane, notices);
	if (from->rest.batch != NULL)
		queue_push(&all, &from->rest);
	from->rest.batch = NULL;
	while (queue_pop(&from->queue, &item))
		queue_push(item.kind == QUEUE_FORGET ? &kept : &all, &item);
	queue_done(&from->queue);
	from->queue = kept;
	pthread_mutex_unlock(&from->lock);
	return all;
}

/* Drops those that the heir finds in the journal. */
static void drop_recorded(struct queue *all, struct store *store)
{
	struct queue_item item;

	for (size_t i = all->batches.len; i > 0; i--) {
		queue_pop_batch(all, &item);
		if (item.records > 0)
			store_release(store, item.batch);
		else
			queue_push(all, &item);
	}
}

/* Needs the lock of the heir. */
static void take_over(struct writer *heir, struct queue *all)
{
	struct mc_writer_status *ledger = &heir->ledger;
	struct queue_item item;

	for (size_t i = all->batches.len; i > 0; i--) {
		queue_pop_batch(all, &item);
		item.place = (struct queue_place){ 0 }; /* In no journal. */
		ledger->accepted += item.batch->accepted;
		ledger->queued += item.batch->accepted;
		ledger->queued_bytes += item.size;
		queue_push(all, &item);
	}
	while (queue_pop(&heir->queue, &item))
		queue_push(all, &item);
	queue_done(&heir->queue);
	heir->queue = *all;
}

void heir_inherit(struct writer *heir, struct writer *from)
{
	struct lane notices;
	struct queue all;

	lane_init(&notices, SIZE_MAX);
	all = take_all(from, &notices);
	drop_recorded(&all, from->instance->engine->store);
	pthread_mutex_lock(&heir->lock);
	take_over(heir, &all);
	lane_move(&heir->lane, &notices);
	heir->ledger.lost_notices += lane_move(&notices, &heir->lane);
	pthread_mutex_unlock(&heir->lock);
}
