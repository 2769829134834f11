/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>

/* Weight of the last read. */
#define NEWEST 0.2

/* Part of the budget below which more is asked again: it costs more then. */
#define ROOM 0.7

#define PERCENT_MIN 0.001
#define PERCENT_MAX 1000

bool budget_parse(struct mc_strings words, double *share)
{
	char text[64], number[64];
	double percent;
	size_t size;

	if (words.len < 1 || words.len > 2)
		return false;
	snprintf(text, sizeof(text), "%s%s", words.items[0], words.len > 1 ? words.items[1] : "");
	size = strcspn(text, " %");
	snprintf(number, sizeof(number), "%.*s", (int)size, text);
	size += strspn(text + size, " ");
	if (text[size] == '%')
		size++;
	if (text[size] != '\0' || !mc_number_double(number, &percent) ||
	    !(percent >= PERCENT_MIN && percent <= PERCENT_MAX))
		return false;
	*share = percent / 100;
	return true;
}

static void step(struct budget *budget, bool back)
{
	/* If the last step back was too much at once, the next one is later. */
	if (!back && budget->back && budget->reads < budget->patience &&
	    budget->patience < BUDGET_READS_DOWN_MAX)
		budget->patience *= 2;
	budget->level = back ? budget->level - 1 : budget->level + 1;
	budget->back = back;
	budget->reads = 0;
}

enum budget_event budget_take(struct budget *budget, const struct budget_cost *cost,
			      mc_time interval)
{
	double used = (double)(cost->collector + cost->daemon + cost->guests) / (double)interval;

	if (budget->patience == 0) { /* In the first read all guests are new. */
		budget->patience = BUDGET_READS_DOWN;
		return BUDGET_NOTHING;
	}
	budget->used += NEWEST * (used - budget->used);
	budget->reads++;
	if (budget->share == 0)
		return BUDGET_NOTHING;
	if (budget->used > budget->share && budget->reads >= BUDGET_READS_UP) {
		if (budget->level == BUDGET_LEVEL_MAX)
			return BUDGET_EXHAUSTED;
		step(budget, false);
		return budget->level == 1 ? BUDGET_BEGINS : BUDGET_NOTHING;
	}
	if (budget->used < budget->share * ROOM && budget->level > 0 &&
	    budget->reads >= budget->patience) {
		step(budget, true);
		return budget->level == 0 ? BUDGET_ENDS : BUDGET_NOTHING;
	}
	return BUDGET_NOTHING;
}

struct budget_plan budget_plan(const struct budget *budget)
{
	static const struct budget_plan plans[BUDGET_LEVEL_MAX + 1] = {
		{ 30, 1, 1 },  { 60, 2, 1 },   { 120, 4, 2 },
		{ 240, 8, 4 }, { 480, 15, 8 }, { 960, 30, 16 },
	};

	return plans[budget->level];
}
