/* SPDX-License-Identifier: MIT */
/* collector/kit/stream.h - a connection of a loop: lines or frames come in, bytes go
 * out, with or without TLS, in libkit.
 *
 * A stream has limits for all that the other side could use up: bytes that are not complete, bytes
 * that are not taken, and the time of both.  While it is idle it costs its struct and a descriptor.
 * Servers make their streams by kit/stream_server.h, clients theirs by kit/stream_client.h; a
 * protocol is a struct mc_stream_kind, and the caller's struct, which begins with the stream.
 *
 * No function waits.  A callback of a stream may close or end any stream.
 *
 * Thread: the loop's. */
#pragma once

#include <sys/uio.h>

#include <collector/kit/buffer.h>
#include <collector/kit/loop.h>

#define MC_STREAM_CHUNK ((size_t)64 << 10) /* Bytes that are received at once. */

struct mc_stream;

/* Why something that comes does not count, or why a stream ends before its time.
 * MC_STREAM_CUT and, of a kind that has 'skips', MC_STREAM_LONG do not end it. */
enum mc_stream_fault {
	MC_STREAM_LONG,           /* A line or frame is longer than 'rest_size_max'. */
	MC_STREAM_CUT,            /* The other side has ended in the middle of one. */
	MC_STREAM_BROKEN,         /* The socket or TLS failed, as 'why' says. */
	MC_STREAM_SLOW,           /* The rest of one has not come in time. */
	MC_STREAM_IDLE,           /* Nothing has come for 'idle_max'. */
	MC_STREAM_UNREAD,         /* The other side does not take what we send. */
	MC_STREAM_MEMORY,         /* All streams together keep too much. */
	MC_STREAM_HANDSHAKE,      /* That of TLS failed, as 'why' says. */
	MC_STREAM_SLOW_HANDSHAKE, /* It is not over in time. */

	/* Of kit/stream_server.h. */
	MC_STREAM_FORBIDDEN, /* admit() does not let it in. */
	MC_STREAM_FULL,      /* There are too many, in all or of its address. */
	MC_STREAM_SPENT,     /* Its address has begun too many handshakes. */
	MC_STREAM_EVICTED,   /* It was idle, and makes way for another. */

	MC_STREAM_FAULTS
};

/* A protocol.  Callbacks may be NULL, but for take(). */
struct mc_stream_kind {
	/* Takes what is complete of what has come, which it may change, and returns its size:
	 * mc_stream_take_lines(), mc_stream_take_frames(), or one of the protocol. */
	size_t (*take)(struct mc_stream *, char *bytes, size_t size);

	/* A line, without its '\n' and ended by '\0'. */
	void (*line)(struct mc_stream *, char *line, size_t size);

	/* A frame, without the four bytes of its size that precede it. */
	void (*frame)(struct mc_stream *, char *frame, size_t size);

	/* It is open, and the handshake over if TLS has begun: for a greeting. */
	void (*opened)(struct mc_stream *);

	/* Before take(), and after it, before what is to be sent is sent. */
	void (*begin)(struct mc_stream *);
	void (*end)(struct mc_stream *);

	/* Before take(), when what was to be sent before has been sent: adds more.
	 * True: there is yet more, so nothing is taken until the next call. */
	bool (*fill)(struct mc_stream *);

	/* The other side ends with this, incomplete; NULL: that is MC_STREAM_CUT. */
	void (*rest)(struct mc_stream *, char *bytes, size_t size);

	/* It will be closed now: the last look at its socket, and at what was not sent. */
	void (*closing)(struct mc_stream *);

	/* It is closed.  True, as NULL: its memory is not used any more. */
	bool (*closed)(struct mc_stream *);

	/* Sent to the other side after a fault, or NULL. */
	const char *farewells[MC_STREAM_FAULTS];

	/* Of a server: the index of a fault in its mc_refusals; 0: it does not count. */
	unsigned reasons[MC_STREAM_FAULTS];

	/* Bytes of something that is not complete, the size of a frame included. */
	size_t rest_size_max;
	bool skips; /* Longer items are passed over, instead of closing. */

	/* Bytes to be sent with which nothing more is taken.  Nothing is received
	 * before all is sent, unless it 'pipelines'. */
	size_t out_size_max;
	bool pipelines;

	bool line_records; /* With TLS each line is sent in a record of its own. */

	/* Durations; 0: no limit.  They begin with the last byte that was sent, the
	 * last thing that was complete, or the first byte of one that is not. */
	mc_time handshake_max, rest_max, unread_max, idle_max;
};

struct mc_stream_calls { /* Of the owner of the streams; not of a protocol. */
	void (*active)(struct mc_stream *);

	/* Something complete has come, the first time. */
	void (*brought)(struct mc_stream *);
	void (*fault)(struct mc_stream *, enum mc_stream_fault, const char *why);

	/* It is closed, before kind->closed(). */
	void (*closed)(struct mc_stream *);

