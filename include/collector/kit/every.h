/* SPDX-License-Identifier: MIT */
/* collector/kit/every.h - what is to be done every so often, for several things
 * of different periods in one read() or run():
 *
 *   while (mc_wait(ctx, NULL, 0, mc_every_next(timers, len)) == 0)
 *           for (size_t i = 0; i < len; i++)
 *                   if (mc_every_due(&timers[i], mc_now())) {
 *                           measure(i);
 *                           mc_every_done(&timers[i], mc_now());
 *                   }
 *
 * Times are those of any one clock.  Pure functions. */
#pragma once

#include <collector/plugin.h>

struct mc_every {
	mc_time period; /* 0: it is always due. */
	mc_time next;   /* When it is due; 0: at once. */
};

/* Whether it is due. */
static inline bool mc_every_due(const struct mc_every *every, mc_time now)
{
	return now >= every->next;
}

/* It is done: due again in step with the first time, a period after it was due
 * or, where that has passed, too, some. */
static inline void mc_every_done(struct mc_every *every, mc_time now)
{
	if (every->period <= 0)
		return;
	every->next = (every->next == 0 ? now : every->next) + every->period;
	if (every->next <= now)
		every->next += ((now - every->next) / every->period + 1) * every->period;
}

/* When the first of 'len' is due; INT64_MAX if none is. */
static inline mc_time mc_every_next(const struct mc_every *all, size_t len)
{
	mc_time next = INT64_MAX;

	for (size_t i = 0; i < len; i++)
		if (all[i].next < next)
			next = all[i].next;
	return next;
}
