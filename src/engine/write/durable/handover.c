/* SPDX-License-Identifier: MIT */
/* Hands a writer's remains over to its successor. */
#include "engine/write/durable/handover.h"

#include <collector/private/status.h>

#include "engine/write/account.h"
#include "engine/write/route.h"
#include "engine/write/writer_internal.h"

void handover_expect(struct writer *successor, struct writer *from)
{
	successor->subscribed = successor->subscribed || from->subscribed;
}

void handover_settle(struct writer *successor)
{
	struct store *store = successor->context->registry->store;
	struct queue_item item;
	uint64_t samples;

	pthread_mutex_lock(&successor->worker.lock);
	if (!successor->subscription_set)
		successor->subscribed = !successor->context->callbacks->on_request;
	while (!successor->subscribed && queue_pop_batch(&successor->worker.queue, &item)) {
		samples = route_count(successor, &item);
		successor->ledger.accepted -= samples;
		successor->ledger.queued -= samples;
		successor->ledger.queued_bytes -= item.size;
		pthread_mutex_unlock(&successor->worker.lock);
		store_release(store, item.batch);
		pthread_mutex_lock(&successor->worker.lock);
	}
	pthread_mutex_unlock(&successor->worker.lock);
}

bool handover_keep(struct writer *writer, const struct queue_item *item)
{
	bool kept;

	pthread_mutex_lock(&writer->worker.lock);
	kept = writer->has_successor && item->records == 0;
	if (kept)
		writer->rest = *item;
	pthread_mutex_unlock(&writer->worker.lock);
	return kept;
}

void handover_stop(struct writer *writer, mc_time until)
{
	pthread_mutex_lock(&writer->worker.lock);
	writer->has_successor = true;
	pthread_mutex_unlock(&writer->worker.lock);
	writer_stop(writer, until);
}

static void push(struct queue *queue, struct queue_item *item)
{
	if (!queue_push(queue, item)) /* Flushes may be too many. */
		queue_item_done(item);
}

struct handover { /* Of a writer that has ended. */
	struct mc_writer_status ledger;
	struct notification_queue notifications;
	struct queue queue;
};

/* Items that concern the plugin's own pointers stay with it, and its undelivered reports of ended
 * series are dropped. */
static bool stays(const struct queue_item *item)
{
	return item->kind == QUEUE_FORGET || item->kind == QUEUE_ENDED;
}

/* Takes all that waits out of a writer; slots to be freed stay. */
static void take_all(struct writer *from, struct handover *handover)
{
	struct queue all = { 0 }, kept = { 0 };
	struct queue_item item;

	notification_queue_init(&handover->notifications, SIZE_MAX);
	pthread_mutex_lock(&from->worker.lock);
	account_status(from, &handover->ledger);
	notification_queue_move(&from->notification_queue, &handover->notifications);
	if (from->rest.batch != NULL)
		queue_push(&all, &from->rest);
	from->rest.batch = NULL;
	while (queue_pop(&from->worker.queue, &item))
		push(stays(&item) ? &kept : &all, &item);
	queue_done(&from->worker.queue);
	from->worker.queue = kept;
	pthread_mutex_unlock(&from->worker.lock);
	handover->queue = all;
}

/* Drops those that the successor finds in the journal. */
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

/* The counts of the predecessor go on, so that the sums are since the start of the collector.
 * Samples that it still had in hand, and that are not in the journal, are lost. */
static void add_figures(struct mc_writer_status *ledger, const struct mc_writer_status *before,
			uint64_t in_hand)
{
	ledger->accepted += before->accepted - before->queued + in_hand;
	ledger->delivered += before->delivered;
	ledger->dropped_full += before->dropped_full;
	ledger->dropped_refused += before->dropped_refused;
	ledger->dropped_stop += before->dropped_stop + in_hand;
	ledger->dropped_quota += before->dropped_quota;
	ledger->dropped_damaged += before->dropped_damaged;
	ledger->lost_notifications += before->lost_notifications;
	ledger->suppressed_notifications += before->suppressed_notifications;
	ledger->failures += before->failures;
}

static uint64_t missed(const struct mc_writer_status *ledger)
{
	return ledger->dropped_full + ledger->dropped_quota + ledger->dropped_damaged;
}

/* Among 'queued' samples that the predecessor had not taken from the journal, and those that it
 * had dropped since its cursor last moved: the number of the latter.  The successor finds them
 * missing there, too. */
static uint64_t dropped_since(const struct writer *successor, const struct writer *from,
			      uint64_t queued)
{
	uint64_t end = from->catch_up.end.samples;
	uint64_t begin = successor->catch_up.begin.samples;

	if (!writer_has_cursor(successor) || !writer_has_cursor(from) ||
	    from->context->callbacks->acks_async || end < begin + queued)
		return 0;
	return end - begin - queued;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Takes what both have counted off one of them: what the quota took, or what
 * the successor has still to find damaged. */
static void count_once(struct mc_writer_status *successor, struct mc_writer_status *before,
		       uint64_t samples)
{
	uint64_t quota = least(samples, successor->dropped_quota);
	uint64_t damaged = least(samples - quota, before->dropped_damaged);

	successor->accepted -= quota + damaged;
	successor->dropped_quota -= quota;
	before->dropped_damaged -= damaged;
}

/* Returns how many samples are taken over. */
static uint64_t take_over(struct writer *successor, struct queue *all)
	MC_REQUIRES(successor->worker.lock)
{
	struct mc_writer_status *ledger = &successor->ledger;
	struct queue_item item;
	uint64_t samples = 0;

	for (size_t i = all->batches.len; i > 0; i--) {
		queue_pop_batch(all, &item);
		item.offset = (struct mc_offset){ 0 }; /* In no journal. */
		samples += route_count(successor, &item);
		ledger->queued_bytes += item.size;
		queue_push(all, &item);
	}
	ledger->accepted += samples;
	ledger->queued += samples;
	while (queue_pop(&successor->worker.queue, &item))
		push(all, &item);
	queue_done(&successor->worker.queue);
	successor->worker.queue = *all;
	return samples;
}

void handover_take_over(struct writer *successor, struct writer *from)
{
	struct mc_writer_status *ledger = &successor->ledger;
	struct handover handover;
	uint64_t left, unreported;

	take_all(from, &handover);
	drop_recorded(&handover.queue, from->context->registry->store);
	pthread_mutex_lock(&successor->worker.lock);
	left = handover.ledger.queued - take_over(successor, &handover.queue);
	unreported = missed(ledger) + handover.ledger.dropped_full - from->full_known;
	count_once(ledger, &handover.ledger, dropped_since(successor, from, left));
	add_figures(ledger, &handover.ledger, from->recorded ? 0 : left);
	successor->missed_before = missed(ledger) - unreported;
	successor->full_known = from->full_known;
	notification_queue_move(&successor->notification_queue, &handover.notifications);
	ledger->lost_notifications +=
		notification_queue_move(&handover.notifications, &successor->notification_queue);
	pthread_mutex_unlock(&successor->worker.lock);
}
