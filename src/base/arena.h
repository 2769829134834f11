/* SPDX-License-Identifier: MIT */
/* Bump allocation: many small pieces, freed together.  An arena belongs to one thread at a time. */
#pragma once

#include <stddef.h>

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used; /* Size of bytes[]. */
	char bytes[] __attribute__((aligned(16)));
};

struct arena {
	struct arena_chunk *first; /* In order of allocation. */
	struct arena_chunk *last;  /* From which pieces are taken. */
	size_t size;               /* Size of all chunks together, headers included. */
	size_t chunk_size;         /* Size of the next chunk. */
};

/* Chunks start at 'chunk_size' bytes and double up to 64 KiB. */
void arena_init(struct arena *, size_t chunk_size);
void arena_done(struct arena *);

/* Takes all pieces back and keeps chunks of 'keep' bytes together, or one, so that an arena used
 * over and over does not allocate: one that needed several small ones gets a larger one instead. */
void arena_reset(struct arena *, size_t keep);

/* The same as arena_take() when the last chunk has no room. */
void *arena_take_more(struct arena *, size_t size) __attribute__((returns_nonnull));

/* 'size' bytes aligned to 8, not zeroed. */
static inline void *arena_take(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->last;
	void *piece;

	size = (size + 7) & ~(size_t)7;
	if (chunk == NULL || chunk->size - chunk->used < size)
		return arena_take_more(arena, size);
	piece = chunk->bytes + chunk->used;
	chunk->used += size;
	return piece;
}

void *arena_zero(struct arena *, size_t size) __attribute__((returns_nonnull));

/* A copy of 'size' bytes of text and a '\0' after them. */
char *arena_copy(struct arena *, const char *text, size_t size);
