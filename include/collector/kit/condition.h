/* SPDX-License-Identifier: MIT */
/* collector/kit/condition.h - waiting for a condition of POSIX, but not for ever, by a clock that
 * nobody sets.
 *
 *   struct timespec until = mc_condition_until(5 * MC_SECOND);
 *
 *   while (!ready && pthread_cond_timedwait(&change, &lock, &until) == 0)
 *           ;
 *
 * Thread: any.
 */
#pragma once

#include <pthread.h>
#include <time.h>

#include <collector/plugin.h>

/* A condition for such waits; pthread_cond_destroy() ends it. */
static inline void mc_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &steady);
	pthread_condattr_destroy(&steady);
}

/* The time of pthread_cond_timedwait() that is 'limit' from now. */
static inline struct timespec mc_condition_until(mc_time limit)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (until.tv_nsec + limit) / MC_SECOND;
	until.tv_nsec = (until.tv_nsec + limit) % MC_SECOND;
	return until;
}
