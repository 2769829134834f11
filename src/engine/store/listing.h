/* SPDX-License-Identifier: MIT */
/* All series, in the order in which they lie in memory, for callers that look at many.  To make
 * such a list of a million series costs as much as to look at them, so it is kept for the next
 * caller, such as a search of a few letters more: until a series begins or ends, or it is not used
 * for a while. */
#pragma once

#include <collector/plugin.h>

struct store;

#define LISTING_KEPT (60 * MC_SECOND) /* After its last use. */

struct listing; /* In store_internal.h. */

/* A batch that was begun before keeps the series alive.  Thread: any. */
struct listing *listing_take(struct store *);
void listing_leave(struct store *, struct listing *);

/* Drops the one that is kept, if it has not been used since then (clock_now()). */
void listing_drop(struct store *, mc_time since);
