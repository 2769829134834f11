/* SPDX-License-Identifier: MIT */
/* One of several nodes that does not take what it is sent: the others go on, and what it lacks
 * stays in the journal, from where run() sends it later.  A node belongs to write() while it keeps
 * up, and to run() while it lags; a lock says which, and guards no more than that. */
#pragma once

#include <pthread.h>

#include <collector/journal.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>

#include "node.h"

struct lagging {
	struct node *node;
	struct mc_consumer *consumer; /* NULL: there is no journal. */
	pthread_mutex_t *lock;        /* Of all. */
	bool lags MC_GUARDED_BY(lock);
	struct mc_offset from MC_GUARDED_BY(lock); /* It lacks what is from here, */
	struct mc_offset end MC_GUARDED_BY(lock);  /* up to this. */
	/* run()'s own: */
	struct mc_batch *batch; /* Under way; NULL: none. */
	struct mc_offset next;  /* After that. */
	struct mc_once once;
};

/* start()'s: finds the place where the process before had come. */
void lagging_init(struct lagging *, struct node *, pthread_mutex_t *lock);
void lagging_done(struct lagging *);

/* --- write()'s -------------------------------------------------------------- */

/* Whether the node lags: the batch of this write() is for run(), then. */
bool lagging_leave(struct lagging *);

/* The node has not taken the batch: it lags from now on.  False without a journal: what it has not
 * taken is lost to it. */
bool lagging_begin(struct lagging *);

/* It has taken the batch. */
void lagging_keeps_up(struct lagging *);

/* Whether it lags.  Thread: any. */
bool lagging_lags(struct lagging *);

/* --- run()'s ---------------------------------------------------------------- */

/* Sends what is next.  Whether there may be more to do at once. */
bool lagging_step(struct lagging *);
