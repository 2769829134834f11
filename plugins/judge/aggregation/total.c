/* SPDX-License-Identifier: MIT */
#include "total.h"

#define WHOLE_MAX 9.2e18 /* Fits an int64_t. */

static void add(struct total *total, enum mc_kind kind, double whole)
{
	switch (kind) {
	case MC_COUNTER:
		total->value.counter += (uint64_t)whole;
		break;
	case MC_DERIVE: /* Wraps, as what it counts does. */
		total->value.derive =
			(int64_t)((uint64_t)total->value.derive + (uint64_t)(int64_t)whole);
		break;
	case MC_ABSOLUTE:
		total->value.absolute = (uint64_t)whole;
		break;
	case MC_GAUGE:
		break;
	}
}

bool total_next(struct total *total, enum mc_kind kind, double rate, mc_time now)
{
	bool first = total->time == 0;
	double seconds = first ? 1 : (double)(now - total->time) / MC_SECOND;
	double change = rate * seconds + total->fraction;
	double whole = trunc(change);

	if (kind == MC_GAUGE) {
		total->value.gauge = rate;
		return true;
	}
	if (seconds <= 0 || !(fabs(whole) < WHOLE_MAX) || (whole < 0 && kind != MC_DERIVE))
		return false;
	add(total, kind, whole);
	total->fraction = change - whole;
	total->time = now;
	return !first;
}
