/* SPDX-License-Identifier: MIT */
#include "pending.h"

#include <collector/serve.h>

#include <errno.h>
#include <time.h>

#include "worker.h"

#define SAFE_MAX (10 * MC_SECOND) /* For the journal to be on disk. */
#define CLOSE_MAX 1               /* Seconds for it at the end. */

void pending_init(struct pending *pending)
{
	pthread_condattr_t monotonic;

	*pending = (struct pending){ 0 };
	pthread_mutex_init(&pending->lock, NULL);
	/* A clock that is set back must not make the end wait for it. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pending->change, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void pending_done(struct pending *pending)
{
	pthread_cond_destroy(&pending->change);
	pthread_mutex_destroy(&pending->lock);
}

/* When the connection has gone on, the request may be gone, too. */
static void go_on(void *argument, int rc)
{
	struct pending_request *request = argument;
	struct pending *pending = request->pending;

	request->rc = rc;
	pthread_mutex_lock(&pending->lock);
	request->done = true;
	if (request->suspended) {
		MHD_resume_connection(request->connection);
		worker_wake(request->worker);
	}
	if (--pending->len == 0)
		pthread_cond_broadcast(&pending->change);
	pthread_mutex_unlock(&pending->lock);
}

bool pending_commit(struct pending *pending, struct mc_batch *batch,
		    struct pending_request *request)
{
	bool closed;

	request->pending = pending;
	request->rc = -ECANCELED;
	pthread_mutex_lock(&pending->lock);
	closed = pending->closed;
	pending->len += !closed;
	pthread_mutex_unlock(&pending->lock);
	if (closed) {
		mc_discard(batch);
		return false;
	}
	mc_commit_then(batch, SAFE_MAX, go_on, request);
	pthread_mutex_lock(&pending->lock);
	request->suspended = !request->done;
	if (request->suspended)
		MHD_suspend_connection(request->connection);
	pthread_mutex_unlock(&pending->lock);
	return request->suspended;
}

void pending_close(struct pending *pending, struct mc_ctx *ctx)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += CLOSE_MAX;
	pthread_mutex_lock(&pending->lock);
	pending->closed = true;
	while (pending->len > 0 &&
	       pthread_cond_timedwait(&pending->change, &pending->lock,
				      &until) == 0)
		;
	while (pending->len > 0) { /* One may be about to commit. */
		pthread_mutex_unlock(&pending->lock);
		mc_commit_cancel(ctx);
		pthread_mutex_lock(&pending->lock);
	}
	pthread_mutex_unlock(&pending->lock);
}
