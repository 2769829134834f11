/* SPDX-License-Identifier: MIT */
#include "deviation.h"

#include <math.h>

/* The most that a restless series adds to its spread while it has no peers; in ratios. */
#define LEARNED_SPREAD_MAX 1.0

float deviation_ratio(const struct deviation_own *own, double value)
{
	double ratio;

	if (own->values == 0 || own->mean < 0)
		return NAN;
	if (own->mean == 0) /* NOLINT: exactly */
		return value == 0 ? 1 : value > 0 ? DEVIATION_RATIO_MAX : NAN;
	ratio = value / own->mean;
	return ratio < (double)DEVIATION_RATIO_MAX ? (float)ratio : DEVIATION_RATIO_MAX;
}

void deviation_learn(struct deviation_own *own, double value)
{
	double distance;

	own->values++;
	own->mean += (value - own->mean) / own->values;
	distance = own->mean > 0 ? fabs(value / own->mean - 1) : 0;
	own->spread += (fmin(distance, LEARNED_SPREAD_MAX) - own->spread) / own->values;
}

static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

struct deviation_limits deviation_limits(const struct deviation_rule *rule,
					 const struct deviation_peers *peers, double spread,
					 double part)
{
	double median = (double)peers->median;
	double reach = part * rule->mads * larger((double)peers->mad, spread);
	double factor = 1 + part * (rule->factor - 1);
	struct deviation_limits limits = { -HUGE_VAL, HUGE_VAL };

	if (rule->above)
		limits.high = larger(median + reach, median * factor);
	if (rule->below)
		limits.low = fmin(median - reach, median / factor);
	return limits;
}

enum deviation_side deviation_side(const struct deviation_own *own,
				   const struct deviation_rule *rule,
				   const struct deviation_peers *peers, float ratio, double part)
{
	const struct deviation_limits limits = deviation_limits(rule, peers, own->spread, part);

	if ((double)ratio > limits.high)
		return DEVIATION_ABOVE;
	return (double)ratio < limits.low ? DEVIATION_BELOW : DEVIATION_NONE;
}

void deviation_follow(struct deviation_own *own, const struct deviation_rule *rule,
		      const struct deviation_peers *peers, double value, float ratio)
{
	double median = (double)peers->median, taken = (double)ratio;
	double reach = larger(rule->mads * larger((double)peers->mad, own->spread),
			      median * (rule->factor - 1));
	double weight = rule->weight;

	if (own->values < UINT32_MAX)
		own->values++;
	if (weight * own->values < 1) /* It is the mean of all until it is whole. */
		weight = 1.0 / own->values;
	if (own->mean == 0) { /* NOLINT: exactly */
		own->mean = weight * value;
		return;
	}
	if (taken > median + reach)
		taken = median + reach;
	if (taken < median - reach)
		taken = median - reach;
	if (taken < 0)
		taken = 0;
	own->mean += weight * own->mean * (taken - 1);
	own->spread += weight * (fabs(taken - median) - own->spread);
}

/* --- Median and MAD ---------------------------------------------------------- */

/* Moves what is less than the pivot, or with 'equal' not greater, to the front, and returns how
 * many these are.  It has no branches, which would be guessed wrong for half of the values. */
static size_t partition(float *items, size_t len, float pivot, bool equal)
{
	size_t front = 0;

	for (size_t i = 0; i < len; i++) {
		float item = items[i];

		items[i] = items[front];
		items[front] = item;
		front += equal ? item <= pivot : item < pivot;
	}
	return front;
}

static float middle_of(float a, float b, float c)
{
	return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

/* Hoare's selection with the median of three, in linear time for all but contrived orders. */
float deviation_rank(float *items, size_t len, size_t rank)
{
	for (;;) {
		float pivot = middle_of(items[0], items[len / 2], items[len - 1]);
		size_t less = partition(items, len, pivot, false);

		if (rank < less) {
			len = less;
			continue;
		}
		items += less;
		len -= less;
		rank -= less;
		less = partition(items, len, pivot, true);
		if (rank < less)
			return pivot;
		items += less;
		len -= less;
		rank -= less;
	}
}

struct deviation_peers deviation_peers_of(float *ratios, size_t len)
{
	struct deviation_peers peers = { .len = (uint32_t)len };

	peers.median = deviation_rank(ratios, len, len / 2);
	for (size_t i = 0; i < len; i++)
		ratios[i] = fabsf(ratios[i] - peers.median);
	peers.mad = deviation_rank(ratios, len, len / 2);
	return peers;
}
