/* SPDX-License-Identifier: MIT */
/* kit/net/shared_loop.h - the loop of a writer with connections, in libkit: write() has it while it
 * sends and waits for its receivers, run() in between, so that connections are made, end and answer
 * when nothing is written.
 *
 *   shared_loop_borrow(&self->shared);              write()
 *   ...mc_loop_round(&self->shared.loop, until)...
 *   shared_loop_return(&self->shared);
 *
 * Nobody waits under its lock.  Thread: any, those of start() and stop() but for borrowing. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/loop.h>
#include <collector/kit/stream.h>

struct shared_loop { /* All zero at first. */
	/* Of the thread that has borrowed them. */
	struct mc_loop loop;
	struct mc_stream_room room; /* For streams that are clients. */

	/* src/kit/net/shared_loop.c's own. */
	struct mc_loop_wakeup wakeup;
	mc_time until; /* For which run() waits at most. */
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool borrowed MC_GUARDED_BY(lock);
};

/* 0, or the result of mc_fail().  shared_loop_done() follows in any case. */
int shared_loop_init(struct shared_loop *, struct mc_ctx *);
void shared_loop_done(struct shared_loop *);

/* Waits until no other thread has it. */
void shared_loop_borrow(struct shared_loop *);
void shared_loop_return(struct shared_loop *);

/* The run() of the plugin.  After each round it calls after_round(), if it is not NULL, which has
 * the loop. */
int shared_loop_run(struct shared_loop *, void (*after_round)(void *argument), void *argument);
