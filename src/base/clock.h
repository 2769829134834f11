/* SPDX-License-Identifier: MIT */
/* Time, as a dependency: a test stops the clock and steps it, so that a day of intervals passes in
 * a second without sleeping.  Thread: any. */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/epoll.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define CLOCK_NEVER INT64_MAX

/* Monotonic time: schedules, deadlines, ages. */
mc_time clock_now(void);

/* Time since 1970 UTC: stamps of samples. */
mc_time clock_wall(void);

/* CPU time used by the calling thread; never stopped. */
mc_time clock_cpu(void);

/* A condition variable for clock_wait(). */
void clock_cond_init(pthread_cond_t *);

/* Waits for the condition like pthread_cond_timedwait(), at the longest until clock_now() reaches
 * 'until' (CLOCK_NEVER: without limit).  Returns false if the time was up. */
bool clock_wait(pthread_cond_t *, pthread_mutex_t *mutex, mc_time until) MC_REQUIRES(*mutex);

/* As poll(2), at the longest until clock_now() reaches 'until'.  Returns how many are ready; 0: the
 * time was up; or a negative errno.  Signals do not end it. */
int clock_poll(struct pollfd *, size_t len, mc_time until);

/* The same for the descriptors of epoll_wait(2). */
int clock_epoll(int epoll, struct epoll_event *, int len, mc_time until);

/* For tests.  Stops both clocks at these times; steps them on together and
 * wakes those who wait in clock_wait(), clock_poll() and clock_epoll(). */
void clock_stop(mc_time now, mc_time wall);
void clock_step(mc_time by);

/* For tests: waits, in real time, until 'sleepers' threads wait in
 * clock_wait(), not in the other two: all work that was due is done then. */
void clock_settle(unsigned sleepers);
