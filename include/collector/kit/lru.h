/* SPDX-License-Identifier: MIT */
/* collector/kit/lru.h - a map that knows which of its nodes was not used for longest, in libkit:
 * for facts about others, in the end forgotten.
 *
 * An entry begins with a struct mc_lru_node; it is the caller's, and so is the lock.
 */
#pragma once

#include <collector/kit/map.h>

struct mc_lru_node {
	struct mc_map_node node;
	struct mc_lru_node *older, *newer; /* By when they were used. */
};

struct mc_lru { /* All zero: none. */
	struct mc_map map;
	struct mc_lru_node *oldest, *newest;
};

void mc_lru_done(struct mc_lru *); /* The nodes are not freed. */

/* NULL if it is empty. */
struct mc_lru_node *mc_lru_find(const struct mc_lru *, const void *key, size_t key_size);

/* Adds a node as the newest.  Its key, which is in no other, lives as long as the node. */
void mc_lru_add(struct mc_lru *, struct mc_lru_node *, const void *key, size_t key_size);
void mc_lru_remove(struct mc_lru *, struct mc_lru_node *); /* Must be in it. */

/* It is used: it becomes the newest. */
void mc_lru_use(struct mc_lru *, struct mc_lru_node *);
