/* SPDX-License-Identifier: MIT */
/* Statistics of the events of a timer in an interval.
 *
 * Percentiles are those of collectd's plugins: a histogram of 1,000 bins of equal width, 1/1024 s
 * at first and a power of 2 always, which is doubled until the longest event fits; within a bin
 * they are interpolated.  Thread: one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct timer {
	double count;         /* Of events; one in ten that are sent counts as ten. */
	double sum, min, max; /* Seconds. */
	double *bins;         /* NULL: nobody asks for percentiles. */
	double width;         /* Of a bin, in seconds. */
};

/* All zero before; 'percentiles' says whether there will be any. */
void timer_init(struct timer *, bool percentiles);
void timer_done(struct timer *);

/* An event of that many seconds, 0 or more, that stands for 'weight' of them. */
void timer_add(struct timer *, double seconds, double weight);

/* In seconds, the time that this percentage do not exceed; NaN without events. */
double timer_percentile(const struct timer *, double percent);

/* The next interval begins: no events. */
void timer_reset(struct timer *);
