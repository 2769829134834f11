/* SPDX-License-Identifier: MIT */
/* The result of the matches of an interval: an average, a sum, a count, or their distribution.  No
 * locks, no clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum match_rule { /* As words in the configuration, in this order. */
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

struct match_value {
	enum match_rule rule;
	double level;     /* Of a gauge. */
	uint64_t len;     /* How many matches are in it. */
	uint64_t total;   /* Of all others; a negative one is two's complement. */
	uint32_t *counts; /* Of a distribution; NULL before its first value. */
	double largest;
};

/* Whether matches are only counted, so that no number is needed. */
bool match_value_counts(enum match_rule rule);

bool match_value_is_gauge(enum match_rule rule);

/* Takes a match with the number 'text'; false if that is invalid. */
bool match_value_add(struct match_value *, const char *text);

/* The gauge of this interval; NaN: no match had a value. */
double match_value_level(const struct match_value *);

/* Of a distribution: what 'percent' of the values do not exceed, at most 1.6 %
 * more than the exact one; NaN: there is no value. */
double match_value_percentile(const struct match_value *, double percent);

/* Begins the next interval. */
void match_value_next(struct match_value *);

void match_value_done(struct match_value *);
