/* SPDX-License-Identifier: MIT */
/* Calls that may hang, each on a helper thread.  A thread that comes back in
 * time serves the next call. */
#pragma once

#include <collector/plugin.h>

/* Calls of one owner that may hang at a time. */
#define TIMED_CALLS_MAX 16

struct timed_calls;

struct timed_calls *timed_calls_new(void);

/* As mc_timed_call() of <collector/kit/timed_call.h>.  Thread: any. */
int timed_calls_run(struct timed_calls *, mc_time limit, int (*call)(void *argument),
		    void *argument);

/* Number of calls under way, also those without a waiting caller.  Thread: any. */
unsigned timed_calls_busy(struct timed_calls *);

/* Leaves calls that still hang to themselves; NULL is fine. */
void timed_calls_free(struct timed_calls *);
