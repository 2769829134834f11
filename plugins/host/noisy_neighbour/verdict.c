/* SPDX-License-Identifier: MIT */
#include "verdict.h"

bool verdict_take(struct verdict *verdict, const struct verdict_rule *rule, double wait,
		  double named)
{
	double max = rule->max, least = rule->max / 2;
	bool is_bad;

	/* Half of what is too much must be others' fault; once it is bad, a quarter. */
	if (verdict->is_bad) {
		max -= rule->hysteresis;
		least /= 2;
	}
	is_bad = wait > max && named >= least && named >= VERDICT_NAMED_MIN;
	if (is_bad == verdict->is_bad) {
		verdict->hits = 0;
		return false;
	}
	if (++verdict->hits < rule->hits)
		return false;
	verdict->is_bad = is_bad;
	verdict->hits = 0;
	return true;
}
