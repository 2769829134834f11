/* SPDX-License-Identifier: MIT */
/* Bump allocation: many small pieces, freed together. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CHUNK_MAX ((size_t)64 << 10)

void arena_init(struct arena *arena, size_t chunk_size)
{
	*arena = (struct arena){ .chunk_size = chunk_size };
}

static void free_from(struct arena *arena, struct arena_chunk *chunk)
{
	while (chunk != NULL) {
		struct arena_chunk *next = chunk->next;

		arena->size -= sizeof(*chunk) + chunk->size;
		free(chunk);
		chunk = next;
	}
}

void arena_done(struct arena *arena)
{
	free_from(arena, arena->first);
	arena->first = arena->last = NULL;
}

void arena_reset(struct arena *arena, size_t keep)
{
	struct arena_chunk *last = arena->first;
	size_t kept;

	if (last == NULL)
		return;
	if (last->next != NULL && arena->size <= CHUNK_MAX) {
		/* Next time one chunk is enough for as much. */
		arena->chunk_size = arena->size;
		arena_done(arena);
		return;
	}
	last->used = 0;
	kept = sizeof(*last) + last->size;
	for (; last->next != NULL; last = last->next) {
		kept += sizeof(*last) + last->next->size;
		if (kept > keep)
			break;
		last->next->used = 0;
	}
	free_from(arena, last->next);
	last->next = NULL;
	arena->last = arena->first;
}

static void add_chunk(struct arena *arena, size_t at_least)
{
	size_t size = arena->chunk_size > at_least ? arena->chunk_size : at_least;
	struct arena_chunk *chunk = alloc_resize(NULL, 1, sizeof(*chunk) + size);

	*chunk = (struct arena_chunk){ .size = size };
	if (arena->last != NULL)
		arena->last->next = chunk;
	else
		arena->first = chunk;
	arena->last = chunk;
	arena->size += sizeof(*chunk) + size;
	if (arena->chunk_size < CHUNK_MAX)
		arena->chunk_size *= 2;
}

void *arena_take_more(struct arena *arena, size_t size)
{
	bool found = false;

	while (!found && arena->last != NULL && arena->last->next != NULL) {
		arena->last = arena->last->next; /* Kept by a reset. */
		found = arena->last->size >= size;
	}
	if (!found)
		add_chunk(arena, size);
	arena->last->used = size;
	return arena->last->bytes;
}

void *arena_zero(struct arena *arena, size_t size)
{
	return memset(arena_take(arena, size), 0, size);
}

char *arena_copy(struct arena *arena, const char *text, size_t size)
{
	char *copy = arena_take(arena, size + 1);

	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}
