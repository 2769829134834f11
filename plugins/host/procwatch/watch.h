/* SPDX-License-Identifier: MIT */
/* The ends of processes: a pidfd becomes readable when its process ends
 * (pidfd_open(2)), so that it is known at once, and of this process and no
 * other with its number. */
#pragma once

#include <poll.h>

#include "daemon.h"

struct watch {
	pthread_mutex_t lock;
	struct member **items MC_GUARDED_BY(lock); /* With a pidfd. */
	size_t len MC_GUARDED_BY(lock);
	int wake; /* An eventfd: there are new ones. */

	/* Of run(): */
	struct member **waited;
	size_t waited_len;
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

/* run(): fills 'fds' with all pidfds and the eventfd, and returns how many they
 * are: watch_size() says how many there may be; after poll(2), takes what they
 * say. */
size_t watch_size(struct watch *);
size_t watch_prepare(struct watch *, struct pollfd *fds, size_t size);
void watch_work(struct watch *, struct mc_ctx *, const struct pollfd *fds);

/* run(): whether the daemon has answered, and why not. */
void watch_answer(struct watch *, struct mc_ctx *, struct daemon *, const char *fault,
		  double response_time);
