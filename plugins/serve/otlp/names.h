/* SPDX-License-Identifier: MIT */
/* Names that others have chosen, found by their hash, in the order in which
 * they were last used.  What has a name begins with a struct names_node; it is
 * the caller's, and so is the lock. */
#ifndef OTLP_NAMES_H
#define OTLP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names_node {
	const char *name; /* Need not end with '\0'; lives with the node. */
	size_t name_size;
	uint64_t hash;
	struct names_node *next;          /* In its bucket. */
	struct names_node *older, *newer; /* By when they were used. */
};

struct names {
	struct names_node **buckets;
	size_t buckets_len; /* A power of two, or 0. */
	size_t len;
	struct names_node *oldest, *newest;
	uint64_t seed;
};

void names_init(struct names *);
void names_done(struct names *); /* The nodes are not freed. */

/* NULL if there is none. */
struct names_node *names_find(const struct names *, const char *name,
			      size_t size);

/* Adds a node whose name is set and not in it yet, as the newest.  False: no
 * memory. */
bool names_add(struct names *, struct names_node *);
void names_remove(struct names *, struct names_node *); /* Must be in it. */

/* It is used: it becomes the newest. */
void names_use(struct names *, struct names_node *);

#endif
