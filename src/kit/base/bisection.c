/* SPDX-License-Identifier: MIT */
#include "kit/base/bisection.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#define LONGEST (10 * MC_SECOND)
#define SUSPECTS_LONGEST MC_SECOND

void mc_bisection_clear(struct mc_bisection *bisection)
{
	bisection->len = 0;
	mc_bisection_wait(bisection);
}

void mc_bisection_done(struct mc_bisection *bisection)
{
	free(bisection->ranges);
	*bisection = (struct mc_bisection){ .ranges = NULL };
}

void mc_bisection_push(struct mc_bisection *bisection, const struct mc_bisection_range *range)
{
	if (range->len == 0)
		return;
	MC_ARRAY_GROW(bisection->ranges, bisection->len, bisection->room);
	bisection->ranges[bisection->len++] = *range;
}

struct mc_bisection_range mc_bisection_pop(struct mc_bisection *bisection)
{
	return bisection->ranges[--bisection->len];
}

/* The refused one is in the next range; a lone one is sent all the same, to get the reason. */
void mc_bisection_taken(struct mc_bisection *bisection, const struct mc_bisection_range *range)
{
	struct mc_bisection_range *next = mc_bisection_next(bisection);

	if (range->first && next != NULL && next->second && next->len > 1)
		next->refused = true;
}

void mc_bisection_refused(struct mc_bisection *bisection, const struct mc_bisection_range *range,
			  int why)
{
	struct mc_bisection_range refused = *range;

	refused.refused = true;
	refused.first = refused.second = false;
	refused.why = why;
	mc_bisection_push(bisection, &refused);
}

static bool is_out_of_time(struct mc_bisection *bisection, bool suspect)
{
	mc_time *until = suspect ? &bisection->suspects_until : &bisection->until;

	if (*until == 0)
		*until = mc_now() + (suspect ? SUSPECTS_LONGEST : LONGEST);
	return mc_now() >= *until;
}

bool mc_bisection_halve(struct mc_bisection *bisection, const struct mc_bisection_range *range)
{
	size_t half = range->len / 2;
	struct mc_bisection_range first = {
		.from = range->from,
		.len = half,
		.doubtful = range->doubtful,
		.suspect = range->suspect,
		.first = true,
	};
	struct mc_bisection_range second = first;

	if (is_out_of_time(bisection, range->suspect))
		return false;
	second.from += half;
	second.len = range->len - half;
	second.first = false;
	second.second = true;
	mc_bisection_push(bisection, &second);
	mc_bisection_push(bisection, &first);
	return true;
}
