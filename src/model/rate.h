/* SPDX-License-Identifier: MIT */
/* Computes the rate between a raw value and the one before.  Pure. */
#pragma once

#include <collector/plugin.h>

/* The gauge itself, or the change per second between two values 'seconds' > 0
 * apart, as collectd and RRDtool compute it:
 *
 *   COUNTER   went backwards: it wrapped, at 32 bits if the old value fits,
 *             else at 64.  A wrap that skips half of the range or more is taken
 *             for a reset: NaN.
 *   DERIVE    the signed difference; a reset shows as a negative rate, which
 *             the minimum of most types turns into NaN.
 *   ABSOLUTE  the value counts from the last read.
 *
 * NaN if the result is outside the range of the source. */
double rate_between(const struct mc_source *, union mc_value old, union mc_value new,
		    double seconds);

/* The same for the first value of a series, measured each 'seconds': only a GAUGE or ABSOLUTE has
 * a rate. */
double rate_first(const struct mc_source *, union mc_value, double seconds);
