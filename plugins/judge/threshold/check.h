/* SPDX-License-Identifier: MIT */
/* Compares a sample with all rules of its series: the worst source of the worst
 * rule counts.  Pure functions. */
#pragma once

#include <collector/writer.h>

#include "line.h"
#include "rule.h"

struct rules { /* Of a series, in the order of the file. */
	size_t len;
	bool has_lines, needs_times;
	struct rule *items[];
};

struct verdict {
	enum mc_state state; /* MC_STATE_UNKNOWN: nothing can be said. */
	const struct rule *rule;
	unsigned source;
	double value; /* What was compared with the bounds. */
	bool ahead;   /* It is the value of a forecast. */
	/* So many were unknown, in a row, up to this one; 0: not it. */
	uint32_t unknowns;
};

/* Of several that are equally bad the first.  'lines' has one for each source
 * of each rule that has_line, in their order, and takes the values; NULL if
 * there is none. */
struct verdict check_sample(const struct rules *, enum mc_state, const struct mc_sample *,
			    const struct mc_type *, struct line *lines);

/* How many lines a series of that type needs. */
size_t check_lines(const struct rules *, const struct mc_type *);
