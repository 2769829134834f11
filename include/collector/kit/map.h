/* SPDX-License-Identifier: MIT */
/* collector/kit/map.h - a hash map from bytes to structs, in libkit.
 *
 * An entry begins with a struct mc_map_node, and belongs to the caller, as does its key:
 *
 *   struct host {
 *           struct mc_map_node node;
 *           char name[64];
 *   };
 *   struct mc_map hosts = { 0 };
 *   struct host *host = (struct host *)mc_map_find(&hosts, name, size);
 *
 * Nodes that have the same place are chained.  There are as many places as nodes, up to twice as
 * many, so that each function takes the same time however many there are; but mc_map_add() moves
 * all when the places are doubled.  Each map has a secret seed of the hash, XXH3: keys often come
 * from others, which could make all fall into one chain.
 *
 * No function locks: the caller does, where several threads use a map.  Finding
 * and mc_map_next() change nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mc_map_node {
	struct mc_map_node *next; /* In its chain. */
	uint64_t hash;
	const void *key; /* Set by the caller; unchanged while it is in a map.
			  */
	size_t key_size;
};

struct mc_map { /* All zero: empty. */
	struct mc_map_node **chains;
	size_t chains_len; /* A power of two, or 0. */
	size_t len;        /* Of nodes. */
	uint64_t seed;
};

/* The node of that key, or NULL. */
struct mc_map_node *mc_map_find(const struct mc_map *, const void *key, size_t key_size);

/* Adds a node whose key is in no node of the map yet. */
void mc_map_add(struct mc_map *, struct mc_map_node *);

/* Takes out a node, which is in the map; it is not freed. */
void mc_map_remove(struct mc_map *, struct mc_map_node *);

/* The node after 'node', or the first after NULL; NULL at the end.  In any order; valid as long as
 * no node is added.  A caller that removes nodes on the way asks for the next one before. */
struct mc_map_node *mc_map_next(const struct mc_map *, const struct mc_map_node *node);

/* Frees what the map itself has, not the nodes; it is empty then. */
void mc_map_done(struct mc_map *);

/* --- The longest unused ------------------------------------------------------- */

/* A map that knows which of its nodes was not used for longest: for facts about others, in the end
 * forgotten.  An entry begins with a struct mc_lru_node. */

struct mc_lru_node {
	struct mc_map_node node;
	struct mc_lru_node *older, *newer; /* By when they were used. */
};

struct mc_lru { /* All zero: none. */
	struct mc_map map;
	struct mc_lru_node *oldest, *newest;
};

void mc_lru_done(struct mc_lru *); /* The nodes are not freed. */
void mc_lru_free(struct mc_lru *); /* The nodes are, with free(). */

/* NULL if it is empty. */
struct mc_lru_node *mc_lru_find(const struct mc_lru *, const void *key, size_t key_size);

/* Adds a node as the newest.  Its key, which is in no other, lives as long as the node. */
void mc_lru_add(struct mc_lru *, struct mc_lru_node *, const void *key, size_t key_size);
void mc_lru_remove(struct mc_lru *, struct mc_lru_node *); /* Must be in it. */

/* Removes and frees the oldest nodes, with free(), until fewer than 'len_max' are left. */
void mc_lru_make_room(struct mc_lru *, size_t len_max);

/* It is used: it becomes the newest. */
void mc_lru_use(struct mc_lru *, struct mc_lru_node *);
