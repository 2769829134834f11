/* SPDX-License-Identifier: MIT */
/* Divides input into lines or frames. */
#include <string.h>

#include "kit/net/stream/stream_internal.h"

#define HEAD_SIZE 4 /* The size of a frame, before it. */

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
