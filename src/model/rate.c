/* SPDX-License-Identifier: MIT */
/* Computes the rate between a raw value and the one before.  Wrap at 32 and 64 bits: rrdcreate(1),
 * COUNTER. */
#include "model/rate.h"

static double in_range(const struct mc_source *source, double rate)
{
	/* Comparisons with NaN, "no bound", are false. */
	if (rate < source->min || rate > source->max)
		return NAN;
	return rate;
}

static double counter_change(uint64_t old, uint64_t new)
{
	uint64_t change = new - old, half = UINT64_C(1) << 63;

	if (new >= old)
		return change;
	if (old <= UINT32_MAX) {
		change = (uint32_t)change;
		half = UINT64_C(1) << 31;
	}
	return change < half ? change : NAN;
}

double rate_between(const struct mc_source *source, union mc_value old, union mc_value new,
		    double seconds)
{
	double change = 0;

	switch (source->kind) {
	case MC_GAUGE:
		return in_range(source, new.gauge);
	case MC_COUNTER:
		change = counter_change(old.counter, new.counter);
		break;
	case MC_DERIVE:
		change = (double)(int64_t)((uint64_t) new.derive - (uint64_t)old.derive);
		break;
	case MC_ABSOLUTE:
		change = new.absolute;
		break;
	}
	return in_range(source, change / seconds);
}

double rate_first(const struct mc_source *source, union mc_value value, double seconds)
{
	if (source->kind == MC_GAUGE)
		return in_range(source, value.gauge);
	if (source->kind == MC_ABSOLUTE && seconds > 0)
		return in_range(source, value.absolute / seconds);
	return NAN;
}
