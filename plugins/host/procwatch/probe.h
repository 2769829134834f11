/* SPDX-License-Identifier: MIT */
/* Whether daemons answer: a connection to a socket, or a program that ends
 * well, each with a deadline.  All of it is for the thread of run(). */
#pragma once

#include <collector/kit/spawn.h>

#include "watch.h"

struct probe { /* Of a daemon that is asked. */
	struct mc_ctx *ctx;
	struct daemon *daemon;
	struct watch *watch;
	struct mc_every every;
	bool is_asked; /* Now: */
	mc_time begun;
	int fd;        /* A socket that connects, or -1. */
	bool has_sent; /* It is connected, and the daemon is to answer. */
	struct mc_command command;
	char output[256]; /* By the program, first. */
};

struct probes {
	struct probe *items;
	size_t len;
	struct mc_spawner *spawner; /* NULL: no program is run. */
	const char **env;
};

/* Makes a probe for each of the daemons that is to be asked; 0 or -errno. */
int probe_start(struct probes *, struct mc_ctx *, struct watch *, const struct mc_blocks *daemons);
void probe_stop(struct probes *);

/* When something is due; fills 'fds', which has room for 'len' + 1, and returns
 * how many; after poll(2), goes on. */
mc_time probe_due(const struct probes *);
size_t probe_prepare(const struct probes *, struct pollfd *fds);
void probe_work(struct probes *, const struct pollfd *fds, size_t fds_len);
