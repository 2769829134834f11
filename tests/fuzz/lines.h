/* SPDX-License-Identifier: MIT */
/* Inputs of fuzz targets as texts, a line each. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lines { /* Texts up to the first '\0' of a line; "" behind the end. */
	char *text, *next;
};

static inline void lines_open(struct lines *lines, const uint8_t *data, size_t size)
{
	lines->text = calloc(1, size + 1);
	if (lines->text == NULL)
		abort();
	if (size > 0)
		memcpy(lines->text, data, size);
	for (size_t i = 0; i < size; i++)
		if (lines->text[i] == '\0')
			lines->text[i] = '?';
	lines->next = lines->text;
}

static inline char *lines_take(struct lines *lines)
{
	char *line = lines->next;

	lines->next += strcspn(line, "\n");
	if (*lines->next != '\0')
		*lines->next++ = '\0';
	return line;
}

static inline void lines_close(struct lines *lines)
{
	free(lines->text);
}
