/* SPDX-License-Identifier: MIT */
/* hold: the wait doubles from nothing, by the interval of reads. */
#include "hold.h"

void hold_begin(struct hold *hold, mc_time now)
{
	if (hold->ended != 0 && now - hold->ended > HOLD_FORGOTTEN)
		hold->times = 0;
	hold->lasts = hold->hangs = true;
	hold->times++;
}

void hold_postpone(struct hold *hold, mc_time now)
{
	hold->lasts = true;
	hold->retry = now;
}

void hold_release(struct hold *hold, mc_time now, mc_time interval)
{
	mc_time wait = hold->times > 1 ? interval : 0;

	for (unsigned i = 2; i < hold->times && wait < HOLD_WAIT_MAX; i++)
		wait *= 2;
	hold->hangs = false;
	hold->retry = now + (wait < HOLD_WAIT_MAX ? wait : HOLD_WAIT_MAX);
}

bool hold_allows(const struct hold *hold, mc_time now)
{
	return !hold->lasts || (!hold->hangs && now >= hold->retry);
}

void hold_end(struct hold *hold, mc_time now)
{
	if (!hold->lasts)
		return;
	hold->lasts = hold->hangs = false;
	hold->ended = now;
}
