/* SPDX-License-Identifier: MIT */
/* The order in which points are shown: by the name and shape of their metric, then by their labels.
 * Pure functions, of points that are finished. */
#pragma once

#include "point.h"

enum point_shape {
	POINT_SIMPLE,
	POINT_HISTOGRAM,
	POINT_DELTA, /* A histogram of what was added since the one before. */
	POINT_SUMMARY,
};

enum point_shape point_order_shape(const struct point *);

/* For qsort(), of pointers to points. */
int point_order_compare(const void *, const void *);

/* How a point follows the one before it in that order. */
enum point_relation point_order_relation(const struct point *before, const struct point *);
