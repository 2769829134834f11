/* SPDX-License-Identifier: MIT */
/* The end of a turn: a stream waits for what it needs, for as long as it may, or is
 * closed; and what its callbacks ask for, to add bytes, to pause, to end. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kit/net/stream/stream_internal.h"

/* --- Requests --------------------------------------------------------------- */

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

/* --- Faults ----------------------------------------------------------------- */

void stream_report(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	const char *farewell = stream->kind->farewells[fault];

	if (stream->room->calls->fault != NULL)
		stream->room->calls->fault(stream, fault, why);
	if (farewell != NULL)
		mc_stream_add_text(stream, farewell);
}

/* Sends what it can, once, of a stream that is over. */
static void send_last(struct mc_stream *stream)
{
	if (!stream->held && !stream->shaking && mc_stream_unsent(stream) > 0)
		stream_send(stream, stream->out.at + stream->out_sent, mc_stream_unsent(stream));
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
		send_last(stream);
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

/* --- Sending ---------------------------------------------------------------- */

ssize_t stream_send(struct mc_stream *stream, const char *bytes, size_t size)
{
	const char *end;
	ssize_t sent;

	if (stream->layer != NULL) {
		end = stream->kind->line_records ? memchr(bytes, '\n', size) : NULL;
		if (end != NULL)
			size = (size_t)(end - bytes) + 1;
		return stream->layer->send(stream->session, bytes, size);
	}
	do
		sent = send(stream->file.fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* --- Time ------------------------------------------------------------------- */

/* The limit of time that counts now, and its fault; 0: no limit. */
static mc_time limit_of(const struct mc_stream *stream, enum mc_stream_fault *fault)
{
	const struct mc_stream_kind *kind = stream->kind;

	*fault = MC_STREAM_SLOW_HANDSHAKE;
	if (stream->shaking)
		return kind->handshake_max;
	if (stream->held)
		return 0;
	*fault = MC_STREAM_UNREAD;
	if (mc_stream_unsent(stream) > 0)
		return kind->unread_max;
	if (stream->yielded || stream->filling)
		return 0;
	*fault = MC_STREAM_SLOW;
	if (stream_lacks_rest(stream) && kind->rest_max > 0)
		return kind->rest_max;
	*fault = MC_STREAM_IDLE;
	return stream->stays ? 0 : kind->idle_max;
}

/* The timer is only ever moved forward here: being active costs nothing, and what
 * expires too early is set again. */
static void set_timer(struct mc_stream *stream)
{
	enum mc_stream_fault fault;
	mc_time limit = limit_of(stream, &fault);

	if (limit == 0)
		return;
	if (!mc_loop_timer_is_set(&stream->timer) || stream->active + limit < stream->timer.due)
		mc_loop_set_timer(stream->room->loop, &stream->timer, stream->active + limit);
}

void stream_on_time(void *argument)
{
	struct mc_stream *stream = argument;
	enum mc_stream_fault fault;
	mc_time limit = limit_of(stream, &fault);

	if (limit == 0)
		return;
	if (stream->room->loop->now - stream->active < limit)
		set_timer(stream);
	else
		mc_stream_fail(stream, fault, NULL);
}

/* --- Turns ------------------------------------------------------------------ */

uint32_t stream_wanted(const struct mc_stream *stream)
{
	bool sends = mc_stream_unsent(stream) > 0, reads = !stream->peer_ended && !stream->ending;

	if (stream->shaking)
		return stream->layer->wants_write(stream->session) ? EPOLLIN | EPOLLOUT : EPOLLIN;
	if (stream->held)
		return 0;
	if (stream->yielded || stream->filling)
		return EPOLLOUT;
	if (sends)
		return reads && stream->kind->pipelines && mc_stream_takes(stream)
			       ? EPOLLIN | EPOLLOUT
			       : EPOLLOUT;
	return reads ? EPOLLIN : 0;
}

static void close_now(struct mc_stream *stream)
{
	const struct mc_stream_calls *calls = stream->room->calls;

	if (stream->kind->closing != NULL)
		stream->kind->closing(stream);
	mc_loop_forget(stream->room->loop, &stream->file);
	mc_loop_unset_timer(stream->room->loop, &stream->timer);
	if (stream->layer != NULL)
		stream->layer->close(stream->session);
	close(stream->file.fd);
	stream->file.fd = -1;
	stream->layer = NULL;
	stream_forget(stream);
	if (calls->closed != NULL)
		calls->closed(stream);
	if ((stream->kind->closed == NULL || stream->kind->closed(stream)) &&
	    calls->release != NULL)
		calls->release(stream);
}

static void count_unsent(struct mc_stream *stream)
{
	struct mc_stream_room *room = stream->room;
	size_t unsent = mc_stream_unsent(stream);

	room->unsent += unsent - stream->out_counted;
	stream->out_counted = unsent;
	/* Long answers for many that do not read: the last one goes. */
	if (room->unsent_max > 0 && room->unsent > room->unsent_max &&
	    unsent > stream->kind->out_size_max)
		mc_stream_fail(stream, MC_STREAM_UNREAD, NULL);
}

bool stream_end_turn(struct mc_stream *stream)
{
	count_unsent(stream);
	stream->busy = false;
	if (stream->ending && !stream->held && mc_stream_unsent(stream) == 0)
		stream->over = true;
	if (!stream->over &&
	    mc_loop_watch(stream->room->loop, &stream->file, stream_wanted(stream)) != 0)
		stream->over = true;
	if (stream->over) {
		close_now(stream);
		return false;
	}
	set_timer(stream);
	return true;
}
