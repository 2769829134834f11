/* SPDX-License-Identifier: MIT */
/* mc_commit_safely(): mc_commit_then(), and a wait for what it tells. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <collector/plugin.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"

struct latch { /* Who is last lets go of it: who waits may give up. */
	atomic_uint holders;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool told;
	int rc;
};

static struct latch *latch_new(void)
{
	struct latch *latch = alloc_zero(sizeof(*latch));

	atomic_init(&latch->holders, 2);
	pthread_mutex_init(&latch->lock, NULL);
	clock_cond_init(&latch->change);
	latch->rc = -ETIMEDOUT;
	return latch;
}

static void let_go(struct latch *latch)
{
	if (atomic_fetch_sub(&latch->holders, 1) > 1)
		return;
	pthread_cond_destroy(&latch->change);
	pthread_mutex_destroy(&latch->lock);
	free(latch);
}

static void tell(void *argument, int rc)
{
	struct latch *latch = argument;

	pthread_mutex_lock(&latch->lock);
	latch->told = true;
	latch->rc = rc;
	pthread_cond_signal(&latch->change);
	pthread_mutex_unlock(&latch->lock);
	let_go(latch);
}

int mc_commit_safely(struct mc_batch *batch, mc_time limit)
{
	mc_time until = thread_time() + limit;
	struct latch *latch = latch_new();
	int rc;

	mc_commit_then(batch, limit, tell, latch);
	pthread_mutex_lock(&latch->lock);
	while (!latch->told && thread_wait(&latch->change, &latch->lock, until))
		;
	rc = latch->rc;
	pthread_mutex_unlock(&latch->lock);
	let_go(latch);
	return rc;
}
