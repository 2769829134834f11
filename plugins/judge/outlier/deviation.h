/* SPDX-License-Identifier: MIT */
/* How far a series is from its own slow mean, beside its peers.  Pure functions.
 *
 *   ratio    = value / mean of the series          times its mean; 1: as always
 *   median   = median(ratios of all peers)         that of all at the moment
 *   MAD      = median(|ratio - median|)            how far apart they usually are
 *   spread   = slow mean of |ratio - median|       how restless the series itself is
 *
 * A series is out if |ratio - median| > MADs x max(MAD, spread), and its ratio is at least Factor
 * times, or one Factor-th of, the median.  Median and MAD instead of mean and standard deviation,
 * as neither a few outliers nor their size move them: B. Iglewicz, D. Hoaglin, "How to Detect and
 * Handle Outliers", 1993; P. Rousseeuw, C. Croux, "Alternatives to the Median Absolute Deviation",
 * JASA 88 (1993).  MADs are as they are, without the factor 1.4826 that makes them standard
 * deviations of normal values: 5 of them are 3.4 of those. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger values are no measurements, and would overflow in means. */
#define DEVIATION_VALUE_MAX 1e30

/* Ratio of a value where the mean is 0. */
#define DEVIATION_RATIO_MAX 1e6F

struct deviation_rule {
	double mads;       /* MADs beyond which a ratio is out. */
	double factor;     /* Times the median, at least; above 1. */
	bool above, below; /* Which side matters. */
	double weight;     /* Of a value in a mean that is whole: interval / Mean. */
};

struct deviation_own {   /* Of a series; all zero: it is new. */
	double mean;     /* In the unit of its values. */
	double spread;   /* In ratios. */
	uint32_t values; /* In the mean. */
};

struct deviation_peers { /* Of a round; ratios. */
	float median, mad;
	uint32_t len; /* Peers that had a value. */
};

enum deviation_side { DEVIATION_BELOW = -1, DEVIATION_NONE = 0, DEVIATION_ABOVE = 1 };

/* The value in times of the mean; NaN: there is no mean, or one below 0. */
float deviation_ratio(const struct deviation_own *, double value);

/* Takes a value of a series that has no peers yet. */
void deviation_learn(struct deviation_own *, double value);

/* Takes a value and its ratio.  A value beyond the limits counts as the limit: so a jump moves the
 * mean by little; a move of all peers moves all means. */
void deviation_follow(struct deviation_own *, const struct deviation_rule *,
		      const struct deviation_peers *, double value, float ratio);

/* Computes median and MAD of 'len' ratios, at least 1, none of which is NaN; they are permuted
 * and overwritten. */
struct deviation_peers deviation_peers_of(float *ratios, size_t len);

/* The value of that rank, from 0 on; they are permuted. */
float deviation_rank(float *values, size_t len, size_t rank);

/* On which side of its peers a ratio is out, with 'part' of all distances: 1; less for one that is
 * out already, and has to come nearer to be in again. */
enum deviation_side deviation_side(const struct deviation_own *, const struct deviation_rule *,
				   const struct deviation_peers *, float ratio, double part);

/* The ratios between which a series of that spread is in; where a side does not matter its limit
 * is one that no ratio is beyond. */
struct deviation_limits {
	double low, high;
};
struct deviation_limits deviation_limits(const struct deviation_rule *,
					 const struct deviation_peers *, double spread,
					 double part);
