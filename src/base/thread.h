/* SPDX-License-Identifier: MIT */
/* Threads with a name, and waits in real time for what must end. */
#pragma once

#include <pthread.h>
#include <time.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

/* Starts main(argument) in a thread of that name (15 characters count), with all signals blocked,
 * but those of crashes: they are the main thread's.  Returns 0 or -errno. */
int thread_start(pthread_t *, const char *name, void *(*main)(void *argument), void *argument);

/* CPU time a living thread has used; 0 if it is unknown. */
mc_time thread_cpu(pthread_t);

/* The same for one that may have ended meanwhile: it keeps its clock where others find it. */
clockid_t thread_clock(void);
mc_time thread_clock_time(clockid_t);

/* Real monotonic time, also while the clock of base/clock.h is stopped: for
 * waits that only guard against what hangs. */
mc_time thread_time(void);

/* Like clock_wait(), but on real time; the condition comes from clock_cond_init(). */
bool thread_wait(pthread_cond_t *, pthread_mutex_t *mutex, mc_time until) MC_REQUIRES(*mutex);

/* Joins the thread if it ends by 'until', in real time. */
bool thread_join(pthread_t, mc_time until);
