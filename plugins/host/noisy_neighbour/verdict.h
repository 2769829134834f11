/* SPDX-License-Identifier: MIT */
/* Whether a guest suffers from its neighbours: with hysteresis, as thresholds have. */
#pragma once

#include <stdbool.h>

#define VERDICT_NAMED_MIN 0.01 /* A smaller share is not worth a name. */

struct verdict_rule {      /* Parts of the interval: 0.05 is 5 %. */
	double max;        /* A longer wait is bad, ... */
	double hysteresis; /* ... and one as much shorter than that is good again. */
	unsigned hits;     /* Reads in a row that it takes to change. */
};

struct verdict { /* All zero: all is well. */
	bool is_bad;
	unsigned hits; /* Reads in a row that say otherwise. */
};

/* Takes a read: how long it waits, and for how much of that somebody can be named.  Whether the
 * verdict has changed.  A wait for which nobody can be named is not bad. */
bool verdict_take(struct verdict *verdict, const struct verdict_rule *rule, double wait,
		  double named);
