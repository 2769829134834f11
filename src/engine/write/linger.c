/* SPDX-License-Identifier: MIT */
/* A merged batch has copies of the samples; it keeps the oldest of the batches
 * that it was made of, so that their series live as long as it does.
 */
#include "engine/write/linger.h"

#include <collector/writer.h>

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/stream.h>

#include "base/clock.h"
#include "engine/write/durable/durable.h"
#include "engine/write/notification.h"
#include "engine/write/writer_internal.h"

#define PARTS_MAX 1024
#define ENOUGH ((size_t)1 << 20) /* Bytes that wait for no more. */

struct parts {
	struct queue_item *items;
	size_t len, room;
	size_t size; /* Bytes of the batches. */
};

static void add(struct parts *parts, const struct queue_item *item)
{
	MC_ARRAY_GROW(parts->items, parts->len, parts->room);
	parts->items[parts->len++] = *item;
	parts->size += batch_size(item->batch);
}

/* Whether the host of some samples has another stream in both: a batch has one of each. */
static bool contradicts(const struct mc_batch *batch, const struct mc_batch *other)
{
	const struct batch_stream *near = NULL, *found;

	for (const struct batch_stream *at = batch->streams; at != NULL; at = at->next) {
		found = batch_find_stream(other, at->host, near);
		if (found == NULL)
			continue;
		if (strcmp(found->text, at->text) != 0)
			return true;
		near = found;
	}
	return false;
}

/* Whether it contradicts none of them: a guest that has left and come back has two streams. */
static bool fits(void *argument, const struct mc_batch *batch)
{
	const struct parts *parts = argument;

	for (size_t i = parts->len; batch->streams != NULL && i-- > 0;)
		if (contradicts(batch, parts->items[i].batch))
			return false;
	return true;
}

/* Whether the next batch is here, and begins in the journal where the last one ends. */
static bool follows(const struct writer *writer, struct parts *parts)
	MC_REQUIRES(writer->worker.lock)
{
	const struct queue_item *last = &parts->items[parts->len - 1];
	const struct queue_item *next = queue_first(&writer->worker.queue);

	if (next == NULL || next->kind != QUEUE_BATCH || !catch_up_is_next(&writer->catch_up, next))
		return false;
	if (!fits(parts, next->batch))
		return false;
	if (last->records == 0 || next->records == 0)
		return last->records == next->records;
	return next->offset.seq == last->offset.seq + last->records;
}

/* Whether more may come, and is to be waited for. */
static bool is_to_wait(const struct writer *writer, mc_time until) MC_REQUIRES(writer->worker.lock)
{
	struct mc_offset limit;

	return !writer->worker.stopping && writer->drains == 0 &&
	       queue_empty(&writer->worker.queue) &&
	       !catch_up_has(&writer->catch_up, NULL, &limit) && clock_now() < until;
}

/* Gives the lock up meanwhile. */
static void collect(struct writer *writer, struct parts *parts) MC_REQUIRES(writer->worker.lock)
{
	mc_time until = clock_now() + writer->linger;

	while (parts->len < PARTS_MAX && parts->size < ENOUGH) {
		struct queue_item next;

		if (follows(writer, parts)) {
			durable_pop(writer, &next);
			add(parts, &next);
			continue;
		}
		if (!is_to_wait(writer, until))
			break;
		notification_wait(writer, WORKER_COLLECTING, until);
	}
}

static void copy_streams(struct mc_batch *to, const struct mc_batch *from)
{
	const struct batch_stream *near = NULL, *found;

	for (const struct batch_stream *at = from->streams; at != NULL; at = at->next) {
		found = batch_find_stream(to, at->host, near);
		if (found != NULL)
			near = found;
		else
			mc_set_stream(to, at->host, at->text);
	}
}

