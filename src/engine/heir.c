/* SPDX-License-Identifier: MIT */
/* What a writer leaves to the one that takes its place. */
#include "engine/heir.h"

#include "engine/writer_house.h"

void heir_expect(struct writer *heir, struct writer *from)
{
	heir->subscribed = heir->subscribed || from->subscribed;
}

void heir_settle(struct writer *heir)
{
	struct store *store = heir->instance->engine->store;
	struct queue_item item;

	pthread_mutex_lock(&heir->lock);
	if (!heir->asked)
		heir->subscribed = !heir->instance->plugin->on_request;
	while (!heir->subscribed && queue_pop_batch(&heir->queue, &item)) {
		heir->ledger.accepted -= item.batch->accepted;
		heir->ledger.queued -= item.batch->accepted;
		heir->ledger.queued_bytes -= item.size;
		pthread_mutex_unlock(&heir->lock);
		store_release(store, item.batch);
		pthread_mutex_lock(&heir->lock);
	}
	pthread_mutex_unlock(&heir->lock);
}

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

static void push(struct queue *queue, struct queue_item *item)
{
	if (!queue_push(queue, item)) /* Flushes may be too many. */
		queue_item_done(item);
}

struct estate { /* Of a writer that has ended. */
	struct mc_writer_status ledger;
	struct lane notices;
	struct queue queue;
};

/* Takes all that waits out of a writer; what is to be forgotten stays. */
static void take_all(struct writer *from, struct estate *estate)
{
	struct queue all = { 0 }, kept = { 0 };
	struct queue_item item;

	lane_init(&estate->notices, SIZE_MAX);
	pthread_mutex_lock(&from->lock);
	estate->ledger = from->ledger;
	lane_move(&from->lane, &estate->notices);
	if (from->rest.batch != NULL)
		queue_push(&all, &from->rest);
	from->rest.batch = NULL;
	while (queue_pop(&from->queue, &item))
		push(item.kind == QUEUE_FORGET ? &kept : &all, &item);
	queue_done(&from->queue);
	from->queue = kept;
	pthread_mutex_unlock(&from->lock);
	estate->queue = all;
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

/* What the one before has done counts for both, so that the sums are since the
 * start of the collector.  What it still had in hand, and nobody finds in the
 * journal, is lost. */
static void add_figures(struct mc_writer_status *ledger,
			const struct mc_writer_status *before, uint64_t in_hand)
{
	ledger->accepted += before->accepted - before->queued + in_hand;
	ledger->delivered += before->delivered;
	ledger->dropped_full += before->dropped_full;
	ledger->dropped_refused += before->dropped_refused;
	ledger->dropped_stop += before->dropped_stop + in_hand;
	ledger->dropped_quota += before->dropped_quota;
	ledger->dropped_damaged += before->dropped_damaged;
	ledger->lost_notices += before->lost_notices;
	ledger->failures += before->failures;
}

static uint64_t missed(const struct mc_writer_status *ledger)
{
	return ledger->dropped_full + ledger->dropped_quota +
	       ledger->dropped_damaged;
}

/* Of 'queued' samples that the one before had not taken from the journal, and
 * of those that it had dropped since its cursor last moved: how many the latter
 * are.  The heir finds them missing there, too. */
static uint64_t dropped_since(const struct writer *heir,
			      const struct writer *from, uint64_t queued)
{
	uint64_t end = from->backlog.end.before;
	uint64_t begin = heir->backlog.begin.before;

	if (!writer_is_placed(heir) || !writer_is_placed(from) ||
	    from->instance->plugin->late || end < begin + queued)
		return 0;
	return end - begin - queued;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Takes what both have counted off one of them: what the quota took, or what
 * the heir has still to find damaged. */
static void count_once(struct mc_writer_status *heir,
		       struct mc_writer_status *before, uint64_t samples)
{
	uint64_t quota = least(samples, heir->dropped_quota);
	uint64_t damaged = least(samples - quota, before->dropped_damaged);

	heir->accepted -= quota + damaged;
	heir->dropped_quota -= quota;
	before->dropped_damaged -= damaged;
}

/* Needs the lock of the heir.  Returns how many samples are taken over. */
static uint64_t take_over(struct writer *heir, struct queue *all)
{
	struct mc_writer_status *ledger = &heir->ledger;
	struct queue_item item;
	uint64_t samples = 0;

	for (size_t i = all->batches.len; i > 0; i--) {
		queue_pop_batch(all, &item);
		item.place = (struct queue_place){ 0 }; /* In no journal. */
		samples += item.batch->accepted;
		ledger->queued_bytes += item.size;
		queue_push(all, &item);
	}
	ledger->accepted += samples;
	ledger->queued += samples;
	while (queue_pop(&heir->queue, &item))
		push(all, &item);
	queue_done(&heir->queue);
	heir->queue = *all;
	return samples;
}

void heir_inherit(struct writer *heir, struct writer *from)
{
	struct mc_writer_status *ledger = &heir->ledger;
	struct estate estate;
	uint64_t left, untold;

	take_all(from, &estate);
	drop_recorded(&estate.queue, from->instance->engine->store);
	pthread_mutex_lock(&heir->lock);
	left = estate.ledger.queued - take_over(heir, &estate.queue);
	untold = missed(ledger) + estate.ledger.dropped_full - from->full_known;
	count_once(ledger, &estate.ledger, dropped_since(heir, from, left));
	add_figures(ledger, &estate.ledger, from->recorded ? 0 : left);
	heir->missed_before = missed(ledger) - untold;
	heir->full_known = from->full_known;
	lane_move(&heir->lane, &estate.notices);
	ledger->lost_notices += lane_move(&estate.notices, &heir->lane);
	pthread_mutex_unlock(&heir->lock);
}
