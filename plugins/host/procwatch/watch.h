/* SPDX-License-Identifier: MIT */
/* The ends of processes: a pidfd becomes readable when its process ends
 * (pidfd_open(2)), so that it is known at once, and of this process and no
 * other with its number. */
#pragma once

#include "daemon.h"

struct watch {
	pthread_mutex_t lock;
	struct member **items MC_GUARDED_BY(lock); /* With a pidfd. */
	size_t len MC_GUARDED_BY(lock);
	struct mc_loop_wakeup wakeup; /* There are new ones. */

	/* Of run(): */
	struct mc_ctx *ctx;
	struct mc_loop *loop;
};

/* 0 or -errno; all zero may be stopped, too. */
int watch_start(struct watch *);
void watch_stop(struct watch *);

/* The pidfd of a process; -ENOSYS if the kernel knows none. */
int watch_open(uint32_t pid);

/* read(): a process of a daemon was found; or none of it.  Sends a notification
 * if that is news. */
void watch_add(struct watch *, struct mc_ctx *, struct member *);
void watch_missing(struct watch *, struct mc_ctx *, struct daemon *);

/* A process has ended; of those without a pidfd read() says it. */
void watch_end(struct watch *, struct mc_ctx *, struct member *);

bool watch_has_ended(struct watch *, const struct member *);
struct daemon_status watch_status(struct watch *, const struct daemon *);

/* run(): waits for the ends of all processes in this loop; and does so no more.  0 or -errno. */
int watch_begin(struct watch *, struct mc_loop *);
void watch_leave(struct watch *);

/* run(): whether the daemon has answered, and why not. */
void watch_answer(struct watch *, struct mc_ctx *, struct daemon *, const char *fault,
		  double response_time);
