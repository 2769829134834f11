/* SPDX-License-Identifier: MIT */
/* The types that samples can have, by name: an array of rows in the order of adding, and beside it
 * an open-addressed index with linear probing, at most half full, whose slots hold part of the hash
 * so that a miss touches no row. */
#define XXH_INLINE_ALL
#include "model/type.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/arena.h"

#define SLOTS_MIN 1024 /* Enough for the types that we ship. */

struct slot {
	uint32_t hash;   /* High half of the name's hash. */
	uint32_t number; /* Number of the item, from 1; 0: the slot is free. */
};

struct item {
	const struct mc_type *type;
	size_t name_size;
	struct type_origin origin;
};

struct type_set {
	struct arena arena; /* Memory of rows, their strings and file names. */
	struct item *items;
	size_t items_len, items_room;
	struct slot *slots;
	size_t slots_len; /* A power of two. */
	const char *file; /* The last file name that was copied. */
	bool sealed;
};

struct type_set *type_set_new(void)
{
	struct type_set *set = alloc_zero(sizeof(*set));

	arena_init(&set->arena, 4096);
	set->slots_len = SLOTS_MIN;
	set->slots = alloc_array(set->slots_len, sizeof(*set->slots));
	return set;
}

void type_set_free(struct type_set *set)
{
	if (set == NULL)
		return;
	arena_done(&set->arena);
	free(set->items);
	free(set->slots);
	free(set);
}

/* The slot of that name, or the free one where it would go. */
static struct slot *probe(const struct type_set *set, const char *name, size_t name_size,
			  uint64_t hash)
{
	size_t mask = set->slots_len - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct slot *slot = &set->slots[i];

		if (slot->number == 0)
			return slot;
		if (slot->hash != hash >> 32)
			continue;

		const struct item *item = &set->items[slot->number - 1];

		if (item->name_size == name_size && memcmp(item->type->name, name, name_size) == 0)
			return slot;
	}
}

static void grow(struct type_set *set)
{
	free(set->slots);
	set->slots_len *= 2;
	set->slots = alloc_array(set->slots_len, sizeof(*set->slots));
	for (size_t i = 0; i < set->items_len; i++) {
		const struct item *item = &set->items[i];
		uint64_t hash = XXH3_64bits(item->type->name, item->name_size);
		struct slot *slot = probe(set, item->type->name, item->name_size, hash);

		*slot = (struct slot){ .hash = hash >> 32, .number = i + 1 };
	}
}

static const char *copy(struct type_set *set, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return "";
	if (strcmp(text, "value") == 0) /* Most sources are called so. */
		return "value";
	return arena_copy(&set->arena, text, strlen(text));
}

static const struct mc_type *copy_row(struct type_set *set, const struct mc_type *type)
{
	size_t sources_size = type->sources_len * sizeof(*type->sources);
	struct mc_type *row = arena_take(&set->arena, sizeof(*row) + sources_size);

	row->name = copy(set, type->name);
	row->unit = copy(set, type->unit);
	row->help = copy(set, type->help);
	row->sources_len = type->sources_len;
	memcpy(row->sources, type->sources, sources_size);
	for (unsigned i = 0; i < row->sources_len; i++)
		row->sources[i].name = copy(set, type->sources[i].name);
	return row;
}

static struct item *item_of(struct type_set *set, const struct mc_type *type)
{
	size_t name_size = strlen(type->name);
	uint64_t hash = XXH3_64bits(type->name, name_size);
	struct slot *slot = probe(set, type->name, name_size, hash);

	if (slot->number != 0)
		return &set->items[slot->number - 1];
	if (set->items_len == set->items_room) {
		set->items_room += 256;
		set->items = alloc_resize(set->items, set->items_room, sizeof(*set->items));
	}

	struct item *item = &set->items[set->items_len++];

	*item = (struct item){ .name_size = name_size };
	*slot = (struct slot){ .hash = hash >> 32, .number = set->items_len };
	return item;
}

void type_set_add(struct type_set *set, const struct mc_type *type, struct place place)
{
	assert(type->sources_len >= 1 && type->sources_len <= MC_SOURCES_MAX);

	struct item *item = item_of(set, type);

	if (place.file != NULL && (set->file == NULL || strcmp(set->file, place.file) != 0))
		set->file = arena_copy(&set->arena, place.file, strlen(place.file));
	if (place.file != NULL)
		place.file = set->file;
	item->type = copy_row(set, type);
	item->origin.place = place;
	item->origin.foreign = set->sealed;
	if (set->items_len * 2 > set->slots_len)
		grow(set);
}

void type_set_seal(struct type_set *set)
{
	for (size_t i = 0; i < set->items_len; i++) {
		set->items[i].origin.own = true;
		set->items[i].origin.foreign = false;
	}
	set->sealed = true;
}

static const struct item *find(const struct type_set *set, const char *name, size_t name_size)
{
	uint64_t hash = XXH3_64bits(name, name_size);
	const struct slot *slot = probe(set, name, name_size, hash);

	return slot->number == 0 ? NULL : &set->items[slot->number - 1];
}

const struct mc_type *type_set_find(const struct type_set *set, const char *name, size_t name_size)
{
	const struct item *item = find(set, name, name_size);

	return item == NULL ? NULL : item->type;
}

struct type_origin type_set_origin(const struct type_set *set, const struct mc_type *type)
{
	const struct item *item = find(set, type->name, strlen(type->name));

	assert(item != NULL);
	return item->origin;
}

size_t type_set_len(const struct type_set *set)
{
	return set->items_len;
}

void type_set_each(const struct type_set *set,
		   void (*visit)(void *argument, const struct mc_type *), void *argument)
{
	for (size_t i = 0; i < set->items_len; i++)
		visit(argument, set->items[i].type);
}

const char *type_kind_name(enum mc_kind kind)
{
	switch (kind) {
	case MC_COUNTER:
		return "COUNTER";
	case MC_GAUGE:
		return "GAUGE";
	case MC_DERIVE:
		return "DERIVE";
	case MC_ABSOLUTE:
		return "ABSOLUTE";
	}
	return "?";
}

bool type_same_sources(const struct mc_type *a, const struct mc_type *b)
{
	if (a->sources_len != b->sources_len)
		return false;
	for (unsigned i = 0; i < a->sources_len; i++) {
		if (a->sources[i].kind != b->sources[i].kind ||
		    strcmp(a->sources[i].name, b->sources[i].name) != 0)
			return false;
	}
	return true;
}
