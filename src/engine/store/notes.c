/* SPDX-License-Identifier: MIT */
#include "engine/store/notes.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/store/metric.h"
#include "model/series.h"

#define BLOCK_SIZE 65536 /* Bytes; small enough to be made under a lock. */

struct notes_block {
	struct notes_block *next;
	size_t used;
	alignas(struct note) char bytes[BLOCK_SIZE];
};

static size_t size_of(size_t name_size)
{
	size_t size = sizeof(struct note) + name_size;

	return (size + alignof(struct note) - 1) / alignof(struct note) * alignof(struct note);
}

static struct notes_block *make_room(struct notes *notes, size_t size)
{
	struct notes_block *block = notes->newest;

	if (block != NULL && BLOCK_SIZE - block->used >= size)
		return block;
	if (notes->size + sizeof(*block) > notes->size_max)
		return NULL;
	block = alloc_resize(NULL, 1, sizeof(*block));
	block->next = NULL;
	block->used = 0;
	if (notes->newest != NULL)
		notes->newest->next = block;
	else
		notes->oldest = block;
	notes->newest = block;
	notes->size += sizeof(*block);
	return block;
}

bool notes_add(struct notes *notes, const struct mc_series *series, enum note_kind kind,
	       struct metric_kept *metric)
{
	size_t size = size_of(series->name_size);
	struct notes_block *block;
	bool has_metric = atomic_load_explicit(&series->metric, memory_order_relaxed) != NULL;
	struct note *note;

	if (notes->size_max == 0 || series->time == 0)
		return false;
	notes->has_metric |= has_metric && kind == NOTE_BEGUN;
	block = make_room(notes, size);
	if (block == NULL) {
		notes->lost = true;
		return false;
	}
	note = (struct note *)(block->bytes + block->used);
	note->first = series->first;
	note->last = series->time;
	note->interval = series->interval;
	note->metric = metric;
	note->name_size = series->name_size;
	note->kind = (uint8_t)kind;
	note->has_metric = has_metric;
	note->is_new = series->metric_noted;
	memcpy(note->name, series->name, series->name_size);
	block->used += size;
	return true;
}

void notes_each(const struct notes *notes, void (*show)(void *argument, const struct note *),
		void *argument)
{
	for (const struct notes_block *block = notes->oldest; block != NULL; block = block->next)
		for (size_t at = 0; at < block->used;) {
			const struct note *note = (const struct note *)(block->bytes + at);

			show(argument, note);
			at += size_of(note->name_size);
		}
}

static void let_go(void *argument, const struct note *note)
{
	(void)argument;
	metric_let_go(note->metric);
}

void notes_free(struct notes *notes)
{
	struct notes_block *next;

	notes_each(notes, let_go, NULL);
	for (struct notes_block *block = notes->oldest; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	*notes = (struct notes){ .size_max = notes->size_max };
}
