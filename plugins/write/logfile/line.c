/* SPDX-License-Identifier: MIT */
/* The form is that of collectd 5.12, found by running it: sites have parsers for these lines. */
#include "line.h"

#include <stdio.h>
#include <string.h>

size_t line_format(char *out, const struct tm *time, const char *severity, const char *text)
{
	size_t size = 0, room;

	if (time != NULL)
		size += strftime(out, LINE_SIZE, "[%Y-%m-%d %H:%M:%S] ", time);
	if (severity != NULL)
		size += (size_t)snprintf(out + size, LINE_SIZE - size, "[%s] ", severity);
	room = LINE_SIZE - size - sizeof("\n");
	room = strnlen(text, room);
	memcpy(out + size, text, room);
	size += room;
	out[size++] = '\n';
	out[size] = '\0';
	return size;
}