static void copy_samples(struct mc_batch *to, const struct mc_batch *from)
{
	copy_streams(to, from);
	MC_FOR_EACH_SAMPLE (sample, from) {
		size_t values = 2 * sample->values_len * sizeof(union mc_value);
		struct mc_stamp stamp = { sample->time, sample->interval };

		mc_put_at(to, sample->series, stamp, sample->values, sample->values_len);
		memcpy(to->last->values, sample->values, values);
		to->last->flags = sample->flags;
	}
	to->excluded |= from->excluded;
	to->lineage |= from->lineage;
}

/* Whether a batch is to be in front of the one that came before it.  Readers measure series of
 * their own; but what came from others may be of any series, so all stays in order around it. */
static bool precedes(const struct mc_batch *batch, const struct mc_batch *other)
{
	return batch->scheduled && other->scheduled &&
	       context_of(batch->ctx)->number < context_of(other->ctx)->number;
}

/* By instance, each one's in the order in which they came: a reader that was
 * slow this time does not make the request another one to its receiver. */
static void sort(struct parts *parts)
{
	for (size_t i = 1; i < parts->len; i++) {
		struct queue_item item = parts->items[i];
		size_t at = i;

		for (; at > 0 && precedes(item.batch, parts->items[at - 1].batch); at--)
			parts->items[at] = parts->items[at - 1];
		parts->items[at] = item;
	}
}

/* Makes one of them; they are released but for the oldest. */
static struct mc_batch *make_one(struct writer *writer, struct parts *parts)
{
	struct context *context = writer->context;
	struct store *store = context->registry->store;
	struct mc_batch *merged = store_begin(store, &context->ctx);
	struct mc_batch *oldest = parts->items[0].batch;

	sort(parts);
	for (size_t i = 0; i < parts->len; i++) {
		struct mc_batch *batch = parts->items[i].batch;

		copy_samples(merged, batch);
		if (batch->serial < oldest->serial)
			oldest = batch;
	}
	for (size_t i = 0; i < parts->len; i++)
		if (parts->items[i].batch != oldest)
			store_release(store, parts->items[i].batch);
	merged->keeps = oldest;
	return merged;
}

/* Makes 'item' the whole of them. */
static void merge(struct writer *writer, struct parts *parts, struct queue_item *item)
{
	for (size_t i = 1; i < parts->len; i++) {
		item->records += parts->items[i].records;
		item->size += parts->items[i].size;
	}
	item->batch = make_one(writer, parts);
}

void linger_collect(struct writer *writer, struct queue_item *item) MC_REQUIRES(writer->worker.lock)
{
	struct parts parts = { .len = 0 };

	if (writer->linger == 0 || item->kind != QUEUE_BATCH)
		return;
	add(&parts, item);
	collect(writer, &parts);
	if (parts.len > 1) {
		pthread_mutex_unlock(&writer->worker.lock);
		merge(writer, &parts, item);
		pthread_mutex_lock(&writer->worker.lock);
	}
	free(parts.items);
}

void linger_read(struct writer *writer, struct queue_item *item, uint64_t *samples)
{
	struct parts parts = { .len = 0 };
	struct queue_item next;
	uint64_t more;
	mc_time linger;

	pthread_mutex_lock(&writer->worker.lock);
	linger = writer->linger;
	pthread_mutex_unlock(&writer->worker.lock);
	if (linger == 0)
		return;
	add(&parts, item);
	while (parts.len < PARTS_MAX && parts.size < ENOUGH) {
		const struct durable_question question = { &parts.items[parts.len - 1], fits,
							   &parts };

		if (!durable_read_after(writer, &question, &next, &more))
			break;
		add(&parts, &next);
		*samples += more;
	}
	if (parts.len > 1)
		merge(writer, &parts, item);
	free(parts.items);
}

/* --- The plugin API ------------------------------------------------------ */

void mc_linger(struct mc_ctx *ctx, mc_time time)
{
	struct writer *writer = context_of(ctx)->writer;

	pthread_mutex_lock(&writer->worker.lock);
	writer->linger = time;
	pthread_mutex_unlock(&writer->worker.lock);
}
