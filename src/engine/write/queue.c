/* SPDX-License-Identifier: MIT */
/* Items that wait for a writer, in order: two rings that grow. */
#include "engine/write/queue.h"

#include <stdlib.h>

#include "base/alloc.h"

#define SIZE_MIN 16 /* Items that a new ring has room for. */

void queue_init(struct queue *queue)
{
	*queue = (struct queue){ 0 };
}

void queue_done(struct queue *queue)
{
	free(queue->batches.items);
	free(queue->others.items);
}

static struct queue_item *item_at(const struct queue_ring *ring, size_t i)
{
	return &ring->items[(ring->first + i) & (ring->size - 1)];
}

static void grow(struct queue_ring *ring)
{
	size_t size = ring->size > 0 ? 2 * ring->size : SIZE_MIN;
	struct queue_item *items = alloc_array(size, sizeof(*items));

	for (size_t i = 0; i < ring->len; i++)
		items[i] = *item_at(ring, i);
	free(ring->items);
	ring->items = items;
	ring->size = size;
	ring->first = 0;
}

bool queue_push(struct queue *queue, const struct queue_item *item)
{
	struct queue_ring *ring = item->kind == QUEUE_BATCH ? &queue->batches : &queue->others;

	if (ring == &queue->others && ring->len >= QUEUE_OTHERS_MAX && item->kind != QUEUE_FORGET)
		return false;
	if (ring->len == ring->size)
		grow(ring);
	*item_at(ring, ring->len) = *item;
	item_at(ring, ring->len++)->order = ++queue->order;
	return true;
}

static bool pop(struct queue_ring *ring, struct queue_item *item)
{
	if (ring->len == 0)
		return false;
	*item = *item_at(ring, 0);
	ring->first++;
	ring->len--;
	return true;
}

/* Whether something else was pushed before the oldest batch. */
static bool other_is_first(const struct queue *queue)
{
	const struct queue_ring *batches = &queue->batches;
	const struct queue_ring *others = &queue->others;

	return others->len > 0 &&
	       (batches->len == 0 || item_at(others, 0)->order < item_at(batches, 0)->order);
}

const struct queue_item *queue_first_batch(const struct queue *queue)
{
	return queue->batches.len > 0 ? item_at(&queue->batches, 0) : NULL;
}

const struct queue_item *queue_first(const struct queue *queue)
{
	return other_is_first(queue) ? item_at(&queue->others, 0) : queue_first_batch(queue);
}

bool queue_pop(struct queue *queue, struct queue_item *item)
{
	return pop(other_is_first(queue) ? &queue->others : &queue->batches, item);
}

bool queue_pop_batch(struct queue *queue, struct queue_item *item)
{
	return pop(&queue->batches, item);
}

bool queue_empty(const struct queue *queue)
{
	return queue->batches.len == 0 && queue->others.len == 0;
}

void queue_item_done(struct queue_item *item)
{
	if (item->kind == QUEUE_FLUSH)
		free(item->name);
}
