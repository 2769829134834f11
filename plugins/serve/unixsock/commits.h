/* SPDX-License-Identifier: MIT */
/* Clients whose values are on their way to the journal.  Such a client is not read, and gets no
 * replies, until their result is known; the others do not notice.  run() commits; a thread of the
 * core calls back. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/kit/loop.h>
#include <collector/plugin.h>

struct client;

struct commits {
	struct mc_loop_wakeup wakeup; /* A client has a result. */
	pthread_mutex_t lock;
	struct client *told MC_GUARDED_BY(lock); /* The first. */
	unsigned waiting MC_GUARDED_BY(lock);    /* Clients. */
};

/* 0 or -errno.  commits_done() follows in any case, and is fine with zeros. */
int commits_init(struct commits *);
void commits_done(struct commits *);

/* Commits values that a client has put. */
void commits_add(struct commits *, struct client *, struct mc_batch *);

/* Whether the client has to wait for its values, and commits_next() will return it; else all have
 * results, and 'safe' is whether all of them are safe, or there is no journal. */
bool commits_wait(struct commits *, struct client *, bool *safe);

/* A client that need not wait any more, or NULL. */
struct client *commits_next(struct commits *, bool *safe);

/* Ends all waits: values without a result by then are not safe. */
void commits_cancel(struct commits *, struct mc_ctx *);
