/* SPDX-License-Identifier: MIT */
/* A connection to rrdcached: commands go out, lines of replies come in.  The loop's thread. */
#pragma once

#include <collector/kit/stream_client.h>

#include "address.h"
#include "formats/rrdcached/reply.h"

struct daemon;

struct client_calls {
	void (*opened)(struct daemon *); /* May be NULL. */

	/* A line of a reply.  0; or -EPROTO, which was logged: it is closed. */
	int (*answer)(struct daemon *, const struct reply_line *, mc_time now);

	/* It is closed; 'why' NULL: by an answer that was logged. */
	void (*failed)(struct daemon *, const char *why);
};

struct client {
	struct mc_stream_client base;
	struct daemon *daemon;
	const struct client_calls *calls;
	mc_time timeout;               /* For a connection, and between signs of life. */
	uint64_t expected;             /* Replies that have not come. */
	struct mc_loop_timer deadline; /* Of these. */
	uint64_t put;                  /* Bytes, in all. */
	bool blocked;                  /* There was no room for all of it. */
	bool nonsense;                 /* Its answer was refused. */
	struct reply reply;
};

/* Sets all but the daemon and the calls.  The address must live as long. */
void client_init(struct client *, struct mc_stream_room *, const struct address *, mc_time timeout);
void client_close(struct client *);

static inline bool client_is_up(const struct client *client)
{
	return client->base.state == MC_STREAM_CLIENT_OPEN;
}

static inline void client_put(struct client *client, const char *text, size_t size)
{
	mc_stream_add(&client->base.stream, text, size);
	client->put += size;
}

static inline size_t client_unsent(const struct client *client)
{
	return mc_stream_unsent(&client->base.stream);
}

/* Number of replies that will answer what was put. */
void client_expect(struct client *, uint64_t replies, mc_time now);

/* Sends what was put; not in a callback. */
void client_send(struct client *);

/* A reply is complete: one fewer is expected. */
void client_answered(struct client *);
