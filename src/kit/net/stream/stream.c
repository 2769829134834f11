/* SPDX-License-Identifier: MIT */
/* Each event of a stream is one turn: it receives once, so that none can keep the
 * others waiting, and all that has come is taken before anything is sent. */
#include <collector/kit/stream.h>

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kit/net/stream/stream_internal.h"

/* Bytes that are not complete and lie in the chunk, before what is received: no more
 * than lines have; longer ones are received to where they are kept. */
#define HEAD ((size_t)16 << 10)
#define SENT_MAX ((size_t)256 << 10) /* Of one turn; then others have theirs. */
#define LENT_MAX ((size_t)256 << 10) /* A larger buffer is given back. */

/* --- Sending -------------------------------------------------------------- */

static void touch(struct mc_stream *stream)
{
	if (stream->active == stream->room->loop->now)
		return;
	stream->active = stream->room->loop->now;
	if (stream->room->calls->active != NULL)
		stream->room->calls->active(stream);
}

/* Something complete has come. */
static void mark_brought(struct mc_stream *stream)
{
	if (stream->brought)
		return;
	stream->brought = true;
	if (stream->room->calls->brought != NULL)
		stream->room->calls->brought(stream);
}

/* All is sent: the next stream gets the buffer. */
static void lend_on(struct mc_stream *stream)
{
	struct mc_stream_room *room = stream->room;

	mc_buffer_clear(&stream->out);
	if (room->out.at == NULL && stream->out.capacity <= LENT_MAX) {
		room->out = stream->out;
		stream->out = (struct mc_buffer){ 0 };
	}
	mc_buffer_free(&stream->out);
	stream->out_sent = 0;
}

static void borrow(struct mc_stream *stream)
{
	if (stream->out.at != NULL)
		return;
	stream->out = stream->room->out;
	stream->room->out = (struct mc_buffer){ 0 };
}

static void flush(struct mc_stream *stream)
{
	size_t total = 0;
	ssize_t sent = 0;

	if (stream->over || stream->held || stream->shaking || stream->out.at == NULL)
		return;
	while (total < SENT_MAX && mc_stream_unsent(stream) > 0) {
		sent = stream_send(stream, stream->out.at + stream->out_sent,
				   mc_stream_unsent(stream));
		if (sent <= 0)
			break;
		stream->out_sent += (size_t)sent;
		total += (size_t)sent;
	}
	if (total > 0)
		touch(stream);
	if (mc_stream_unsent(stream) == 0)
		lend_on(stream);
	if (sent < 0 && sent != -EAGAIN)
		mc_stream_fail(stream, MC_STREAM_BROKEN, strerror((int)-sent));
}

