/* SPDX-License-Identifier: MIT */
/* Clients whose values are on their way to the journal.  Such a client is not
 * read, and gets no replies, until it is known what became of them; the others
 * do not notification.  run() commits; a thread of the core tells. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

struct client;

struct commits {
	int wake; /* An eventfd: somebody has been told. */
	pthread_mutex_t lock;
	struct client *told MC_GUARDED_BY(lock); /* The first. */
	unsigned waiting MC_GUARDED_BY(lock);    /* Clients. */
};

/* 0 or -errno. */
int commits_init(struct commits *);
void commits_done(struct commits *);

/* Commits values that a client has put. */
void commits_add(struct commits *, struct client *, struct mc_batch *);

/* Whether the client has to wait for what was added, which commits_next() will
 * return; else all has been told, and 'safe' is whether all of it is safe, or
 * there is no journal. */
bool commits_wait(struct commits *, struct client *, bool *safe);

/* A client that need not wait any more, or NULL. */
struct client *commits_next(struct commits *, bool *safe);

/* Nobody waits any more: what is not told by then is not safe. */
void commits_cancel(struct commits *, struct mc_ctx *);
