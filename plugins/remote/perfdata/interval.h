/* SPDX-License-Identifier: MIT */
/* How often a service is checked, learned from the times of its events.  Pure functions. */
#pragma once

#include <collector/plugin.h>

struct interval {         /* All zero: nothing is known. */
	mc_time last;     /* Time of the newest event. */
	mc_time length;   /* 0: not known yet. */
	mc_time other;    /* The interval of the last events instead, ... */
	unsigned repeats; /* ... and how many of them. */
};

/* Takes the time of an event.  The first two decide; another interval is believed when several
 * events in a row have it: a check that fails is often made sooner again. */
void interval_learn(struct interval *, mc_time time);
