/* SPDX-License-Identifier: MIT */
/* mc_timed_call(): calls that may hang, each on a helper thread.  A thread that
 * comes back in time serves the next call of its instance. */
#ifndef COLLECTOR_ENGINE_READ_TIMED_CALL_H
#define COLLECTOR_ENGINE_READ_TIMED_CALL_H

#define TIMED_CALLS_MAX 8 /* Calls of one instance that may hang at a time. */

struct timed_calls;

/* Leaves calls that still hang to themselves; NULL is fine. */
void timed_call_free(struct timed_calls *);

#endif
