/* SPDX-License-Identifier: MIT */
/* The aggregate of a group of series: its members with their last rates, and the series made of
 * those.  The caller locks. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "block.h"
#include "total.h"

struct group;

/* A series that belongs to groups. */
struct member {
	mc_time fresh; /* Until then its rates count. */
	struct membership {
		struct group *group;
		size_t index; /* Among the members of that group. */
	} * memberships;
	unsigned memberships_len;
	unsigned rates_len; /* As many as its type has sources. */
	double rates[];
};

/* A series that is made. */
struct output {
	struct mc_map_node node; /* In the map of all outputs. */
	const struct group *group;
	char *plugin_instance;
	struct total totals[]; /* One per source, with its value. */
};

struct group {
	struct mc_map_node node; /* In the map of all groups. */
	struct group *previous, *next;
	const struct mc_type *type;
	const struct mc_metadata *metadata; /* NULL: none. */
	struct block_name name;
	struct output *outputs[BLOCK_FUNCTIONS]; /* NULL: not made. */
	bool summed;                             /* Their rates' number and sum are enough. */
	struct group_member {
		struct member *member;
		unsigned membership; /* Of it: the index of this group. */
	} * members;
	size_t len, capacity;
};

/* Adds the member, as its next membership; removes it by its index. */
void group_add(struct group *, struct member *);
void group_remove(struct group *, size_t index);

/* Makes the values of 'now', of the rates that are fresh then; 'ready' gets the outputs that have
 * one, struct output *.  Returns how many members were left out. */
size_t group_add_up(struct group *, mc_time now, struct mc_buffer *ready);

/* Puts the value of an output into the batch.  Uses nothing but the output, and
 * what never changes of its group. */
void group_put(const struct output *, struct mc_batch *);
