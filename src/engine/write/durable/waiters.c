/* SPDX-License-Identifier: MIT */
/* Waiters for a batch to be safe: two lists. */
#include "engine/write/durable/waiters.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

static void init(struct waiter_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

void waiters_init(struct waiters *waiters)
{
	init(&waiters->waiting);
	init(&waiters->answered);
}

static void append(struct waiter_list *list, struct waiter *waiter)
{
	waiter->next = NULL;
	*list->end = waiter;
	list->end = &waiter->next;
}

void waiters_add(struct waiters *waiters, const struct waiter *waiter)
{
	struct waiter *copy = alloc_zero(sizeof(*copy));

	*copy = *waiter;
	append(&waiters->waiting, copy);
}

bool waiters_empty(const struct waiters *waiters)
{
	return waiters->waiting.first == NULL;
}

static void answer(struct waiters *waiters, struct waiter **at, int rc)
{
	struct waiter *waiter = *at;

	*at = waiter->next;
	if (*at == NULL)
		waiters->waiting.end = at;
	waiter->rc = rc;
	append(&waiters->answered, waiter);
}

void waiters_answer(struct waiters *waiters, uint64_t sequence, int rc)
{
	struct waiter **first = &waiters->waiting.first;

	while (*first != NULL && (*first)->sequence <= sequence)
		answer(waiters, first, rc);
}

/* Only from the front: a later waiter may have a shorter limit, and is then answered as late as
 * those before it. */
void waiters_expire(struct waiters *waiters, mc_time now)
{
	struct waiter **first = &waiters->waiting.first;

	while (*first != NULL && (*first)->until <= now)
		answer(waiters, first, -ETIMEDOUT);
}

void waiters_cancel(struct waiters *waiters, const struct mc_ctx *ctx)
{
	for (struct waiter **at = &waiters->waiting.first; *at != NULL;)
		if ((*at)->ctx == ctx)
			answer(waiters, at, -ECANCELED);
		else
			at = &(*at)->next;
}

static void tell_all(struct waiter *first)
{
	struct waiter *next;

	for (struct waiter *waiter = first; waiter != NULL; waiter = next) {
		next = waiter->next;
		waiter->done(waiter->argument, waiter->rc);
		free(waiter);
	}
}

void waiters_tell(struct waiters *waiters, struct worker *worker)
{
	if (waiters->telling || waiters->answered.first == NULL)
		return;
	waiters->telling = true;
	while (waiters->answered.first != NULL) {
		struct waiter *first = waiters->answered.first;

		init(&waiters->answered);
		pthread_mutex_unlock(&worker->lock);
		tell_all(first);
		pthread_mutex_lock(&worker->lock);
	}
	waiters->telling = false;
	pthread_cond_broadcast(&worker->change);
}
