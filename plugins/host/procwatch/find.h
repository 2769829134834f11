/* SPDX-License-Identifier: MIT */
/* Which processes a daemon is: those of its unit, the one of its pid file, or
 * those in /proc whose name or command line is the daemon's. */
#pragma once

#include "kit/base/kept_file.h"

#include "daemon.h"
#include "table.h"

struct found { /* A process that may be the daemon. */
	uint32_t pid;
	uint64_t start; /* 0: not visible. */
};

struct find {
	struct mc_ctx *ctx;
	struct mc_kept_files *files; /* Its folder is /proc. */
	bool is_real;                /* /proc is that of this machine. */
	bool hides;                  /* Others' processes are not visible. */
	struct table table;

	struct found *items; /* The result; freed by the caller. */
	size_t len, room;
};

/* Finds the processes of a daemon: the oldest one first.  With 'all' false, at
 * most that one.  Returns 0, or what mc_fail() returned if they cannot be
 * looked for; -EAGAIN if none was found, but others' processes are hidden. */
int find_daemon(struct find *, const struct daemon *);
