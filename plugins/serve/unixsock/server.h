/* SPDX-License-Identifier: MIT */
/* The connections and the one thread that serves them all. */
#pragma once

#include "client.h"
#include "command.h"
#include "tap.h"

struct server {
	struct mc_loop loop;
	struct mc_stream_server streams; /* Of struct client. */
	struct mc_stream_listener listener;
	struct tap_board taps;
	struct command command;
};

/* Serves at a listening socket, which stays the caller's.  Returns 0, or what mc_fail()
 * returned; server_stop() follows in any case. */
int server_start(struct server *, struct mc_ctx *, int listener, int64_t clients_max);

/* Serves until the instance must stop. */
int server_run(struct server *);

void server_stop(struct server *);
