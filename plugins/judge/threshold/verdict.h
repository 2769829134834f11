/* SPDX-License-Identifier: MIT */
/* Compares a sample with all rules of its series: the worst source of the worst
 * rule counts.  Pure functions. */
#pragma once

#include <collector/writer.h>

#include "rule.h"
#include "trend.h"

struct rules { /* Of a series, in the order of the file. */
	size_t len;
	bool has_trends, needs_times, has_shares;
	struct rule *items[];
};

struct verdict {
	enum mc_state state; /* MC_STATE_UNKNOWN: no verdict. */
	const struct rule *rule;
	unsigned source;
	double value; /* The value compared with the bounds. */
	double now;   /* The same, but the present one where the value is expected. */
	bool ahead;   /* It is the value of a forecast. */
	/* Number of unknown values in a row, up to this one; 0: it is known. */
	uint32_t unknowns;
};

struct verdict_means { /* Means of comparing, besides the values. */
	/* One for each source of each rule that has_trend, in their order; they take the values.
	 * NULL without such a rule. */
	struct trend *trends;
	/* The 100 % of each rule that is_share, in their order; NaN: unknown. */
	const double *wholes;
};

/* The first of several that are equally bad. */
struct verdict verdict_of(const struct rules *, enum mc_state, const struct mc_sample *,
			  const struct mc_type *, const struct verdict_means *);

/* How many trends a series of that type needs. */
size_t verdict_trends(const struct rules *, const struct mc_type *);
