/* SPDX-License-Identifier: MIT */
/* A curve, drawn with characters: braille, of which each is two dots wide and four high, or ASCII.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot {
	const double *values; /* NaN: a gap. */
	size_t len;
	const char *unit;     /* That of the type. */
	double start, step;   /* Seconds since 1970 of the first value, and from one to the next. */
	unsigned width, rows; /* Columns that fit, and rows with the curve. */
	bool braille;
};

#define PLOT_WIDTH_MIN 40
#define PLOT_LABEL_WIDTH 12 /* Columns beside the curve, at most. */

/* Draws it, if any value is known, with a scale beside it and the time below it.  The scale is in
 * the unit of amount.h. */
void plot_print(const struct plot *, FILE *);

/* Whether the environment says that characters are UTF-8. */
bool plot_has_braille(void);
