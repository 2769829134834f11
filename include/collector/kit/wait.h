/* SPDX-License-Identifier: MIT */
/* collector/kit/wait.h - waiting for descriptors, by the clock of mc_now(): a test that has
 * stopped the clock wakes waiting threads by stepping it. */
#pragma once

#include <poll.h>
#include <sys/epoll.h>

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* Waits as poll(2) does until one of the descriptors is ready, but not beyond 'until', a time of
 * mc_now(); INT64_MAX: without limit.  Returns how many are ready, which their 'revents' say; 0:
 * the time has come; or a negative errno.  Signals do not end it.  Thread: any. */
int mc_poll(struct pollfd *fds, size_t len, mc_time until);

/* As mc_poll(), and -ECANCELED as soon as the instance must stop, whatever else
 * is ready.  run(), and threads that run() waits for. */
int mc_wait(struct mc_ctx *ctx, struct pollfd *fds, size_t len, mc_time until);

/* As mc_poll(), of the descriptors of an epoll(7) instance: fills 'events' with up to 'len' of what
 * is ready, as epoll_wait(2) does.  kit/loop.h is easier to use.  Any thread. */
int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until);

#pragma GCC visibility pop

/* --- Every so often ---------------------------------------------------------- */

/* For several things of different periods in one read() or run():
 *
 *   while (mc_wait(ctx, NULL, 0, mc_every_next(timers, len)) == 0)
 *           for (size_t i = 0; i < len; i++)
 *                   if (mc_every_due(&timers[i], mc_now())) {
 *                           measure(i);
 *                           mc_every_done(&timers[i], mc_now());
 *                   }
 *
 * Times are those of any one clock.  Pure functions. */

struct mc_every {
	mc_time period; /* 0: it is always due. */
	mc_time next;   /* When it is due; 0: at once. */
};

/* Whether it is due. */
static inline bool mc_every_due(const struct mc_every *every, mc_time now)
{
	return now >= every->next;
}

/* It is done: due again in step with the first time, a period after it was due
 * or, where that has passed, too, some. */
static inline void mc_every_done(struct mc_every *every, mc_time now)
{
	if (every->period <= 0)
		return;
	every->next = (every->next == 0 ? now : every->next) + every->period;
	if (every->next <= now)
		every->next += ((now - every->next) / every->period + 1) * every->period;
}

/* When the first of 'len' is due; INT64_MAX if none is. */
static inline mc_time mc_every_next(const struct mc_every *all, size_t len)
{
	mc_time next = INT64_MAX;

	for (size_t i = 0; i < len; i++)
		if (all[i].next < next)
			next = all[i].next;
	return next;
}
