/* SPDX-License-Identifier: MIT */
/* A rate as a value of its source's kind again: what counts goes on counting, so that an RRD file
 * of the aggregate is of the kind that its members have.  Pure functions. */
#pragma once

#include <collector/plugin.h>

struct total { /* All zero: there was no rate yet. */
	mc_time time;
	union mc_value value;
	double fraction; /* That no whole number could take yet. */
};

/* Makes 'value' that of 'now', of a source that changes by 'rate' per second since the call
 * before; of a gauge it is 'rate'.  False without a result: on the first call, or if nothing can
 * be added. */
bool total_next(struct total *, enum mc_kind, double rate, mc_time now);
