/* SPDX-License-Identifier: MIT */
/* Text on its way to a client. */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool reply_print(struct mc_buffer *reply, const char *fmt, ...)
{
	char line[512], *longer;
	va_list arguments;
	bool fits;
	int size;

	va_start(arguments, fmt);
	size = vsnprintf(line, sizeof(line), fmt, arguments);
	va_end(arguments);
	if (size < 0)
		return false;
	if ((size_t)size < sizeof(line))
		return reply_add(reply, line, (size_t)size);
	longer = mc_alloc((size_t)size + 1);
	va_start(arguments, fmt);
	vsnprintf(longer, (size_t)size + 1, fmt, arguments);
	va_end(arguments);
	fits = reply_add(reply, longer, (size_t)size);
	free(longer);
	return fits;
}

bool reply_insert(struct mc_buffer *reply, size_t at, const char *text, size_t size)
{
	size_t moved = reply->size - at;

	if (size > REPLY_MAX - reply->size)
		return false;
	mc_buffer_reserve(reply, reply->size + size + 1);
	memmove(reply->at + at + size, reply->at + at, moved);
	memcpy(reply->at + at, text, size);
	reply->size += size;
	return true;
}
