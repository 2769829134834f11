/* SPDX-License-Identifier: MIT */
/* Series as Graphite's functions make them of others.  Pure.
 *
 * All curves of a request have the same start, step and length. */
#pragma once

#include "expression.h"

struct curve {
	struct curve *next;
	char *name;
	char *expression; /* The pattern that it was asked for by. */
	char *metric;     /* The path whose components aliasByNode() takes. */
	unsigned len;
	double values[]; /* NaN: unknown. */
};

struct curve *curve_new(const char *name, const char *expression, const char *metric, unsigned len);
void curve_free(struct curve *); /* And those after it; NULL is fine. */

struct curve_source { /* Where the curves of a path come from. */
	struct curve *(*fetch)(void *argument, const char *path);
	void *argument;
	double step;  /* Seconds; fetch() may set it. */
	unsigned len; /* 0: not known yet. */
};

/* The curves of an expression; '*why' is set if something is wrong with it. */
struct curve *curve_evaluate(const struct expression *, struct curve_source *, const char **why);
