/* SPDX-License-Identifier: MIT */
/* mc_commit_safely(): mc_commit_then(), and a wait for its result. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <collector/plugin.h>
#include <collector/serve.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"

struct completion { /* The last user frees it: the waiting thread may give up. */
	atomic_uint holders;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool completed;
	int rc;
};

static struct completion *completion_new(void)
{
	struct completion *completion = alloc_zero(sizeof(*completion));

	atomic_init(&completion->holders, 2);
	pthread_mutex_init(&completion->lock, NULL);
	clock_cond_init(&completion->change);
	completion->rc = -ETIMEDOUT;
	return completion;
}

static void let_go(struct completion *completion)
{
	if (atomic_fetch_sub(&completion->holders, 1) > 1)
		return;
	pthread_cond_destroy(&completion->change);
	pthread_mutex_destroy(&completion->lock);
	free(completion);
}

static void tell(void *argument, int rc)
{
	struct completion *completion = argument;

	pthread_mutex_lock(&completion->lock);
	completion->completed = true;
	completion->rc = rc;
	pthread_cond_signal(&completion->change);
	pthread_mutex_unlock(&completion->lock);
	let_go(completion);
}

int mc_commit_safely(struct mc_batch *batch, mc_time limit)
{
	mc_time until = thread_time() + limit;
	struct completion *completion = completion_new();
	int rc;

	mc_commit_then(batch, limit, tell, completion);
	pthread_mutex_lock(&completion->lock);
	while (!completion->completed && thread_wait(&completion->change, &completion->lock, until))
		;
	rc = completion->rc;
	pthread_mutex_unlock(&completion->lock);
	let_go(completion);
	return rc;
}
