/* SPDX-License-Identifier: MIT */
#include "engine/write/waiters.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

void waiters_init(struct waiters *waiters)
{
	waiters->first = NULL;
	waiters->end = &waiters->first;
}

static void append(struct waiters *waiters, struct waiter *waiter)
{
	waiter->next = NULL;
	*waiters->end = waiter;
	waiters->end = &waiter->next;
}

void waiters_add(struct waiters *waiters, const struct waiter *waiter)
{
	struct waiter *copy = alloc_zero(sizeof(*copy));

	*copy = *waiter;
	append(waiters, copy);
}

static void move(struct waiters *waiters, struct waiter **at, int rc,
		 struct waiters *answered)
{
	struct waiter *waiter = *at;

	*at = waiter->next;
	if (*at == NULL)
		waiters->end = at;
	waiter->rc = rc;
	append(answered, waiter);
}

void waiters_answer(struct waiters *waiters, uint64_t sequence, int rc,
		    struct waiters *answered)
{
	while (waiters->first != NULL && waiters->first->sequence <= sequence)
		move(waiters, &waiters->first, rc, answered);
}

/* Only from the front: who came later may have less patience, and is then told
 * as late as those before him. */
void waiters_expire(struct waiters *waiters, mc_time now,
		    struct waiters *answered)
{
	while (waiters->first != NULL && waiters->first->until <= now)
		move(waiters, &waiters->first, -ETIMEDOUT, answered);
}

void waiters_cancel(struct waiters *waiters, const struct mc_ctx *ctx,
		    struct waiters *answered)
{
	for (struct waiter **at = &waiters->first; *at != NULL;)
		if ((*at)->ctx == ctx)
			move(waiters, at, -ECANCELED, answered);
		else
			at = &(*at)->next;
}

void waiters_take(struct waiters *waiters, struct waiters *taken)
{
	waiters_init(taken);
	if (waiters->first == NULL)
		return;
	*taken = *waiters;
	waiters_init(waiters);
}

void waiters_tell(struct waiters *answered)
{
	struct waiter *next;

	for (struct waiter *w = answered->first; w != NULL; w = next) {
		next = w->next;
		w->done(w->argument, w->rc);
		free(w);
	}
	waiters_init(answered);
}
