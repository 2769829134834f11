/* SPDX-License-Identifier: MIT */
/* The notices that wait for a writer, in a lane of their own: a writer takes
 * them before its batches, and while a batch has to be offered again.  When
 * they are too many bytes, the oldest go.  The writer's lock guards it. */
#ifndef COLLECTOR_ENGINE_LANE_H
#define COLLECTOR_ENGINE_LANE_H

#include <stdbool.h>

#include <collector/plugin.h>

#define LANE_SIZE_MIN ((size_t)64 << 10) /* No lane has a lower limit. */

struct lane_item {
	struct lane_item *next;
	struct mc_notice *notice; /* Owned. */
	size_t size;              /* Of both, in bytes. */
};

struct lane {
	struct lane_list {
		struct lane_item *first, *last;
		uint64_t len;
	} waiting, taken; /* Taken: of the notify() that runs. */
	size_t size, limit;
	mc_time due; /* Nothing is taken before. */
};

void lane_init(struct lane *, size_t limit);
void lane_done(struct lane *);

/* What is beyond a new limit goes when the next notice comes. */
void lane_set_limit(struct lane *, size_t limit);

/* A copy of a notice, to be pushed, and what frees it otherwise. */
struct lane_item *lane_item_new(const struct mc_notice *);
void lane_item_free(struct lane_item *);

/* Adds an item, which is the lane's from now on.  Returns how many of the
 * oldest had to go for it. */
uint64_t lane_push(struct lane *, struct lane_item *);

/* When something can be taken; CLOCK_NEVER: nothing waits. */
mc_time lane_due(const struct lane *);

/* Takes the oldest that waits; NULL: there is none.  It lives until
 * lane_settle(). */
const struct mc_notice *lane_take(struct lane *);

/* What was taken is done with, or waits again where it was.  Returns how many
 * that are. */
uint64_t lane_settle(struct lane *, bool again);

/* Puts all that wait behind those of another lane; returns how many had to go
 * for that. */
uint64_t lane_move(struct lane *from, struct lane *to);

/* Drops all that wait; returns how many. */
uint64_t lane_drop(struct lane *);

#endif
