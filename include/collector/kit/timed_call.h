/* SPDX-License-Identifier: MIT */
/* collector/kit/timed_call.h - calls and files that may hang. */
#pragma once

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
int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument);

/* Tries whether a file that is about to be read can be read to its end within five seconds: its
 * server may be gone, and a pipe may have no writer.  NULL is right.  Returns 0, or what mc_fail()
 * returned.  start(), renew() and run(); mc_check_file() does the same for check(). */
int mc_timed_file(struct mc_ctx *ctx, const char *path);

#pragma GCC visibility pop
