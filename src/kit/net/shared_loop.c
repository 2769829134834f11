/* SPDX-License-Identifier: MIT */
#include "kit/net/shared_loop.h"

#include <errno.h>
#include <poll.h>

#include <collector/kit/stream_client.h>
#include <collector/kit/wait.h>

/* The loop has woken up, which was all. */
static void on_wake(void *argument)
{
	(void)argument;
}

int shared_loop_init(struct shared_loop *shared, struct mc_ctx *ctx)
{
	int rc;

	pthread_mutex_init(&shared->lock, NULL);
	pthread_cond_init(&shared->change, NULL);
	shared->loop.ctx = ctx;
	rc = mc_loop_init(&shared->loop);
	if (rc != 0)
		return rc;
	shared->room.loop = &shared->loop;
	mc_stream_client_room_init(&shared->room);
	shared->wakeup.woken = on_wake;
	rc = mc_loop_wakeup_init(&shared->wakeup);
	if (rc == 0)
		rc = mc_loop_watch_wakeup(&shared->loop, &shared->wakeup);
	return rc != 0 ? mc_fail(ctx, -rc, "cannot make an eventfd") : 0;
}

void shared_loop_done(struct shared_loop *shared)
{
	mc_stream_room_done(&shared->room);
	mc_loop_done(&shared->loop);
	mc_loop_wakeup_done(&shared->wakeup);
	pthread_cond_destroy(&shared->change);
	pthread_mutex_destroy(&shared->lock);
}

void shared_loop_borrow(struct shared_loop *shared)
{
	pthread_mutex_lock(&shared->lock);
	while (shared->borrowed)
		pthread_cond_wait(&shared->change, &shared->lock);
	shared->borrowed = true;
	pthread_mutex_unlock(&shared->lock);
}

void shared_loop_return(struct shared_loop *shared)
{
	/* run() waits for what was due when it had the loop. */
	bool sooner = mc_loop_due(&shared->loop) < shared->until;

	pthread_mutex_lock(&shared->lock);
	shared->borrowed = false;
	pthread_cond_signal(&shared->change);
	pthread_mutex_unlock(&shared->lock);
	if (sooner)
		mc_loop_wake(&shared->wakeup);
}

/* A round without waiting.  Returns until when there is nothing more to do, if no descriptor of the
 * loop is ready before. */
static mc_time take_round(struct shared_loop *shared, void (*after_round)(void *argument),
			  void *argument)
{
	mc_time until;

	shared_loop_borrow(shared);
	mc_loop_round(&shared->loop, 0);
	if (after_round != NULL)
		after_round(argument);
	until = shared->until = mc_loop_due(&shared->loop);
	shared_loop_return(shared);
	return until;
}

int shared_loop_run(struct shared_loop *shared, void (*after_round)(void *argument), void *argument)
{
	struct mc_ctx *ctx = shared->loop.ctx;
	struct pollfd fd = { .fd = mc_loop_fd(&shared->loop), .events = POLLIN };
	int rc;

	do
		rc = mc_wait(ctx, &fd, 1, take_round(shared, after_round, argument));
	while (rc >= 0);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
}