void mc_stream_send(struct mc_stream *stream, const struct iovec *pieces, unsigned len)
{
	struct msghdr message = { .msg_iov = (struct iovec *)(uintptr_t)pieces, .msg_iovlen = len };
	bool direct = stream->layer == NULL && !stream->over && !stream->held &&
		      mc_stream_unsent(stream) == 0;
	ssize_t got = direct ? sendmsg(stream->file.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
	size_t sent = got > 0 ? (size_t)got : 0; /* If it fails, flush() sees that. */

	if (sent > 0)
		touch(stream);
	for (unsigned i = 0; i < len; i++) {
		size_t done = sent < pieces[i].iov_len ? sent : pieces[i].iov_len;

		sent -= done;
		if (done < pieces[i].iov_len)
			mc_stream_add(stream, (const char *)pieces[i].iov_base + done,
				      pieces[i].iov_len - done);
	}
}

/* --- Opening ------------------------------------------------------------- */

static void open_up(struct mc_stream *stream)
{
	if (stream->opened)
		return;
	stream->opened = true;
	if (stream->kind->opened == NULL)
		return;
	borrow(stream);
	stream->kind->opened(stream);
}

static void shake_hands(struct mc_stream *stream)
{
	char why[MC_STREAM_WHY];
	int rc = stream->layer->handshake(stream->session, why);

	if (rc == -EAGAIN)
		return;
	stream->shaking = false;
	if (rc < 0) {
		mc_stream_fail(stream, MC_STREAM_HANDSHAKE, why);
		return;
	}
	touch(stream);
	open_up(stream);
	flush(stream);
}

/* --- Taking --------------------------------------------------------------- */

/* Over the end of what is too long; of lines only. */
static size_t skip(struct mc_stream *stream, const char *bytes, size_t size)
{
	const char *newline = memchr(bytes, '\n', size);

	if (newline == NULL)
		return size;
	stream->skipping = false;
	return (size_t)(newline - bytes) + 1;
}

/* One pass over what has come; returns how much of it was taken. */
static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	const struct mc_stream_kind *kind = stream->kind;
	size_t done = 0;

	if (kind->begin != NULL)
		kind->begin(stream);
	stream->filling = kind->fill != NULL && mc_stream_unsent(stream) == 0 && kind->fill(stream);
	if (stream->skipping && size > 0)
		done = skip(stream, bytes, size);
	if (!stream->filling && done < size && mc_stream_takes(stream))
		done += kind->take(stream, bytes + done, size - done);
	if (size - done > kind->rest_size_max && !stream->filling && mc_stream_takes(stream)) {
		stream_too_long(stream);
		if (stream->skipping)
			done = size;
	}
	if (kind->end != NULL)
		kind->end(stream);
	return done;
}

/* Goes on for as long as what it answers is sent at once. */
static void serve(struct mc_stream *stream, char *bytes, size_t size)
{
	size_t done = 0;
	bool stopped;

	do {
		borrow(stream);
		done += take(stream, bytes + done, size - done);
		stopped = stream->filling || !mc_stream_takes(stream);
		flush(stream);
	} while (stopped && done < size && !stream->filling && mc_stream_takes(stream) &&
		 (mc_stream_unsent(stream) == 0 || stream->kind->pipelines));
	if (done > 0) {
		touch(stream);
		mark_brought(stream);
	}
	if (stream->shaking && size > done) {
		stream->layer->add_early(stream->session, bytes + done, size - done);
		done = size;
	}
	if (!stream->over && !stream_keep(stream, bytes + done, size - done))
		mc_stream_fail(stream, MC_STREAM_MEMORY, NULL);
	/* A client begins, and a server may have got the beginning already. */
	if (!stream->over && stream->shaking)
		shake_hands(stream);
}

/* --- Receiving ------------------------------------------------------------ */

static ssize_t receive_some(struct mc_stream *stream, void *bytes, size_t size)
{
	ssize_t got;

	if (stream->layer != NULL)
		return stream->layer->recv(stream->session, bytes, size);
	got = recv(stream->file.fd, bytes, size, MSG_DONTWAIT);
	if (got >= 0)
		return got;
	return errno == EINTR ? -EAGAIN : -errno;
}

/* It may still wait for what we send. */
static void receive_end(struct mc_stream *stream)
{
	const struct mc_stream_kind *kind = stream->kind;

	stream->peer_ended = true;
	borrow(stream);
	if (kind->rest != NULL && stream->kept.size > 0) {
		if (kind->begin != NULL)
			kind->begin(stream);
		kind->rest(stream, stream->kept.at, stream->kept.size);
		if (kind->end != NULL)
			kind->end(stream);
	} else if (stream_lacks_rest(stream)) {
		stream_report(stream, MC_STREAM_CUT, NULL);
	}
	stream->skipping = false;
	stream_keep(stream, NULL, 0);
	flush(stream);
	if (!stream->stays)
		stream->ending = true;
}

static void receive_nothing(struct mc_stream *stream, ssize_t got)
{
	if (got == -EAGAIN)
		return;
	if (got == 0) {
		receive_end(stream);
		return;
	}
	if (stream_lacks_rest(stream))
		stream_report(stream, MC_STREAM_CUT, NULL);
	/* TLS says so when the connection ends before it does. */
	mc_stream_fail(stream, MC_STREAM_BROKEN,
		       got == -ECONNABORTED ? "it has ended before TLS" : strerror((int)-got));
}

