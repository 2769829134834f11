/* SPDX-License-Identifier: MIT */
/* Whether daemons answer: a connection to a socket, or a program that ends
 * well, each with a deadline.  All of it is for the thread of run(). */
#pragma once

#include <collector/kit/spawn.h>
#include <collector/kit/stream_client.h>

#include "watch.h"

struct probe {                          /* Of a daemon that is asked. */
	struct mc_stream_client client; /* To its socket. */
	struct probes *probes;
	struct daemon *daemon;
	struct mc_loop_timer timer; /* For the next question, or the answer of a socket. */
	struct mc_every every;
	bool is_asked;      /* Now: */
	bool has_connected; /* And is to answer. */
	mc_time begun;
	struct mc_command command;
	char output[256]; /* By the program, first. */
};

struct probes {
	struct mc_ctx *ctx;
	struct watch *watch;
	struct mc_stream_room room;
	struct probe *items;
	size_t len;
	struct mc_spawner *spawner; /* NULL: no program is run. */
	const char **env;
};

/* Asks each of the daemons that is to be asked, in this loop, until probe_stop(). */
void probe_start(struct probes *, struct mc_loop *, struct watch *,
		 const struct mc_blocks *daemons);
void probe_stop(struct probes *);
