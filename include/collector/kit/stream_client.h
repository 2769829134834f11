/* SPDX-License-Identifier: MIT */
/* collector/kit/stream_client.h - a stream to a server, which is looked up, connected
 * to, and tried again after a while when that fails, in libkit.
 *
 * An attempt tries all addresses of a name, one after the other; the next attempt
 * begins with the next of them.  Nothing waits, nor logs.
 *
 * Thread: the loop's. */
#pragma once

#include <collector/kit/address.h>
#include <collector/kit/backoff.h>
#include <collector/kit/stream.h>

enum mc_stream_client_state {
	MC_STREAM_CLIENT_CLOSED,
	MC_STREAM_CLIENT_PAUSED, /* Until the back-off is over. */
	MC_STREAM_CLIENT_LOOKUP,
	MC_STREAM_CLIENT_CONNECTING,
	MC_STREAM_CLIENT_OPEN, /* 'stream' is one; its handshake may be under way. */
};

/* Usual limits of a kind: take() leaves nothing, and answers are read while questions wait. */
#define MC_STREAM_CLIENT_LIMITS                                                                    \
	.rest_size_max = SIZE_MAX, .out_size_max = SIZE_MAX, .pipelines = true

#define MC_STREAM_CLIENT_WHY 400

struct mc_stream_client { /* The caller's struct begins with it, or has it. */
	struct mc_stream stream;

	/* The caller's: */
	const struct mc_stream_kind *kind;
	struct mc_stream_room *room; /* Of mc_stream_client_room_init(). */
	const char *host, *port;     /* Port NULL: the host is the path of a unix socket. */
	mc_time connect_max;         /* For the look-up and the connection. */
	struct mc_backoff backoff;   /* Its 'longest' is the caller's. */

	/* Sets options of a socket before it connects.  May be NULL. */
	void (*prepare)(struct mc_stream_client *, int fd);

	/* It is connected, the stream not open yet: for mc_tls_stream_begin().  False,
	 * and it fails: 'why' is set.  May be NULL. */
	bool (*begin)(struct mc_stream_client *);

	/* It cannot connect, or the stream has ended, also by mc_stream_close(), as 'why'
	 * says.  May call mc_stream_client_open(), which then waits for the back-off. */
	void (*failed)(struct mc_stream_client *);

	enum mc_stream_client_state state; /* To be read. */
	char why[MC_STREAM_CLIENT_WHY];    /* Why it has failed last. */
	const char *reason;                /* The same, without "cannot connect: ". */

	/* src/kit/net/stream/stream_client.c's own. */
	struct mc_loop_file file;
	struct mc_loop_timer timer;
	struct mc_lookup lookup;
	struct mc_addresses *found; /* While it connects; NULL: none. */
	unsigned tried;             /* Number of these, in this attempt. */
	mc_time deadline;
};

/* For the room of streams that are clients. */
void mc_stream_client_room_init(struct mc_stream_room *);

/* Begins to connect, at once or when the back-off allows it.  Call it when the state
 * is MC_STREAM_CLIENT_CLOSED.  failed() is not called before it returns. */
void mc_stream_client_open(struct mc_stream_client *);

/* The server works: its next failure is the first again.  Until this is called each attempt counts
 * as failed, so that a server that accepts and closes is not tried again and again. */
void mc_stream_client_works(struct mc_stream_client *);

/* Closes, whatever its state; failed() is not called.  In a callback of the stream, which
 * ends with it, mc_stream_client_open() may follow.  Fine with zeros. */
void mc_stream_client_close(struct mc_stream_client *);
