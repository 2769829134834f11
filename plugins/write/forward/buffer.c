/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static void make_room(struct buffer *buffer, size_t size)
{
	size_t room = buffer->room > 0 ? buffer->room : 4096;

	while (room < size)
		room *= 2;
	if (room == buffer->room)
		return;
	buffer->at = mc_alloc_resize(buffer->at, room, 1);
	buffer->room = room;
}

void buffer_add(struct buffer *buffer, const struct mc_otlp_bytes *bytes)
{
	make_room(buffer, buffer->size + bytes->size);
	memcpy(buffer->at + buffer->size, bytes->at, bytes->size);
	buffer->size += bytes->size;
	buffer->samples_len += bytes->samples_len;
}

struct mc_otlp_bytes buffer_bytes(const struct buffer *buffer)
{
	return (struct mc_otlp_bytes){ buffer->at, buffer->size,
				       buffer->samples_len };
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = buffer->samples_len = 0;
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->at);
}
