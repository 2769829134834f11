/* SPDX-License-Identifier: MIT */
#include "chunk.h"

#include <string.h>

static void refuse(struct ingest *ingest, enum count_reason reason, const char *text)
{
	count_refuse(ingest->count, ingest->ctx, reason, ingest->path, text);
}

/* Takes whole lines; what they are of waits no longer than the first. */
static void take_lines(struct ingest *ingest, char *text, size_t size)
{
	mc_time now = mc_wall(), first = 0;
	char *end = text + size;

	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)(newline - text);

		*newline = '\0';
		if (line > CHUNK_LINE_MAX) {
			refuse(ingest, COUNT_LONG, text);
		} else {
			mc_time time = ingest_line(ingest, text, line, now);

			if (first == 0)
				first = time;
		}
		text = newline + 1;
	}
	if (first > 0)
		ingest->count->oldest = first;
}

/* How many bytes at the start belong to a line that is too long. */
static size_t skip_line(struct ingest *ingest, char *text, size_t size, bool *skipping)
{
	char *newline;

	if (!*skipping)
		return 0;
	newline = memchr(text, '\n', size);
	if (newline == NULL)
		return size;
	*skipping = false;
	*newline = '\0';
	refuse(ingest, COUNT_LONG, text);
	return (size_t)(newline + 1 - text);
}

size_t chunk_take(struct ingest *ingest, char *text, size_t size, bool *skipping)
{
	size_t start = skip_line(ingest, text, size, skipping);
	char *last = memrchr(text + start, '\n', size - start);

	if (last != NULL) {
		take_lines(ingest, text + start, (size_t)(last + 1 - text) - start);
		return (size_t)(last + 1 - text);
	}
	if (size == CHUNK_SIZE) {
		/* A line of which this is the start may still end in time. */
		*skipping |= start == 0;
		return *skipping ? size : start;
	}
	if (start < size || *skipping) {
		text[size] = '\0';
		refuse(ingest, *skipping ? COUNT_LONG : COUNT_CUT,
		       text + (start < size ? start : 0));
	}
	return size;
}
