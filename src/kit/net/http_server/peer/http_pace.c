/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/peer/http_pace.h"

#define AT_ONCE_MAX 16 /* Pieces, as their cost is a guess. */
#define WEIGHT 8       /* Of the average so far, in pieces. */

void http_pace_init(struct http_pace *pace, double share, mc_time now)
{
	*pace = (struct http_pace){ .share = share, .budget = HTTP_PACE_SAVED, .since = now };
}

static void refill(struct http_pace *pace, mc_time now)
{
	double more = (double)(now - pace->since) * pace->share;

	pace->since = now;
	if (more >= (double)(HTTP_PACE_SAVED - pace->budget))
		pace->budget = HTTP_PACE_SAVED;
	else
		pace->budget += (mc_time)more;
}

unsigned http_pace_allows(struct http_pace *pace, mc_time now)
{
	mc_time pieces;

	refill(pace, now);
	if (pace->budget <= 0)
		return 0;
	pieces = pace->budget / (pace->average > 0 ? pace->average : HTTP_PACE_SAVED);
	if (pieces > AT_ONCE_MAX)
		return AT_ONCE_MAX;
	return pieces > 0 ? (unsigned)pieces : 1;
}

mc_time http_pace_next(const struct http_pace *pace, mc_time now)
{
	mc_time due = pace->since;

	if (pace->budget <= 0)
		due += (mc_time)((double)(1 - pace->budget) / pace->share) + 1;
	return due > now ? due : now;
}

void http_pace_spend(struct http_pace *pace, mc_time cost)
{
	pace->budget -= cost;
	pace->average += (cost - pace->average) / WEIGHT;
}
