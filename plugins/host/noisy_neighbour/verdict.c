/* SPDX-License-Identifier: MIT */
#include "verdict.h"

bool verdict_take(struct verdict *verdict, const struct verdict_rule *rule, double part,
		  double named)
{
	double max = rule->max, least = rule->named;
	bool is_bad;

	if (verdict->is_bad) {
		max -= rule->hysteresis;
		least /= 2;
	}
	is_bad = part > max && named >= least && named >= VERDICT_NAMED_MIN;
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
