/* SPDX-License-Identifier: MIT */
/* collector/kit/backoff.h - when to try again what has failed, in libkit.
 *
 * Full jitter, as in "Exponential Backoff And Jitter" of the AWS architects: a
 * thousand clients of a server that comes back do not come at once.  The caller
 * locks, where several threads try the same thing. */
#pragma once

#include <collector/plugin.h>

struct mc_backoff {
	mc_time longest;   /* Wait that is not asked for; set by the caller. */
	mc_time until;     /* Nothing is tried before; of mc_now(). */
	unsigned failures; /* In a row. */
	uint64_t random;   /* Of the jitter; 0: not seeded yet. */
};

/* It has failed: the next try is due after a random part of a time that doubles from 0.5 s to
 * 'longest', but not before 'at_least', capped at one hour, so that no peer can silence us for
 * ever. 0: not requested. */
void mc_backoff_failed(struct mc_backoff *, mc_time now, mc_time at_least);

/* It has worked. */
void mc_backoff_done(struct mc_backoff *);
