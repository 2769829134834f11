/* SPDX-License-Identifier: MIT */
/* collector/kit/loop.h - one thread that waits for descriptors, for times and
 * for other threads, in libkit:
 *
 *   loop->ctx = ctx;
 *   rc = mc_loop_init(loop);                              start()
 *   rc = mc_loop_watch(loop, &file, EPOLLIN);             start() or run()
 *   rc = mc_loop_run(loop);                               run(): until the stop
 *   mc_loop_done(loop);                                   stop()
 *
 * A loop watches structs of the caller.  A callback may forget and free any of them, also its own.
 * Times are those of mc_now(), so a test steps them (see kit/wait.h).
 *
 * Thread: the one of mc_loop_run(), or before it runs; or several, one at a time, that call
 * mc_loop_round(); but for mc_loop_wake(). */
#pragma once

#include <sys/epoll.h>

#include <collector/plugin.h>

struct mc_loop_file { /* A descriptor that is watched. */
	int fd;       /* The caller's; the loop does not close it. */
	bool watched; /* The loop's own, as the next: all 0 at first. */
	uint32_t events;
	void (*ready)(void *argument, uint32_t events); /* Of epoll_ctl(2). */
	void *argument;
};

struct mc_loop_timer { /* All zero but the callback: not set. */
	void (*expired)(void *argument);
	void *argument;
	mc_time due; /* The loop's own, as the next. */
	size_t place;
};

struct mc_loop {
	struct mc_ctx *ctx; /* The caller's. */

	/* After each round of callbacks, or NULL; the caller's. */
	void (*after_round)(void *argument);
	void *argument;

	mc_time now; /* mc_now() of this round; to be read by callbacks. */

	/* src/kit/net/loop.c's own. */
	int epoll;
	bool initialized, ends;
	struct mc_loop_file stop;
	struct epoll_event *round; /* The rest of this round. */
	int round_len;
	struct mc_loop_timer **timers; /* A heap; the first is at 1. */
	size_t timers_len, timers_capacity;
};

/* 0, or what mc_fail() returned.  mc_loop_done() follows in any case, and is fine with zeros. */
int mc_loop_init(struct mc_loop *);
void mc_loop_done(struct mc_loop *);

/* Serves until the instance must stop, or mc_loop_end().  0, or what mc_fail() returned. */
int mc_loop_run(struct mc_loop *);

void mc_loop_end(struct mc_loop *);

/* One round, which waits until 'until' at most: for what goes on after the stop, and for
 * a loop that is not run()'s.  0, or a negative errno. */
int mc_loop_round(struct mc_loop *, mc_time until);

/* When the first timer is due; INT64_MAX: without any. */
static inline mc_time mc_loop_due(const struct mc_loop *loop)
{
	return loop->timers_len > 0 ? loop->timers[1]->due : INT64_MAX;
}

/* Readable when a descriptor of the loop is ready: a thread that shares the loop waits for
 * it and for mc_loop_due(), has the loop to itself then, and calls mc_loop_round(). */
static inline int mc_loop_fd(const struct mc_loop *loop)
{
	return loop->epoll;
}

/* Watches the descriptor for these events from now on, instead of those of
 * before.  0: for EPOLLERR and EPOLLHUP only.  Level-triggered: an event that is not dealt
 * with is reported again.  0, or a negative errno. */
int mc_loop_watch(struct mc_loop *, struct mc_loop_file *, uint32_t events);

/* Ends that; call it before the descriptor is closed.  Not watched is fine. */
void mc_loop_forget(struct mc_loop *, struct mc_loop_file *);

/* Has the timer expire once, as soon as mc_now() is 'due', instead of when it would have before. */
void mc_loop_set_timer(struct mc_loop *, struct mc_loop_timer *, mc_time due);

/* Not set is fine. */
void mc_loop_unset_timer(struct mc_loop *, struct mc_loop_timer *);

static inline bool mc_loop_timer_is_set(const struct mc_loop_timer *timer)
{
	return timer->place != 0;
}

/* --- Other threads -------------------------------------------------------- */

struct mc_loop_wakeup {           /* By which others call a callback of the loop. */
	struct mc_loop_file file; /* An eventfd. */
	void (*woken)(void *argument);
	void *argument;
};

/* Makes the descriptor.  0, or a negative errno.  mc_loop_wakeup_done() follows in
 * any case, after mc_loop_done() or mc_loop_forget(). */
int mc_loop_wakeup_init(struct mc_loop_wakeup *);
void mc_loop_wakeup_done(struct mc_loop_wakeup *);

/* Has the loop call woken(), once for all mc_loop_wake() since the last time.  0, or a
 * negative errno. */
static inline int mc_loop_watch_wakeup(struct mc_loop *loop, struct mc_loop_wakeup *wakeup)
{
	return mc_loop_watch(loop, &wakeup->file, EPOLLIN);
}

/* Thread: any, from mc_loop_wakeup_init() to mc_loop_wakeup_done(). */
void mc_loop_wake(struct mc_loop_wakeup *);
