/* SPDX-License-Identifier: MIT */
/* Series as Graphite's functions make them of others.  Pure. */
#pragma once

#include <stdint.h>

#include "aggregate.h"

struct curve_grid {
	int64_t start, end, step; /* Seconds since 1970: value i is of start + i * step. */
	unsigned len;
};

struct curve {
	struct curve *next;
	char *name;
	char *expression; /* The pattern or call that it came by. */
	char *tags;       /* "NAME=VALUE" after "NAME=VALUE", each with '\0', then "". */
	struct curve_grid grid;
	enum aggregate consolidation; /* Of values that are one point of a graph. */
	double known_share;           /* The least, for the sum of an interval: xFilesFactor. */
	double *values;               /* NaN: unknown. */
};

/* Its values are unknown; 'expression' is its name, and it has no tags. */
struct curve *curve_new(const char *name, struct curve_grid grid);
void curve_free(struct curve *); /* And those after it; NULL is fine. */
struct curve *curve_copy(const struct curve *);
unsigned curve_count(const struct curve *);

/* The name is as printf(3) makes it; curve_become() changes the expression, too. */
__attribute__((format(printf, 2, 3))) void curve_rename(struct curve *, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void curve_become(struct curve *, const char *fmt, ...);

/* Takes over 'values', to be freed with free(). */
void curve_replace(struct curve *, double *values, struct curve_grid grid);

/* Makes one value of each 'len'.  Values before 'end' of its grid count. */
void curve_consolidate(struct curve *, unsigned len);

/* The value of a tag; NULL without one.  curve_set_tags() copies. */
const char *curve_tag(const struct curve *, const char *name, size_t size);
void curve_set_tags(struct curve *, const char *tags);