static void receive(struct mc_stream *stream)
{
	struct mc_stream_room *room = stream->room;
	size_t kept = stream->kept.size;
	char *at = room->chunk;
	ssize_t got;

	if (kept > HEAD) {
		if (!stream_reserve(stream, kept + MC_STREAM_CHUNK)) {
			mc_stream_fail(stream, MC_STREAM_MEMORY, NULL);
			return;
		}
		at = stream->kept.at;
	}
	got = receive_some(stream, at + kept, MC_STREAM_CHUNK);
	if (got <= 0) {
		receive_nothing(stream, got);
		return;
	}
	/* One thread adds to it. */
	atomic_store_explicit(&room->octets, room->octets + (uint64_t)got, memory_order_relaxed);
	if (kept == 0 && !stream->skipping)
		touch(stream);
	if (kept > 0 && at == room->chunk)
		memcpy(at, stream->kept.at, kept);
	serve(stream, at, kept + (size_t)got);
}

/* --- Events --------------------------------------------------------------- */

static void work(struct mc_stream *stream)
{
	stream->yielded = false;
	flush(stream);
	if (stream->over || mc_stream_unsent(stream) > 0)
		return;
	if (stream->kept.size > 0 || stream->kind->fill != NULL)
		serve(stream, stream->kept.at, stream->kept.size);
}

static void on_ready(void *argument, uint32_t events)
{
	struct mc_stream *stream = argument;

	stream->busy = true;
	if (stream->shaking)
		shake_hands(stream);
	else if (!(events & (EPOLLIN | EPOLLOUT)))
		mc_stream_fail(stream, MC_STREAM_BROKEN, "it has hung up");
	else if (events & EPOLLOUT)
		work(stream);
	if (events & EPOLLIN && !stream->over && !stream->shaking &&
	    stream_wanted(stream) & EPOLLIN)
		receive(stream);
	stream_end_turn(stream);
}

void mc_stream_go_on(struct mc_stream *stream)
{
	if (stream->busy || stream->held || stream->shaking)
		return;
	stream->busy = true;
	work(stream);
	stream_end_turn(stream);
}

void mc_stream_resume(struct mc_stream *stream)
{
	stream->held = false;
	mc_stream_go_on(stream);
}

/* --- Life ----------------------------------------------------------------- */

void mc_stream_room_init(struct mc_stream_room *room)
{
	room->chunk = mc_alloc(HEAD + MC_STREAM_CHUNK);
}

void mc_stream_room_done(struct mc_stream_room *room)
{
	mc_buffer_free(&room->out);
	free(room->chunk);
	room->chunk = NULL;
}

bool mc_stream_begin_layer(struct mc_stream *stream, const struct mc_stream_layer *layer,
			   void *session)
{
	if (mc_stream_unsent(stream) > 0)
		flush(stream);
	if (mc_stream_unsent(stream) > 0 || stream->over)
		return false;
	stream->layer = layer;
	stream->session = session;
	stream->shaking = true;
	stream->active = stream->room->loop->now;
	return true;
}

void mc_stream_init(struct mc_stream *stream, const struct mc_stream_kind *kind,
		    struct mc_stream_room *room, int fd)
{
	stream->kind = kind;
	stream->room = room;
	stream->file = (struct mc_loop_file){ .fd = fd, .ready = on_ready, .argument = stream };
	stream->timer = (struct mc_loop_timer){ .expired = stream_on_time, .argument = stream };
	stream->active = room->loop->now;
}

bool mc_stream_open(struct mc_stream *stream)
{
	stream->busy = true;
	if (stream->shaking)
		shake_hands(stream);
	else
		open_up(stream);
	flush(stream);
	return stream_end_turn(stream);
}
