/* SPDX-License-Identifier: MIT */
/* collector/kit/timed_call.h - a system or library call that may hang. */
#ifndef COLLECTOR_KIT_TIMED_CALL_H
#define COLLECTOR_KIT_TIMED_CALL_H

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* Runs call(argument) on a helper thread, and waits for it no longer than
 * 'limit' of real time.  Returns the result of call().
 *
 * After -ETIMEDOUT the call goes on alone, and the core calls free(argument)
 * when it returns; else 'argument', which is from malloc(), is the plugin's
 * again.  -EAGAIN: not called, because too many calls of this instance hang.
 *
 * Callbacks, also run() and another at the same time. */
int mc_timed_call(struct mc_ctx *ctx, mc_time limit,
		  int (*call)(void *argument), void *argument);

#pragma GCC visibility pop

#endif /* COLLECTOR_KIT_TIMED_CALL_H */
