/* SPDX-License-Identifier: MIT */
/* Input that is not complete, kept until its rest comes. */
#include <string.h>

#include "kit/net/stream/stream_internal.h"

static void free_kept(struct mc_stream *stream)
{
	stream->room->kept -= stream->kept.capacity;
	mc_buffer_free(&stream->kept);
}

/* Exactly as many: an idle stream with half a line is to cost little. */
bool stream_reserve(struct mc_stream *stream, size_t size)
{
	struct mc_stream_room *room = stream->room;
	struct mc_buffer *kept = &stream->kept;

	if (size <= kept->capacity)
		return true;
	if (room->kept_max > 0 && room->kept + size - kept->capacity > room->kept_max)
		return false;
	kept->at = mc_alloc_resize(kept->at, size, 1);
	room->kept += size - kept->capacity;
	kept->capacity = size;
	return true;
}

bool stream_keep(struct mc_stream *stream, const char *bytes, size_t size)
{
	if (size == 0) {
		if (stream->kept.at != NULL)
			free_kept(stream);
		return true;
	}
	if (!stream_reserve(stream, size))
		return false;
	memmove(stream->kept.at, bytes, size);
	stream->kept.size = size;
	return true;
}

void stream_forget(struct mc_stream *stream)
{
	free_kept(stream);
	mc_buffer_free(&stream->out);
	stream->out_sent = 0;
	stream->room->unsent -= stream->out_counted;
	stream->out_counted = 0;
}
