/* SPDX-License-Identifier: MIT */
/* A distribution counts its values in BINS classes: 64 for each power of two
 * from 2^-30 to 2^34, where collectd's range ends. */
#include "kit/base/match/match_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#define PER_POWER 64
#define POWER_MIN (-30)
#define POWER_MAX 34
#define BINS ((POWER_MAX - POWER_MIN) * PER_POWER)

bool match_value_counts(enum match_rule rule)
{
	return rule == GAUGE_INC || rule == COUNTER_INC || rule == DERIVE_INC;
}

bool match_value_is_gauge(enum match_rule rule)
{
	return rule <= GAUGE_INC || rule == DISTRIBUTION;
}

/* The number must be whole: of "12" in "12.5" or in "12,500" nothing is taken.
 * A unit may follow. */
static bool ends_number(const char *rest)
{
	return *rest != '.' && *rest != ',' && !(*rest >= '0' && *rest <= '9');
}

static bool take_level(const char *text, double *level)
{
	text += strspn(text, " \t");
	return mc_number_take_double(&text, level) && ends_number(text);
}

static bool take_total(const char *text, bool has_sign, uint64_t *total)
{
	uint64_t number;
	bool negative;

	text += strspn(text, " \t");
	if (!mc_number_take_integer(&text, &negative, &number) || !ends_number(text) ||
	    (negative && !has_sign) || (has_sign && number > (uint64_t)INT64_MAX))
		return false;
	*total = negative ? 0 - number : number;
	return true;
}

/* --- Distributions -------------------------------------------------------- */

static unsigned bin_of(double level)
{
	int power;
	double fraction = frexp(level, &power); /* From 0.5 to 1. */

	if (power <= POWER_MIN)
		return 0;
	return (unsigned)(power - 1 - POWER_MIN) * PER_POWER +
	       (unsigned)((fraction - 0.5) * 2 * PER_POWER);
}

static double end_of(unsigned bin)
{
	double fraction = (double)(bin % PER_POWER + 1) / PER_POWER;

	return ldexp(1 + fraction, (int)(bin / PER_POWER) + POWER_MIN);
}

static bool add_to_distribution(struct match_value *value, double level)
{
	if (!(level > 0) || level >= ldexp(1, POWER_MAX))
		return false;
	if (value->counts == NULL)
		value->counts = mc_alloc_array(BINS, sizeof(*value->counts));
	value->counts[bin_of(level)]++;
	value->largest = value->len > 0 ? fmax(value->largest, level) : level;
	value->level = level;
	value->len++;
	return true;
}

double match_value_percentile(const struct match_value *value, double percent)
{
	double rank = ceil((double)value->len * percent / 100);
	uint64_t sum = 0;

	if (value->len == 0)
		return NAN;
	for (unsigned bin = 0; bin < BINS; bin++) {
		sum += value->counts[bin];
		if (sum > 0 && (double)sum >= rank)
			return fmin(end_of(bin), value->largest);
	}
	return value->largest;
}

/* --- All of them ---------------------------------------------------------- */

static void add_level(struct match_value *value, double level)
{
	bool first = value->len == 0;

	if (first || value->rule == GAUGE_LAST || value->rule == GAUGE_PERSIST)
		value->level = level;
	else if (value->rule == GAUGE_MIN)
		value->level = fmin(value->level, level);
	else if (value->rule == GAUGE_MAX)
		value->level = fmax(value->level, level);
	else
		value->level += level;
	value->len++;
}

bool match_value_add(struct match_value *value, const char *text)
{
	bool has_sign = value->rule == DERIVE_SET || value->rule == DERIVE_ADD;
	uint64_t total = 1;
	double level = 1;

	if (match_value_is_gauge(value->rule)) {
		if (value->rule != GAUGE_INC && !take_level(text, &level))
			return false;
		if (value->rule == DISTRIBUTION)
			return add_to_distribution(value, level);
		add_level(value, level);
		return true;
	}
	if (!match_value_counts(value->rule) && !take_total(text, has_sign, &total))
		return false;
	if (value->rule == COUNTER_SET || value->rule == DERIVE_SET || value->rule == ABSOLUTE_SET)
		value->total = total;
	else
		value->total += total;
	value->len++;
	return true;
}

double match_value_level(const struct match_value *value)
{
	if (value->rule == GAUGE_INC)
		return (double)value->len;
	if (value->len == 0)
		return NAN;
	if (value->rule == GAUGE_AVERAGE)
		return value->level / (double)value->len;
	return value->level;
}

void match_value_next(struct match_value *value)
{
	if (value->rule != GAUGE_PERSIST)
		value->len = 0;
	if (value->counts != NULL)
		memset(value->counts, 0, BINS * sizeof(*value->counts));
}

void match_value_done(struct match_value *value)
{
	free(value->counts);
	*value = (struct match_value){ .rule = value->rule };
}
