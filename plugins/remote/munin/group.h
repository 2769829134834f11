/* SPDX-License-Identifier: MIT */
/* The nodes of a group that may run plugins: the others wait in a queue.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct group_member { /* All zero: it neither waits nor runs plugins. */
	struct group_member *next, *previous;
	bool waits, runs;
};

struct group {
	const char *name;
	unsigned concurrent, running;
	struct group_member *first, *last; /* The waiting nodes. */
};

/* False: it waits from now on.  NULL: there is no limit. */
bool group_enter(struct group *, struct group_member *);

/* It neither runs plugins nor waits any more.  Returns who may run plugins from
 * now on instead, or NULL. */
struct group_member *group_leave(struct group *, struct group_member *);

/* The group of that name in 'groups', or of the part of it before a ';'; NULL without one. */
struct group *group_find(struct group *groups, size_t len, const char *name);
