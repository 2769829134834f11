/* SPDX-License-Identifier: MIT */
/* A share of a thread's time for one kind of work, whatever a piece of it costs: what it costs is
 * known after it is done.  Times are the caller's, of one clock. */
#pragma once

#include <collector/plugin.h>

#define HTTP_PACE_SAVED (10 * MC_MILLISECOND) /* The most that is saved while there is no work. */

struct http_pace {
	double share;    /* Part of the time that passes, above 0. */
	mc_time budget;  /* May be negative: that is to be waited for. */
	mc_time since;   /* When the budget was that. */
	mc_time average; /* Cost of the pieces of late. */
};

void http_pace_init(struct http_pace *, double share, mc_time now);

/* How many pieces may begin now: 0, or as many as the budget has, but at least one. */
unsigned http_pace_allows(struct http_pace *, mc_time now);

/* When the next may; 'now' if one may at once. */
mc_time http_pace_next(const struct http_pace *, mc_time now);

/* A piece has cost that. */
void http_pace_spend(struct http_pace *, mc_time cost);
