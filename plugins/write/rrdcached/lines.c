/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROOM_FIRST = 64,
	ROOM_KEPT = 256 << 10, /* More is given back when it is empty. */
};

static void move_to_start(struct lines *lines)
{
	memmove(lines->memory, lines->memory + lines->start, lines_size(lines));
	lines->end -= lines->start;
	lines->start = 0;
}

/* Room in front is used again when it is at least half of all, so that each
 * byte is moved once, on average. */
char *lines_room(struct lines *lines, size_t size)
{
	if (lines->room - lines->end >= size)
		return lines->memory + lines->end;
	if (lines->start > 0 && lines->start >= lines->room / 2)
		move_to_start(lines);
	if (lines->room - lines->end < size) {
		size_t room = lines->room > 0 ? lines->room : ROOM_FIRST;

		while (room - lines->end < size)
			room += room / 2;
		lines->memory = realloc(lines->memory, room);
		if (lines->memory == NULL)
			abort();
		lines->room = room;
	}
	return lines->memory + lines->end;
}

void lines_added(struct lines *lines, size_t size, uint64_t len)
{
	assert(size <= lines->room - lines->end);
	lines->end += size;
	lines->len += len;
}

void lines_remove(struct lines *lines, size_t size, uint64_t len)
{
	assert(size <= lines_size(lines) && len <= lines->len);
	lines->start += size;
	lines->len -= len;
	if (lines->start < lines->end)
		return;
	lines->start = lines->end = 0; /* The memory stays as it is. */
}

void lines_trim(struct lines *lines)
{
	if (lines->start == lines->end && lines->room > ROOM_KEPT)
		lines_free(lines);
}

size_t lines_at_least(const char *text, size_t size, size_t least,
		      uint64_t *len)
{
	size_t used = 0;

	while (used < least && used < size) {
		const char *end = memchr(text + used, '\n', size - used);

		used = (size_t)(end - text) + 1;
		++*len;
	}
	return used;
}

size_t lines_at_most(const char *text, size_t size, size_t most,
		     uint64_t len_max, uint64_t *len)
{
	size_t used = 0;

	for (uint64_t i = 0; i < len_max && used < size; i++) {
		const char *end = memchr(text + used, '\n', size - used);
		size_t next = (size_t)(end - text) + 1;

		if (next > most)
			break;
		used = next;
		++*len;
	}
	return used;
}

void lines_free(struct lines *lines)
{
	free(lines->memory);
	*lines = (struct lines){ 0 };
}
