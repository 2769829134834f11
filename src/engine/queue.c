/* SPDX-License-Identifier: MIT */
/* What waits for a writer, in order: two rings that grow. */
#include "engine/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SIZE_MIN 16 /* Places of a new ring. */

void queue_init(struct queue *queue)
{
	*queue = (struct queue){ 0 };
}

void queue_done(struct queue *queue)
{
	free(queue->batches.items);
	free(queue->others.items);
}

static struct queue_item *place(const struct queue_ring *ring, size_t i)
{
	return &ring->items[(ring->first + i) & (ring->size - 1)];
}

static void grow(struct queue_ring *ring)
{
	size_t size = ring->size > 0 ? 2 * ring->size : SIZE_MIN;
	struct queue_item *items = alloc_array(size, sizeof(*items));

	for (size_t i = 0; i < ring->len; i++)
		items[i] = *place(ring, i);
	free(ring->items);
	ring->items = items;
	ring->size = size;
	ring->first = 0;
}

bool queue_push(struct queue *queue, const struct queue_item *item)
{
	struct queue_ring *ring =
		item->kind == QUEUE_BATCH ? &queue->batches : &queue->others;

	if (ring == &queue->others && ring->len >= QUEUE_OTHERS_MAX &&
	    item->kind != QUEUE_FORGET)
		return false;
	if (ring->len == ring->size)
		grow(ring);
	*place(ring, ring->len) = *item;
	place(ring, ring->len++)->order = ++queue->order;
	return true;
}

static bool pop(struct queue_ring *ring, struct queue_item *item)
{
	if (ring->len == 0)
		return false;
	*item = *place(ring, 0);
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
	       (batches->len == 0 ||
		place(others, 0)->order < place(batches, 0)->order);
}

const struct queue_item *queue_first_batch(const struct queue *queue)
{
	return queue->batches.len > 0 ? place(&queue->batches, 0) : NULL;
}

const struct queue_item *queue_first(const struct queue *queue)
{
	return other_is_first(queue) ? place(&queue->others, 0)
				     : queue_first_batch(queue);
}

bool queue_pop(struct queue *queue, struct queue_item *item)
{
	return pop(other_is_first(queue) ? &queue->others : &queue->batches,
		   item);
}

bool queue_pop_batch(struct queue *queue, struct queue_item *item)
{
	return pop(&queue->batches, item);
}

bool queue_empty(const struct queue *queue)
{
	return queue->batches.len == 0 && queue->others.len == 0;
}

static unsigned fields_len(const struct mc_notice *notice)
{
	return notice->fields_len < MC_FIELDS_MAX ? notice->fields_len
						  : MC_FIELDS_MAX;
}

static size_t fields_size(const struct mc_notice *notice)
{
	unsigned len = fields_len(notice);
	size_t size = len * sizeof(*notice->fields);

	for (unsigned i = 0; i < len; i++)
		size += strlen(notice->fields[i].name) + 1 +
			strlen(notice->fields[i].value) + 1;
	return size;
}

/* Copies the fields to 'to', their texts to 'at'. */
static void copy_fields(struct mc_field *to, char *at,
			const struct mc_notice *notice)
{
	for (unsigned i = 0; i < fields_len(notice); i++) {
		to[i].name = at;
		at = stpcpy(at, notice->fields[i].name) + 1;
		to[i].value = at;
		at = stpcpy(at, notice->fields[i].value) + 1;
	}
}

struct mc_notice *queue_copy_notice(const struct mc_notice *notice)
{
	const char *from[] = { notice->id.host,
			       notice->id.plugin,
			       notice->id.plugin_instance,
			       notice->id.type,
			       notice->id.type_instance,
			       notice->message };
	size_t size = sizeof(*notice) + fields_size(notice);
	struct mc_field *fields;
	struct mc_notice *copy;
	const char *to[6];
	char *at;

	for (unsigned i = 0; i < 6; i++)
		size += from[i] != NULL ? strlen(from[i]) + 1 : 0;
	copy = alloc_zero(size);
	fields = (struct mc_field *)(copy + 1);
	at = (char *)(fields + fields_len(notice));
	for (unsigned i = 0; i < 6; i++) {
		to[i] = from[i] != NULL ? at : NULL;
		if (from[i] != NULL)
			at = stpcpy(at, from[i]) + 1;
	}
	copy->severity = notice->severity;
	copy->time = notice->time;
	copy->id = (struct mc_id){ to[0], to[1], to[2], to[3], to[4] };
	copy->message = to[5];
	copy_fields(fields, at, notice);
	copy->fields = fields;
	copy->fields_len = fields_len(notice);
	return copy;
}

void queue_item_done(struct queue_item *item)
{
	if (item->kind == QUEUE_NOTICE)
		free(item->notice);
	else if (item->kind == QUEUE_FLUSH)
		free(item->name);
}
