/* SPDX-License-Identifier: MIT */
/* A target that is being evaluated: its limits, and the arguments of a function.  Pure, but for the
 * source of the series. */
#pragma once

#include "curve.h"
#include "expression.h"

#define EVALUATION_WHY 512
#define EVALUATION_CALLS 512                /* Of functions and paths, for one target. */
#define EVALUATION_POINTS (64 * 1024)       /* Of one curve. */
#define EVALUATION_VALUES (2 * 1000 * 1000) /* Made for all targets. */

struct evaluation {
	/* The curves of a path, or of a call of seriesByTag(), between 'from' and 'until'. */
	struct curve *(*fetch)(struct evaluation *, const struct expression *);
	/* False: no time is left, evaluation_fail() has the reason.  NULL: there always is. */
	bool (*goes_on)(struct evaluation *);
	void *argument;           /* Of these. */
	int64_t now, from, until; /* Seconds since 1970. */
	double known_share;       /* Of new curves: xFilesFactor. */

	char why[EVALUATION_WHY]; /* The first failure; "": none. */
	unsigned calls;
	struct curve *(*evaluate)(struct evaluation *, const struct expression *);
	size_t values;
	struct curve *stacks; /* Sums of stacked(), by their names. */
};

void evaluation_done(struct evaluation *);

/* Returns NULL, always; the first reason counts. */
__attribute__((format(printf, 2, 3))) void *evaluation_fail(struct evaluation *, const char *fmt,
							    ...);
bool evaluation_failed(const struct evaluation *);

/* Whether that many more points, for one curve, are within the limits, and there is time; else it
 * has failed. */
bool evaluation_admits(struct evaluation *, uint64_t points);

/* --- For functions -------------------------------------------------------- */

struct argument {                            /* One that was not given has its default. */
	const struct expression *expression; /* NULL: it was not given. */
	const char *text;                    /* Also of a number; NULL: neither. */
	double number;                       /* Also of a boolean; NaN: neither. */
	int64_t interval;                    /* In seconds; 0: not an interval. */
	struct curve *curves;
};

struct call {
	struct evaluation *evaluation;
	const struct expression *part;
	const char *name;           /* Of the function. */
	const char *detail;         /* Of its row in the table. */
	struct argument *arguments; /* By parameter; those of the last one go on. */
	unsigned len;               /* Of them, given or not. */
};

/* Takes the curves of an argument; or those of all arguments, in their order. */
struct curve *evaluation_take(struct call *, unsigned argument);
struct curve *evaluation_take_all(struct call *);

/* The curves of the first argument for another time. */
struct curve *evaluation_again(struct call *, int64_t from, int64_t until);
