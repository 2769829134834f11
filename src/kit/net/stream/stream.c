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

/* --- Time ----------------------------------------------------------------- */

static bool lacks_rest(const struct mc_stream *stream)
{
	return stream->kept.size > 0 || stream->skipping;
}

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
	if (lacks_rest(stream) && kind->rest_max > 0)
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

static void on_time(void *argument)
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

static void touch(struct mc_stream *stream)
{
	if (stream->active == stream->room->loop->now)
		return;
	stream->active = stream->room->loop->now;
	if (stream->room->calls->active != NULL)
		stream->room->calls->active(stream);
}

/* --- Turns ---------------------------------------------------------------- */

static uint32_t wanted(const struct mc_stream *stream)
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
	if (!stream->over && mc_loop_watch(stream->room->loop, &stream->file, wanted(stream)) != 0)
		stream->over = true;
	if (stream->over) {
		close_now(stream);
		return false;
	}
	set_timer(stream);
	return true;
}

/* --- Sending -------------------------------------------------------------- */

static ssize_t send_some(struct mc_stream *stream, const char *bytes, size_t size)
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
		sent = send_some(stream, stream->out.at + stream->out_sent,
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

void stream_send_last(struct mc_stream *stream)
{
	if (!stream->held && !stream->shaking && mc_stream_unsent(stream) > 0)
		send_some(stream, stream->out.at + stream->out_sent, mc_stream_unsent(stream));
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
	if (done > 0)
		touch(stream);
	if (stream->shaking && size > done) {
		stream->layer->add_early(stream->session, bytes + done, size - done);
		done = size;
	}
	if (!stream->over && !stream_keep(stream, bytes + done, size - done))
		mc_stream_fail(stream, MC_STREAM_MEMORY, NULL);
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
	} else if (lacks_rest(stream)) {
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
	if (lacks_rest(stream))
		stream_report(stream, MC_STREAM_CUT, NULL);
	mc_stream_fail(stream, MC_STREAM_BROKEN, strerror((int)-got));
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
	if (events & EPOLLIN && !stream->over && !stream->shaking && wanted(stream) & EPOLLIN)
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
	stream->timer = (struct mc_loop_timer){ .expired = on_time, .argument = stream };
	stream->active = room->loop->now;
}

bool mc_stream_open(struct mc_stream *stream)
{
	stream->busy = true;
	if (!stream->shaking)
		open_up(stream);
	flush(stream);
	return stream_end_turn(stream);
}
