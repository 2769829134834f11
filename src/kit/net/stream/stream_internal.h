/* SPDX-License-Identifier: MIT */
/* Functions that the parts of a stream share with servers, clients and layers of streams. */
#pragma once

#include <sys/types.h>

#include <collector/kit/stream.h>

void mc_stream_room_init(struct mc_stream_room *);

/* A stream of a socket that is connected, does not block and is the stream's from now
 * on.  The stream is all zero.  Nothing happens before mc_stream_open(): TLS may begin
 * in between.  False: it could not be watched, or opened() has closed it. */
void mc_stream_init(struct mc_stream *, const struct mc_stream_kind *, struct mc_stream_room *,
		    int fd);
bool mc_stream_open(struct mc_stream *);

/* For layers: begins with the handshake, before mc_stream_open() or in a callback, when
 * all that was added has been sent without the layer.  False: the socket does
 * not take that, and the session is still the caller's. */
bool mc_stream_begin_layer(struct mc_stream *, const struct mc_stream_layer *, void *session);

/* Whether something is done for it, so that it does not make way for another. */
static inline bool mc_stream_is_at_work(const struct mc_stream *stream)
{
	return stream->busy || stream->held || stream->yielded || stream->filling ||
	       stream->stays || mc_stream_unsent(stream) > 0;
}

/* Has a part of a line or frame. */
static inline bool stream_lacks_rest(const struct mc_stream *stream)
{
	return stream->kept.size > 0 || stream->skipping;
}

/* Reports a fault, and adds the farewell of it to what is to be sent. */
void stream_report(struct mc_stream *, enum mc_stream_fault, const char *why);

/* Sends bytes, by TLS if that has begun.  Returns how many, or a negative errno. */
ssize_t stream_send(struct mc_stream *, const char *bytes, size_t size);

/* The events of epoll(7) that it needs now. */
uint32_t stream_wanted(const struct mc_stream *);

/* Expires its timer: a struct mc_loop_timer's callback. */
void stream_on_time(void *stream);

/* After its callbacks: closes it, or waits for what it needs.  False: closed. */
bool stream_end_turn(struct mc_stream *);

/* Something is longer than allowed: skips it, or closes. */
void stream_too_long(struct mc_stream *);

/* Makes room for 'size' bytes in all that are kept.  False: all streams have too many. */
bool stream_reserve(struct mc_stream *, size_t size);

/* Keeps these bytes, of the chunk or of those that are kept, and no others.  False: as above. */
bool stream_keep(struct mc_stream *, const char *bytes, size_t size);

/* Frees its buffers. */
void stream_forget(struct mc_stream *);
