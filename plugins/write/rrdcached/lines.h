/* SPDX-License-Identifier: MIT */
/* Lines of text, first in, first out, in one piece of memory, so that many can
 * be copied at once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lines { /* All zero: empty. */
	char *memory;
	size_t start, end, room;
	uint64_t len; /* Lines. */
};

static inline size_t lines_size(const struct lines *lines)
{
	return lines->end - lines->start;
}

static inline const char *lines_text(const struct lines *lines)
{
	return lines->memory + lines->start;
}

/* Where 'size' bytes may be written after the last line; until the next call. */
char *lines_room(struct lines *, size_t size);

/* Adds a line after the first 'at' bytes, which are whole lines. */
void lines_insert(struct lines *, size_t at, const char *line, size_t size);

/* That many bytes of it, which are that many whole lines, now belong to it. */
void lines_added(struct lines *, size_t size, uint64_t len);

/* Takes out the oldest ones: that many bytes, which are that many lines.  Their text can be read
 * until lines are added. */
void lines_remove(struct lines *, size_t size, uint64_t len);

/* The size of the first line of 'text', with its newline. */
size_t lines_first(const char *text, size_t size);

void lines_free(struct lines *);
