/* SPDX-License-Identifier: MIT */
/* Names that others have chosen, found by their hash, in the order in which
 * they were last used.  What has a name begins with a struct names_node; it is
 * the caller's, and so is the lock. */
#ifndef OTLP_NAMES_H
#define OTLP_NAMES_H

#include <collector/kit/map.h>

struct names_node {
	struct mc_map_node node;
	struct names_node *older, *newer; /* By when they were used. */
};

struct names { /* All zero: none. */
	struct mc_map map;
	struct names_node *oldest, *newest;
};

void names_done(struct names *); /* The nodes are not freed. */

/* NULL if there is none. */
struct names_node *names_find(const struct names *, const void *name,
			      size_t size);

/* Adds a node as the newest.  Its name, which is in no other, need not end with
 * '\0', and lives as long as the node. */
void names_add(struct names *, struct names_node *, const void *name,
	       size_t size);
void names_remove(struct names *, struct names_node *); /* Must be in it. */

/* It is used: it becomes the newest. */
void names_use(struct names *, struct names_node *);

#endif
