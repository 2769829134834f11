/* SPDX-License-Identifier: MIT */
#include "raws.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>

uint64_t raws_key(const char *host, const char *name, const char *generation, unsigned source)
{
	uint64_t hash = mc_hash_text(mc_hash_text(mc_hash_start(), host), name);

	hash = mc_hash_bytes(mc_hash_text(hash, generation), &source, sizeof(source));
	return hash != 0 ? hash : 1;
}

/* The order of stores matters: a key without its value is never there. */
static void set_key(struct raws_slot *slot, uint64_t key)
{
	__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool raws_has_room(const struct raws *raws)
{
	return raws->used < raws->capacity;
}

uint64_t *raws_add(struct raws *raws, uint64_t key, uint64_t value)
{
	struct raws_slot *slot;

	if (raws->free != 0) {
		slot = &raws->slots[raws->free - 1];
		raws->free = slot->value;
	} else {
		slot = &raws->slots[raws->end++];
	}
	raws->used++;
	slot->value = value;
	set_key(slot, key);
	return &slot->value;
}

void raws_remove(struct raws *raws, uint64_t *place)
{
	struct raws_slot *slot;

	if (place == NULL)
		return;
	slot = (struct raws_slot *)((char *)place - offsetof(struct raws_slot, value));
	set_key(slot, 0);
	slot->value = raws->free;
	raws->free = (uint64_t)(slot - raws->slots) + 1;
	raws->used--;
}

static int compare(const void *a, const void *b)
{
	const struct raws_slot *first = a, *second = b;

	return (first->key > second->key) - (first->key < second->key);
}

struct raws_left raws_leave(const struct raws_slot *slots, size_t len)
{
	struct raws_left left = { .slots = mc_alloc_array(len + 1, sizeof(*slots)) };

	for (size_t i = 0; i < len; i++)
		if (slots[i].key != 0)
			left.slots[left.len++] = slots[i];
	qsort(left.slots, left.len, sizeof(*slots), compare);
	return left;
}

bool raws_find(const struct raws_left *left, uint64_t key, uint64_t *value)
{
	struct raws_slot wanted = { .key = key };
	const struct raws_slot *found =
		left->len > 0 ? bsearch(&wanted, left->slots, left->len, sizeof(wanted), compare)
			      : NULL;

	if (found == NULL)
		return false;
	*value = found->value;
	return true;
}

void raws_left_free(struct raws_left *left)
{
	free(left->slots);
	*left = (struct raws_left){ 0 };
}