	/* Its memory is not used any more. */
	void (*release)(struct mc_stream *);
};

struct mc_stream_room {                      /* Shared by the streams of one owner. */
	struct mc_loop *loop;                /* The caller's, as the next two. */
	size_t kept_max;                     /* Bytes of what is not complete; 0: no limit. */
	size_t unsent_max;                   /* Bytes to be sent; 0: no limit. */
	const struct mc_stream_calls *calls; /* The owner's. */

	_Atomic uint64_t octets; /* Received; any thread may read it. */

	/* src/kit/net/stream.c's own. */
	char *chunk;
	size_t kept, unsent;
	struct mc_buffer out; /* Lent to the stream that has something to send. */
};

/* A layer between a stream and its socket: that of kit/tls_stream.h. */
#define MC_STREAM_WHY 256 /* Bytes of a reason, with '\0'. */
struct mc_stream_layer {
	/* These bytes were received before the layer, and are for it. */
	void (*add_early)(void *session, const char *bytes, size_t size);

	/* 0: it is over; -EAGAIN; or another negative errno and 'why'. */
	int (*handshake)(void *session, char *why);
	bool (*wants_write)(const void *session); /* The handshake does. */

	/* As recv(2) and send(2), but a negative errno. */
	ssize_t (*recv)(void *session, void *bytes, size_t size);
	ssize_t (*send)(void *session, const void *bytes, size_t size);

	void (*close)(void *session); /* Frees it; the socket stays open. */
};

struct mc_stream { /* To be read by callbacks: 'kind', 'out', 'active'. */
	const struct mc_stream_kind *kind;
	struct mc_stream_room *room;
	const struct mc_stream_layer *layer; /* NULL: none. */
	void *session;
	struct mc_loop_file file;
	struct mc_loop_timer timer; /* For the earliest limit of time. */
	mc_time active;             /* From when limits count; monotonic. */
	struct mc_buffer kept;      /* What came, but was not taken yet. */
	struct mc_buffer out;       /* To be sent; 'out_sent' bytes of it are. */
	size_t out_sent, out_counted;
	bool busy : 1;       /* Its callbacks are running. */
	bool over : 1;       /* It will be closed after that. */
	bool shaking : 1;    /* The handshake is under way. */
	bool skipping : 1;   /* Something is too long: until its end. */
	bool held : 1;       /* mc_stream_hold(). */
	bool yielded : 1;    /* mc_stream_yield(). */
	bool filling : 1;    /* fill() has more. */
	bool ending : 1;     /* It is over when all is sent. */
	bool peer_ended : 1; /* The other side sends no more. */
	bool stays : 1;      /* mc_stream_stay(). */
	bool opened : 1;     /* opened() was called. */
	bool brought : 1;    /* It has brought something complete. */
};

void mc_stream_room_done(struct mc_stream_room *);

/* --- Out ------------------------------------------------------------------ */

/* Adds bytes to what is to be sent; they are sent after the callback. */
void mc_stream_add(struct mc_stream *, const void *bytes, size_t size);
void mc_stream_add_text(struct mc_stream *, const char *text);

/* Sends what the socket takes at once, and adds a copy of the rest: for much that need not
 * be copied. */
void mc_stream_send(struct mc_stream *, const struct iovec *pieces, unsigned len);

/* Outside of the stream's callbacks: has fill() called, and sends what was added. */
void mc_stream_go_on(struct mc_stream *);

static inline size_t mc_stream_unsent(const struct mc_stream *stream)
{
	return stream->out.size - stream->out_sent;
}

/* --- In ------------------------------------------------------------------- */

/* For kind->take. */
size_t mc_stream_take_lines(struct mc_stream *, char *bytes, size_t size);
size_t mc_stream_take_frames(struct mc_stream *, char *bytes, size_t size);

/* Whether take() is to go on; false: something is to happen first. */
static inline bool mc_stream_takes(const struct mc_stream *stream)
{
	return !stream->over && !stream->ending && !stream->held && !stream->yielded &&
	       !stream->shaking && mc_stream_unsent(stream) <= stream->kind->out_size_max;
}

/* Takes no more in this turn: others have theirs first. */
void mc_stream_yield(struct mc_stream *);

/* Neither takes nor sends anything from now on, but may be closed; until the
 * second, outside of the stream's callbacks. */
void mc_stream_hold(struct mc_stream *);
void mc_stream_resume(struct mc_stream *);

/* --- End ------------------------------------------------------------------ */

/* The other side may end, and is idle for no reason: it waits for what we send. */
void mc_stream_stay(struct mc_stream *, bool stays);

/* Closes when all is sent; takes nothing more. */
void mc_stream_end(struct mc_stream *);

/* Closes with a fault; the other side may get a farewell. */
void mc_stream_fail(struct mc_stream *, enum mc_stream_fault, const char *why);

/* Closes now, or after the stream's callback that runs. */
void mc_stream_close(struct mc_stream *);
