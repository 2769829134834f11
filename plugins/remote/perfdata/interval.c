/* SPDX-License-Identifier: MIT */
#include "interval.h"

#define BELIEVED 4 /* Events that say the same. */

/* The interval that somebody has probably set: what checks are late by differs
 * from time to time. */
static mc_time round_length(mc_time length)
{
	static const unsigned seconds[] = { 1,   2,   5,   10,  15,  20,  30,   60,   90,
					    120, 180, 240, 300, 600, 900, 1200, 1800, 3600 };

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		mc_time known = seconds[i] * MC_SECOND;
		mc_time away = length > known ? length - known : known - length;

		if (away <= known / 10)
			return known;
	}
	return length;
}

void interval_learn(struct interval *interval, mc_time time)
{
	mc_time length = round_length(time - interval->last);

	if (interval->last == 0 || time <= interval->last) {
		if (time > interval->last)
			interval->last = time;
		return;
	}
	interval->last = time;
	if (interval->length == 0)
		interval->length = length;
	if (length == interval->length) {
		interval->repeats = 0;
		return;
	}
	interval->repeats = length == interval->other ? interval->repeats + 1 : 1;
	interval->other = length;
	if (interval->repeats < BELIEVED)
		return;
	interval->length = length;
	interval->repeats = 0;
}
