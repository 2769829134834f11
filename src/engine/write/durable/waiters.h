/* SPDX-License-Identifier: MIT */
/* Waiters for a batch to be safe, in the order in which batches were put.  The lock of a worker
 * guards them; waiters are called without it, because done() may take locks of its own. */
#pragma once

#include <collector/plugin.h>
#include <collector/serve.h>

#include "engine/write/worker.h"

struct waiter {
	struct waiter *next;
	uint64_t sequence; /* Number of its batch. */
	const struct mc_ctx *ctx;
	mc_time until; /* Real time. */
	mc_committed *done;
	void *argument;
	int rc;
};

struct waiters {
	struct waiter_list {
		struct waiter *first, **end;
	} waiting, answered; /* Answered, and not called yet. */
	bool telling;        /* A thread is in waiters_tell(). */
};

void waiters_init(struct waiters *);

/* Takes a copy; sequence numbers only grow. */
void waiters_add(struct waiters *, const struct waiter *);

/* Whether no waiter is left. */
bool waiters_empty(const struct waiters *);

/* These answer waiters: those of batches up to that number; those whose time is
 * over (-ETIMEDOUT); all those of an instance (-ECANCELED). */
void waiters_answer(struct waiters *, uint64_t sequence, int rc);
void waiters_expire(struct waiters *, mc_time now);
void waiters_cancel(struct waiters *, const struct mc_ctx *);

/* Gives the worker's lock up meanwhile.  Calls done() of all that have an answer.  One thread
 * calls at a time, all waiters there are, so that empty lists and no calling thread prove that no
 * done() will be called any more. */
void waiters_tell(struct waiters *, struct worker *worker) MC_REQUIRES(worker->lock);
