/* SPDX-License-Identifier: MIT */
/* Whether a guest suffers from its neighbours: with hysteresis, as thresholds have. */
#pragma once

#include <stdbool.h>

#define VERDICT_NAMED_MIN 0.01 /* A smaller share is not worth a name. */

struct verdict_rule {      /* Parts: 0.05 is 5 %. */
	double max;        /* More is bad, ... */
	double hysteresis; /* ... and as much less than that is good again. */
	double named;      /* Part that must be the fault of others; half of it, once bad. */
	unsigned hits;     /* Reads in a row that it takes to change. */
};

struct verdict { /* All zero: all is well. */
	bool is_bad;
	unsigned hits; /* Reads in a row that say otherwise. */
};

/* Takes a read: how bad it is, and for how much somebody can be named.  Whether the verdict has
 * changed.  A guest is not bad if nobody can be named. */
bool verdict_take(struct verdict *verdict, const struct verdict_rule *rule, double part,
		  double named);
