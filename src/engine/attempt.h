/* SPDX-License-Identifier: MIT */
/* mc_attempt(): calls that may hang, each on a helper thread.  A thread that
 * comes back in time serves the next call of its instance. */
#ifndef COLLECTOR_ENGINE_ATTEMPT_H
#define COLLECTOR_ENGINE_ATTEMPT_H

#define ATTEMPTS_MAX 8 /* Calls of one instance that may hang at a time. */

struct attempts;

/* Leaves calls that still hang to themselves; NULL is fine. */
void attempt_free(struct attempts *);

#endif
