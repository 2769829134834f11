/* SPDX-License-Identifier: MIT */
#include "formats/rrdcached/reply.h"

#include <stdlib.h>
#include <string.h>

enum { DETAILS_MAX = 1000000 }; /* Of one reply; more is nonsense. */

/* Reads the number that the line starts with. */
static bool read_number(struct reply_line *line, const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || (*end != ' ' && *end != '\0') || strchr("-0123456789", text[0]) == NULL)
		return false;
	line->number = number;
	line->text = end + strspn(end, " ");
	return true;
}

static struct reply_line read_line(struct reply *reply)
{
	struct reply_line line = { .text = reply->text };

	line.numbered = read_number(&line, reply->text);
	if (reply->left > 0) {
		line.kind = REPLY_DETAIL;
		reply->left--;
	} else if (line.numbered && line.number <= DETAILS_MAX) {
		line.kind = REPLY_STATUS;
		reply->left = line.number > 0 ? line.number : 0;
		reply->refusal = line.number < 0;
	} else {
		line.kind = reply->refusal ? REPLY_NONE : REPLY_BROKEN;
	}
	line.last = reply->left == 0;
	return line;
}

struct reply_line reply_next(struct reply *reply, const char **bytes, const char *end)
{
	struct reply_line line = { .kind = REPLY_NONE };

	while (*bytes < end && line.kind == REPLY_NONE) {
		size_t size = (size_t)(end - *bytes);
		const char *newline = memchr(*bytes, '\n', size);
		size_t room = sizeof(reply->text) - 1 - reply->size;

		if (newline != NULL)
			size = (size_t)(newline - *bytes);
		memcpy(reply->text + reply->size, *bytes, size < room ? size : room);
		reply->size += size < room ? size : room;
		*bytes += size + (newline != NULL);
		if (newline == NULL)
			break;
		reply->text[reply->size] = '\0';
		reply->size = 0;
		line = read_line(reply);
	}
	return line;
}
