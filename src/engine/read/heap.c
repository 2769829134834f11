/* SPDX-License-Identifier: MIT */
/* Instances by the time of their next read: a binary heap.  Those that are due
 * at the same time come out in the same order each time: so what they read is
 * sent in that order, and a receiver knows it again. */
#include "engine/read/heap.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "engine/context.h"
#include "engine/read/reading.h"

static bool is_before(const struct heap *heap, size_t a, size_t b)
{
	const struct reading *one = heap->items[a], *other = heap->items[b];

	if (one->due != other->due)
		return one->due < other->due;
	return one->context->number < other->context->number;
}

static void swap(struct heap *heap, size_t a, size_t b)
{
	struct reading *item = heap->items[a];

	heap->items[a] = heap->items[b];
	heap->items[b] = item;
}

void heap_done(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){ 0 };
}

void heap_push(struct heap *heap, struct reading *item)
{
	size_t i = heap->len++;

	if (heap->len > heap->size) {
		heap->size = heap->size > 0 ? 2 * heap->size : 16;
		heap->items = alloc_resize(heap->items, heap->size, sizeof(*heap->items));
	}
	heap->items[i] = item;
	for (; i > 0 && is_before(heap, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

struct reading *heap_first(const struct heap *heap)
{
	return heap->len > 0 ? heap->items[0] : NULL;
}

/* Lets an item sink as deep as its time wants it. */
static void sink(struct heap *heap, size_t i)
{
	size_t child;

	while ((child = 2 * i + 1) < heap->len) {
		if (child + 1 < heap->len && is_before(heap, child + 1, child))
			child++;
		if (!is_before(heap, child, i))
			break;
		swap(heap, i, child);
		i = child;
	}
}

struct reading *heap_pop(struct heap *heap)
{
	struct reading *first = heap_first(heap);

	if (first == NULL)
		return NULL;
	heap->items[0] = heap->items[--heap->len];
	sink(heap, 0);
	return first;
}

/* Rare, so that the rest may be put in order from below. */
void heap_remove(struct heap *heap, struct reading *item)
{
	size_t kept = 0;

	for (size_t i = 0; i < heap->len; i++)
		if (heap->items[i] != item)
			heap->items[kept++] = heap->items[i];
	heap->len = kept;
	for (size_t i = kept / 2; i-- > 0;)
		sink(heap, i);
}
