/* SPDX-License-Identifier: MIT */
/* base/hash_set.h - a set of hashes, of at most MC_HASH_SET_MAX, for
 * what need only be recognized: a table with linear probing.
 *
 * The caller locks.  Inline functions. */
#pragma once

#include <collector/kit/alloc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define MC_HASH_SET_MAX 4096
#define MC_HASH_SET_SLOTS ((size_t)2 * MC_HASH_SET_MAX) /* A power of two. */

struct mc_hash_set {     /* All zero: empty. */
	uint64_t *slots; /* 0: free. */
	size_t len;
};

/* Empties it. */
static inline void mc_hash_set_done(struct mc_hash_set *set)
{
	free(set->slots);
	*set = (struct mc_hash_set){ 0 };
}

/* The slot of the hash, or the free one where it would be. */
static inline size_t mc_hash_set_slot(const struct mc_hash_set *set, uint64_t hash)
{
	size_t slot = (hash >> 1) % MC_HASH_SET_SLOTS;

	while (set->slots[slot] != 0 && set->slots[slot] != hash)
		slot = (slot + 1) % MC_HASH_SET_SLOTS;
	return slot;
}

/* Whether it is in the set now: false if it is not and the set is full.  The
 * lowest bit of a hash does not count. */
static inline bool mc_hash_set_add(struct mc_hash_set *set, uint64_t hash)
{
	size_t slot;

	if (set->slots == NULL)
		set->slots = mc_alloc_array(MC_HASH_SET_SLOTS, sizeof(*set->slots));
	slot = mc_hash_set_slot(set, hash | 1);
	if (set->slots[slot] != 0)
		return true;
	if (set->len == MC_HASH_SET_MAX)
		return false;
	set->slots[slot] = hash | 1;
	set->len++;
	return true;
}

/* Returns whether it was there. */
static inline bool mc_hash_set_remove(struct mc_hash_set *set, uint64_t hash)
{
	size_t slot;

	if (set->slots == NULL)
		return false;
	slot = mc_hash_set_slot(set, hash | 1);
	if (set->slots[slot] == 0)
		return false;
	set->slots[slot] = 0;
	set->len--;
	/* Those after it may now lie nearer to their own slot. */
	for (slot = (slot + 1) % MC_HASH_SET_SLOTS; set->slots[slot] != 0;
	     slot = (slot + 1) % MC_HASH_SET_SLOTS) {
		uint64_t moved = set->slots[slot];

		set->slots[slot] = 0;
		set->slots[mc_hash_set_slot(set, moved)] = moved;
	}
	return true;
}
