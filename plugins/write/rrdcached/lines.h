/* SPDX-License-Identifier: MIT */
/* Lines of text, first in, first out, in one piece of memory, so that many can
 * be copied at once. */
#ifndef RRDCACHED_LINES_H
#define RRDCACHED_LINES_H

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

/* Where 'size' bytes may be written behind the last line; until the next
 * call. */
char *lines_room(struct lines *, size_t size);

/* So many bytes of it, which are so many whole lines, now belong to it. */
void lines_added(struct lines *, size_t size, uint64_t len);

/* Takes out the oldest ones: so many bytes, which are so many lines.  Their
 * text can be read until lines are added or it is trimmed. */
void lines_remove(struct lines *, size_t size, uint64_t len);

/* Gives memory back if it is empty and large. */
void lines_trim(struct lines *);

/* The size of whole lines at the start of 'text': as few as make up 'least'
 * bytes, or as many as fit in 'most' bytes and are no more than 'len_max'.
 * How many there are is added to '*len'. */
size_t lines_at_least(const char *text, size_t size, size_t least,
		      uint64_t *len);
size_t lines_at_most(const char *text, size_t size, size_t most,
		     uint64_t len_max, uint64_t *len);

void lines_free(struct lines *);

#endif
