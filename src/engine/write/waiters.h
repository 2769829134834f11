/* SPDX-License-Identifier: MIT */
/* Who waits for a batch to be safe, in the order in which batches were put.
 * The caller's lock guards the list; waiters are told without it, because what
 * they call may take locks of its own. */
#ifndef COLLECTOR_ENGINE_WRITE_WAITERS_H
#define COLLECTOR_ENGINE_WRITE_WAITERS_H

#include <collector/plugin.h>
#include <collector/serve.h>

struct waiter {
	struct waiter *next;
	uint64_t sequence; /* Of his batch. */
	const struct mc_ctx *ctx;
	mc_time until; /* Real time. */
	mc_committed *done;
	void *argument;
	int rc;
};

struct waiters {
	struct waiter *first, **end;
};

void waiters_init(struct waiters *);

/* Takes a copy; sequence numbers only grow. */
void waiters_add(struct waiters *, const struct waiter *);

/* These take waiters off the list, with an answer, and put them on another:
 * those of batches up to that number; those whose time is over (-ETIMEDOUT);
 * all those of an instance (-ECANCELED). */
void waiters_answer(struct waiters *, uint64_t sequence, int rc,
		    struct waiters *answered);
void waiters_expire(struct waiters *, mc_time now, struct waiters *answered);
void waiters_cancel(struct waiters *, const struct mc_ctx *,
		    struct waiters *answered);

/* Takes all of a list, which is empty then, onto another, which was. */
void waiters_take(struct waiters *, struct waiters *taken);

/* Calls done() of all, and frees them. */
void waiters_tell(struct waiters *answered);

#endif
