/* SPDX-License-Identifier: MIT */
/* Requests of callbacks to a stream: to add bytes, to pause, to end. */
#include <string.h>

#include "kit/net/stream/stream_internal.h"

void mc_stream_add(struct mc_stream *stream, const void *bytes, size_t size)
{
	mc_buffer_add(&stream->out, bytes, size);
}

void mc_stream_add_text(struct mc_stream *stream, const char *text)
{
	mc_stream_add(stream, text, strlen(text));
}

void mc_stream_yield(struct mc_stream *stream)
{
	stream->yielded = true;
}

void mc_stream_hold(struct mc_stream *stream)
{
	stream->held = true;
}

void mc_stream_stay(struct mc_stream *stream, bool stays)
{
	stream->stays = stays;
	if (!stays && stream->peer_ended)
		stream->ending = true;
}

void mc_stream_end(struct mc_stream *stream)
{
	stream->ending = true;
	if (stream->busy)
		return;
	stream->busy = true;
	stream_end_turn(stream);
}

void stream_report(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	const char *farewell = stream->kind->farewells[fault];

	if (stream->room->calls->fault != NULL)
		stream->room->calls->fault(stream, fault, why);
	if (farewell != NULL)
		mc_stream_add_text(stream, farewell);
}

void mc_stream_fail(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	bool inside = stream->busy;

	if (stream->over)
		return;
	stream->busy = true;
	stream->over = true;
	stream_report(stream, fault, why);
	if (fault != MC_STREAM_BROKEN && fault != MC_STREAM_UNREAD)
		stream_send_last(stream);
	if (!inside)
		stream_end_turn(stream);
}

void mc_stream_close(struct mc_stream *stream)
{
	bool inside = stream->busy;

	stream->busy = true;
	stream->over = true;
	if (!inside)
		stream_end_turn(stream);
}
