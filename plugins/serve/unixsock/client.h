/* SPDX-License-Identifier: MIT */
/* One connection.  While it is idle it costs this struct and a descriptor:
 * buffers exist only as long as something is in them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/clients.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>

#include "reply.h"

struct commits;
struct tap;

struct client {
	struct mc_client node; /* Active: bytes moved. */
	int fd;                /* -1: closed. */

	char *kept; /* Received, not yet answered. */
	size_t kept_size;
	bool skipping; /* The line was too long: until its end. */

	struct reply out; /* Not yet taken by the socket. */
	size_t out_sent;
	uint32_t watched; /* Events that epoll watches for. */
	bool ended;       /* The peer sends no more. */

	struct tap *tap; /* NULL: does not tap. */

	struct commits *commits; /* Whose lock it is; see commits.h. */
	struct client *next_told MC_GUARDED_BY(commits->lock);
	/* Number of commits without a result so far. */
	unsigned commits_len MC_GUARDED_BY(commits->lock);
	/* One of the others is not safe. */
	bool unsafe MC_GUARDED_BY(commits->lock);
	bool waits; /* Its replies wait for that; only run() changes it. */
};

struct client *client_new(int fd, mc_time now);
void client_free(struct client *); /* Closes the descriptor. */

/* Keeps bytes for later, instead of those kept before. */
void client_keep(struct client *, const char *text, size_t size);

/* Sends 'reply' as far as the socket takes it and keeps the rest; the reply is
 * empty after it, whatever happened.  Call it only when nothing is left to be
 * sent.  Both return false if the peer is gone. */
bool client_send(struct client *, struct reply *, mc_time now);

/* Sends on what was kept. */
bool client_send_rest(struct client *, mc_time now);

/* Whether it has sent something that was not received yet. */
bool client_has_sent(const struct client *);

static inline bool client_sending(const struct client *client)
{
	return client->out_sent < client->out.size;
}

/* Whether something is expected of the peer: the rest of a line, or that it
 * reads. */
static inline bool client_waited_for(const struct client *client)
{
	return client_sending(client) || client->kept_size > 0 || client->skipping;
}
