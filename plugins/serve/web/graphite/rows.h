/* SPDX-License-Identifier: MIT */
/* Curves value by value, and curves by what their names have in common.  Pure. */
#pragma once

#include "curve.h"

struct rows {
	const struct curve **curves; /* Of one step. */
	unsigned curves_len;
	struct curve_grid grid; /* Of all. */
	double *row;
};

/* Makes values of curves with shorter steps averages of the common multiple of all steps. */
void rows_init(struct rows *, struct curve *curves);
void rows_done(struct rows *);

/* The values of all curves with that number; the caller may change them. */
double *rows_at(const struct rows *, unsigned number);

/* A new curve of the rows; a value is known if the share of them is. */
struct curve *rows_aggregate(const struct rows *, enum aggregate, double known_share);

/* "a.*,b": what the curves came by, each once; the caller frees it. */
char *rows_expressions(const struct curve *curves);

/* The tags that all of them have; the caller frees it. */
char *rows_common_tags(const struct curve *curves);
