/* SPDX-License-Identifier: MIT */
/* Divides input into lines or frames, and keeps its rest. */
#include <stdlib.h>
#include <string.h>

#include "kit/net/stream/stream_internal.h"

#define HEAD_SIZE 4 /* The size of a frame, before it. */

/* --- What is kept --------------------------------------------------------- */

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

/* --- Lines and frames ----------------------------------------------------- */

void stream_too_long(struct mc_stream *stream)
{
	if (!stream->kind->skips) {
		mc_stream_fail(stream, MC_STREAM_LONG, NULL);
		return;
	}
	stream_report(stream, MC_STREAM_LONG, NULL);
	stream->skipping = true;
}

size_t mc_stream_take_lines(struct mc_stream *stream, char *bytes, size_t size)
{
	const struct mc_stream_kind *kind = stream->kind;
	size_t done = 0;

	while (done < size && mc_stream_takes(stream)) {
		char *line = bytes + done;
		char *end = memchr(line, '\n', size - done);

		if (end == NULL)
			break;
		done += (size_t)(end - line) + 1;
		if ((size_t)(end - line) > kind->rest_size_max) {
			stream_too_long(stream);
			stream->skipping = false; /* Its end is here. */
			continue;
		}
		*end = '\0';
		kind->line(stream, line, (size_t)(end - line));
	}
	return done;
}

static size_t frame_size(const char *head)
{
	const unsigned char *at = (const unsigned char *)head;

	return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

size_t mc_stream_take_frames(struct mc_stream *stream, char *bytes, size_t size)
{
	size_t done = 0, frame;

	while (size - done >= HEAD_SIZE && mc_stream_takes(stream)) {
		frame = HEAD_SIZE + frame_size(bytes + done);
		if (frame > stream->kind->rest_size_max) {
			mc_stream_fail(stream, MC_STREAM_LONG, NULL);
			break;
		}
		if (size - done < frame)
			break;
		stream->kind->frame(stream, bytes + done + HEAD_SIZE, frame - HEAD_SIZE);
		done += frame;
	}
	return done;
}
