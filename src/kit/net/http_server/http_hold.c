/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_hold.h"

#include <collector/kit/condition.h>

#include "kit/net/http_server/http_worker.h"

#define CLOSE_MAX MC_SECOND                /* That those who wait have at the end. */
#define CANCEL_PAUSE (10 * MC_MILLISECOND) /* Between two calls of cancel(). */

void http_hold_init(struct http_holds *holds)
{
	*holds = (struct http_holds){ 0 };
	pthread_mutex_init(&holds->lock, NULL);
	mc_condition_init(&holds->change);
}

void http_hold_done(struct http_holds *holds)
{
	pthread_cond_destroy(&holds->change);
	pthread_mutex_destroy(&holds->lock);
}

bool http_hold_begin(struct http_holds *holds, struct http_hold *hold)
{
	bool closed;

	*hold = (struct http_hold){ 0 };
	pthread_mutex_lock(&holds->lock);
	closed = holds->closed;
	holds->len += !closed;
	pthread_mutex_unlock(&holds->lock);
	return !closed;
}

bool http_hold_suspend(struct http_holds *holds, struct http_hold *hold,
		       struct MHD_Connection *connection)
{
	bool suspended;

	pthread_mutex_lock(&holds->lock);
	suspended = hold->suspended = !hold->resumed;
	if (suspended)
		MHD_suspend_connection(connection);
	pthread_mutex_unlock(&holds->lock);
	return suspended;
}

void http_hold_resume(struct http_holds *holds, struct http_hold *hold,
		      struct MHD_Connection *connection, struct http_worker *worker)
{
	pthread_mutex_lock(&holds->lock);
	hold->resumed = true;
	if (hold->suspended) {
		MHD_resume_connection(connection);
		http_worker_wake(worker);
	}
	if (--holds->len == 0)
		pthread_cond_broadcast(&holds->change);
	pthread_mutex_unlock(&holds->lock);
}

/* Until nobody waits, or so much later. */
static void wait_for_all(struct http_holds *holds, mc_time limit) MC_REQUIRES(holds->lock)
{
	struct timespec until = mc_condition_until(limit);

	while (holds->len > 0 && pthread_cond_timedwait(&holds->change, &holds->lock, &until) == 0)
		;
}

void http_hold_close(struct http_holds *holds, void (*cancel)(void *argument), void *argument)
{
	pthread_mutex_lock(&holds->lock);
	holds->closed = true;
	wait_for_all(holds, CLOSE_MAX);
	while (holds->len > 0) { /* One may be about to wait. */
		pthread_mutex_unlock(&holds->lock);
		if (cancel != NULL)
			cancel(argument);
		pthread_mutex_lock(&holds->lock);
		wait_for_all(holds, CANCEL_PAUSE);
	}
	pthread_mutex_unlock(&holds->lock);
}
