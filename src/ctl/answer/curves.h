/* SPDX-License-Identifier: MIT */
/* Answers to HISTORY, put together: the points of each source of a series. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

struct answer;

#define CURVES_POINTS_MAX 1000000 /* Of a source. */

struct curve {
	char *name, *unit, *label;
	double *averages, *maxima, *minima; /* NaN: unknown. */
};

struct curves { /* All zero: empty. */
	char *name, *type, *provider;
	bool missing;       /* The series has no values any more. */
	double last;        /* Time of its last value, in seconds since 1970. */
	double start, step; /* In seconds; point i is of start + i * step and the step after. */
	bool minima;        /* The answers have them. */
	double coarsest;    /* Step of the coarsest values; 0: all are unknown. */
	size_t len;         /* Points of each source. */
	unsigned sources_len;
	struct curve sources[MC_SOURCES_MAX];
};

/* Takes in an answer, which is changed; one after the first continues it.  0; -EPROTO: it is no
 * such answer; -E2BIG: there are too many points. */
int curves_add(struct curves *, struct answer *);
void curves_done(struct curves *);

/* Of the known points of a curve: the smallest minimum, or average where it is unknown, the
 * average, the largest maximum, and the last average; NaN if none is known. */
struct curves_summary {
	double minimum, average, maximum, last;
};
struct curves_summary curves_summary(const struct curves *, const struct curve *);

/* Points from the first to the last that is known; 0 to 0 without one. */
struct curves_range {
	size_t begin, end;
};
struct curves_range curves_known(const struct curves *);
