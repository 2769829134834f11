/* SPDX-License-Identifier: MIT */
/* Several values as one: the functions that Graphite calls aggFunc.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum aggregate {
	AGGREGATE_AVERAGE,
	AGGREGATE_AVERAGE_ZERO, /* Unknown values count as 0. */
	AGGREGATE_MEDIAN,
	AGGREGATE_SUM,
	AGGREGATE_MIN,
	AGGREGATE_MAX,
	AGGREGATE_DIFF, /* The first known value less all others. */
	AGGREGATE_STDDEV,
	AGGREGATE_COUNT,
	AGGREGATE_RANGE,
	AGGREGATE_MULTIPLY, /* Unknown if any value is. */
	AGGREGATE_LAST,
	AGGREGATE_FIRST, /* For points of a graph only. */
};

/* Looks the function up by its name, as Graphite has it ("avg", "rangeOf", "sumSeries"); false if
 * it does not exist. */
bool aggregate_find(const char *name, enum aggregate *);

/* The name with that number, for lists of choices; NULL after the last one. */
const char *aggregate_name(unsigned number);

/* NaN is an unknown value.  Sorts 'values' for a median. */
double aggregate_values(enum aggregate, double *values, size_t len);

/* A percentile above 0, as Graphite ranks it; NaN without a known value.  Sorts 'values'. */
double aggregate_percentile(double *values, size_t len, double percent, bool interpolate);

/* Whether a share 'factor' of 'len' values is known, and at least one. */
bool aggregate_is_known(size_t known, double len, double factor);
size_t aggregate_count(const double *values, size_t len);
