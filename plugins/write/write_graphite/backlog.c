/* SPDX-License-Identifier: MIT */
#include "backlog.h"

#include <string.h>

size_t backlog_next(const struct backlog *backlog, size_t size_max)
{
	const char *at = backlog->lines.at + backlog->given, *newline;
	size_t left = backlog_waiting(backlog);

	if (left <= size_max)
		return left;
	newline = memrchr(at, '\n', size_max);
	if (newline == NULL)
		newline = memchr(at, '\n', left);
	return newline == NULL ? left : (size_t)(newline - at) + 1;
}

size_t backlog_line(const struct backlog *backlog, size_t place)
{
	while (place > 0 && backlog->lines.at[place - 1] != '\n')
		place--;
	return place;
}

uint64_t backlog_count(const char *lines, size_t size)
{
	const char *end = lines + size;
	uint64_t count = 0;

	while ((lines = memchr(lines, '\n', (size_t)(end - lines))) != NULL) {
		lines++;
		count++;
	}
	return count;
}

void backlog_cut(struct backlog *backlog, size_t size)
{
	struct mc_buffer *lines = &backlog->lines;

	if (size == 0)
		return;
	memmove(lines->at, lines->at + size, lines->size - size);
	lines->size -= size;
	backlog->given -= backlog->given < size ? backlog->given : size;
}

void backlog_drop(struct backlog *backlog, size_t size)
{
	struct mc_buffer *lines = &backlog->lines;
	size_t drop;

	if (lines->size + size <= backlog->limit)
		return;
	/* An eighth more, so that not each line moves all. */
	drop = lines->size + size - backlog->limit + backlog->limit / 8;
	if (drop > lines->size)
		drop = lines->size;
	while (drop < lines->size && lines->at[drop - 1] != '\n')
		drop++;
	backlog->dropped += backlog_count(lines->at, drop);
	backlog_cut(backlog, drop);
}
