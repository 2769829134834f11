/* SPDX-License-Identifier: MIT */
/* Text on its way to a client. */
#include "reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define ROOM_FIRST ((size_t)4 << 10)
#define ROOM_KEPT ((size_t)256 << 10) /* A larger buffer is given back. */

void reply_done(struct reply *reply)
{
	free(reply->text);
	*reply = (struct reply){ 0 };
}

void reply_reset(struct reply *reply)
{
	if (reply->room > ROOM_KEPT)
		reply_done(reply);
	reply->size = 0;
	reply->cut = false;
}

/* Room for 'size' more bytes at text + size, or NULL: then it is cut. */
static char *room_for(struct reply *reply, size_t size)
{
	size_t room = reply->room;

	if (size <= room - reply->size)
		return reply->text + reply->size;
	if (size > REPLY_MAX - reply->size) {
		reply->cut = true;
		return NULL;
	}
	if (room == 0)
		room = ROOM_FIRST;
	while (room - reply->size < size)
		room *= 2;

	char *text = mc_alloc_resize(reply->text, room, 1);

	reply->text = text;
	reply->room = room;
	return text + reply->size;
}

void reply_add(struct reply *reply, const char *text, size_t size)
{
	char *out = room_for(reply, size);

	if (out == NULL)
		return;
	memcpy(out, text, size);
	reply->size += size;
}

void reply_print(struct reply *reply, const char *fmt, ...)
{
	char line[512];
	va_list arguments;
	int size;

	va_start(arguments, fmt);
	size = vsnprintf(line, sizeof(line), fmt, arguments);
	va_end(arguments);
	if (size < 0)
		return;
	if ((size_t)size < sizeof(line)) {
		reply_add(reply, line, (size_t)size);
		return;
	}

	char *out = room_for(reply, (size_t)size + 1);

	if (out == NULL)
		return;
	va_start(arguments, fmt);
	vsnprintf(out, (size_t)size + 1, fmt, arguments);
	va_end(arguments);
	reply->size += (size_t)size;
}

void reply_insert(struct reply *reply, size_t at, const char *text, size_t size)
{
	if (room_for(reply, size) == NULL)
		return;
	memmove(reply->text + at + size, reply->text + at, reply->size - at);
	memcpy(reply->text + at, text, size);
	reply->size += size;
}
