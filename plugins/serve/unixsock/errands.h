/* SPDX-License-Identifier: MIT */
/* Requests whose answers may wait for a disk: a thread of their own runs them, one after the other.
 * Their clients are held meanwhile, so each has one at most, and all others go on. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/kit/loop.h>

#include "reply.h"

struct client;

struct errand {
	void (*run)(struct errand *, struct mc_ctx *); /* Adds to 'reply'. */
	struct mc_buffer reply;
	struct client *client; /* The rest is errands.c's own. */
	struct errand *next;
};

struct errands {
	struct mc_loop_wakeup wakeup; /* One has been run. */
	struct mc_ctx *ctx;
	pthread_t thread;
	bool threaded; /* From the first errand on. */
	pthread_mutex_t lock;
	pthread_cond_t change;
	/* Those that wait, the oldest first; and those that have been run. */
	struct errand *first MC_GUARDED_BY(lock), *last MC_GUARDED_BY(lock);
	struct errand *run MC_GUARDED_BY(lock);
	bool stopping MC_GUARDED_BY(lock);
};

/* 0 or -errno.  errands_done() follows in any case, and is fine with zeros. */
int errands_init(struct errands *, struct mc_ctx *);
void errands_done(struct errands *);

/* Takes over an errand, which is from mc_alloc().  False: there is no thread, and it was freed. */
bool errands_add(struct errands *, struct errand *, struct client *);

/* One that has been run: the caller frees it and its reply.  NULL: none so far. */
struct errand *errands_next(struct errands *);

/* Ends the thread: those that wait are not run, and errands_next() returns them without a reply. */
void errands_stop(struct errands *);
