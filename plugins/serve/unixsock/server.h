/* SPDX-License-Identifier: MIT */
/* The connections and the one thread that serves them all. */
#pragma once

#include <collector/kit/listen.h>
#include <collector/plugin.h>

#include "client.h"
#include "command.h"
#include "reply.h"
#include "tap.h"

#define SERVER_CHUNK ((size_t)64 << 10) /* Bytes read at a time. */

/* Replies of one client beyond this are sent before more lines are read. */
#define SERVER_OUT_MAX ((size_t)256 << 10)

/* The most that waits for all clients together. */
#define SERVER_UNSENT_MAX ((size_t)256 << 20)

struct server {
	struct mc_ctx *ctx;
	struct tap_board taps;
	int epoll;
	int64_t clients_max;

	/* Only run() from here on. */
	struct mc_clients clients; /* Of struct client. */
	mc_time now;               /* Monotonic, of this round. */
	struct mc_accept accept;
	bool waiting;     /* Somebody can be late: see check_at. */
	mc_time check_at; /* When to look for those who are. */
	char *chunk;      /* Kept input of a client, and one read. */
	struct reply out; /* Of the chunk that is served now. */
	struct command command;
};

/* Takes over the listening socket.  Returns 0, or what mc_fail() returned. */
int server_start(struct server *, struct mc_ctx *, int listener, int64_t clients_max);

/* Serves until the instance must stop. */
int server_run(struct server *);

/* Leaves the listening socket to the caller. */
void server_stop(struct server *);
