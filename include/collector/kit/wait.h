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
