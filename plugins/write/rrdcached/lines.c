/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

enum { ROOM_FIRST = 64 };

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
		lines->memory = mc_alloc_resize(lines->memory, room, 1);
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

void lines_insert(struct lines *lines, size_t at, const char *line, size_t size)
{
	char *to;

	lines_room(lines, size);
	to = lines->memory + lines->start + at;
	memmove(to + size, to, lines_size(lines) - at);
	memcpy(to, line, size);
	lines_added(lines, size, 1);
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

size_t lines_first(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);

	return (size_t)(end - text) + 1;
}

void lines_free(struct lines *lines)
{
	free(lines->memory);
	*lines = (struct lines){ 0 };
}
