/* SPDX-License-Identifier: MIT */
/* What the matched lines of an interval come to: an average, a sum, a count, or
 * how they are distributed.  No locks, no clock. */
#ifndef TAIL_VALUE_H
#define TAIL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum value_rule { /* As words in the configuration, in this order. */
		  GAUGE_AVERAGE,
		  GAUGE_MIN,
		  GAUGE_MAX,
		  GAUGE_LAST,
		  GAUGE_PERSIST,
		  GAUGE_ADD,
		  GAUGE_INC,
		  COUNTER_SET,
		  COUNTER_ADD,
		  COUNTER_INC,
		  DERIVE_SET,
		  DERIVE_ADD,
		  DERIVE_INC,
		  ABSOLUTE_SET,
		  DISTRIBUTION,
};

struct value {
	enum value_rule rule;
	double level;   /* Of a gauge. */
	uint64_t len;   /* How many lines are in it. */
	uint64_t total; /* Of all others; a negative one is two's complement. */
	uint32_t *counts; /* Of a distribution; NULL before its first value. */
	double largest;
};

/* Whether lines are only counted, so that no number is needed. */
bool value_counts(enum value_rule rule);

bool value_is_gauge(enum value_rule rule);

/* Takes a line on which 'text' is the number; false: it is none. */
bool value_add(struct value *, const char *text);

/* The gauge of this interval; NaN: no line had a value. */
double value_level(const struct value *);

/* Of a distribution: what 'percent' of the values do not exceed, at most 1.6 %
 * more than the exact one; NaN: there is no value. */
double value_percentile(const struct value *, double percent);

/* Begins the next interval. */
void value_next(struct value *);

void value_done(struct value *);

#endif
