/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_hold.h"

#include <time.h>

#include "kit/net/http_server/http_worker.h"

#define CLOSE_MAX 1          /* Seconds that those who wait have at the end. */
#define CANCEL_MS 10         /* Between two calls of cancel(). */
#define MS_NS 1000000        /* Nanoseconds of a millisecond, */
#define SEC_NS (1000000000L) /* and of a second. */

void http_hold_init(struct http_holds *holds)
{
	pthread_condattr_t monotonic;

	*holds = (struct http_holds){ 0 };
	pthread_mutex_init(&holds->lock, NULL);
	/* A clock that is set back must not make the end wait for it. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&holds->change, &monotonic);
	pthread_condattr_destroy(&monotonic);
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
static void wait_for_all(struct http_holds *holds, long seconds, long ns) MC_REQUIRES(holds->lock)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds + (until.tv_nsec + ns) / SEC_NS;
	until.tv_nsec = (until.tv_nsec + ns) % SEC_NS;
	while (holds->len > 0 && pthread_cond_timedwait(&holds->change, &holds->lock, &until) == 0)
		;
}

void http_hold_close(struct http_holds *holds, void (*cancel)(void *argument), void *argument)
{
	pthread_mutex_lock(&holds->lock);
	holds->closed = true;
	wait_for_all(holds, CLOSE_MAX, 0);
	while (holds->len > 0) { /* One may be about to wait. */
		pthread_mutex_unlock(&holds->lock);
		if (cancel != NULL)
			cancel(argument);
		pthread_mutex_lock(&holds->lock);
		wait_for_all(holds, 0, CANCEL_MS * MS_NS);
	}
	pthread_mutex_unlock(&holds->lock);
}
