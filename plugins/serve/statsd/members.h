/* SPDX-License-Identifier: MIT */
/* The different members of a set that came in an interval.  Of each only a hash of 128 bits is
 * kept: two that are taken for one are less likely than a bit that memory flips.  Thread: one at a
 * time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/map.h>

struct members { /* All zero: none. */
	struct mc_map map;
};

/* Counts a member, if it is new; '*room' is of how many more there may be in all sets, and becomes
 * less by those that are kept.  False: there is no room. */
bool members_add(struct members *, const char *member, size_t size, size_t *room);

/* None any more; '*room' becomes more. */
void members_clear(struct members *, size_t *room);

static inline size_t members_len(const struct members *members)
{
	return members->map.len;
}
