/* SPDX-License-Identifier: MIT */
/* All groups: which of them a series belongs to.  A group is there while it has
 * members.  The caller locks; no function calls the core. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "group.h"

struct groups { /* All zero, but for what start() sets. */
	struct block *blocks;
	size_t blocks_len;
	size_t limit; /* Of groups. */

	struct mc_map by_name, outputs;
	struct group *first, *last;
	struct group *ended; /* To be freed, a list by 'next'. */
	uint64_t members;    /* Of all groups. */
	bool done;           /* See groups_done(). */
	char *name_taken;    /* Of a series that would be made twice, or NULL; the
			      * caller takes it. */
};

/* A member for a series that some block takes, which belongs to its groups from now on.  NULL: no
 * block does; or, and '*refused' is then true, there are too many groups. */
struct member *groups_join(struct groups *, const struct mc_series *, bool *refused);

/* The member's series has ended; it is freed. */
void groups_leave(struct groups *, struct member *);

/* Frees groups that have ended; not while their outputs are in use. */
void groups_free_ended(struct groups *);

/* Ends all groups: members that are left only leave. */
void groups_done(struct groups *);
