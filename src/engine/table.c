/* SPDX-License-Identifier: MIT */
/* Series by name: open addressing with linear probing. */
#include "engine/table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"

#define SIZE_MIN 64 /* Entries of a new table. */

void table_init(struct table *table)
{
	*table = (struct table){
		.entries = alloc_array(SIZE_MIN, sizeof(*table->entries)),
		.size = SIZE_MIN,
	};
}

void table_done(struct table *table)
{
	free(table->entries);
}

uint64_t table_hash(const char *name, size_t size)
{
	return XXH3_64bits(name, size);
}

struct mc_series *table_find(const struct table *table, uint64_t hash,
			     const char *name, size_t size)
{
	size_t mask = table->size - 1;

	for (size_t i = hash & mask; table->entries[i].series != NULL;
	     i = (i + 1) & mask) {
		struct mc_series *series = table->entries[i].series;

		if (table->entries[i].hash == hash &&
		    series->name_size == size &&
		    memcmp(series->name, name, size) == 0)
			return series;
	}
	return NULL;
}

static void insert(struct table *table, uint64_t hash, struct mc_series *series)
{
	size_t mask = table->size - 1, i = hash & mask;

	while (table->entries[i].series != NULL)
		i = (i + 1) & mask;
	table->entries[i] = (struct table_entry){ hash, series };
}

static void grow(struct table *table)
{
	struct table old = *table;

	table->size *= 2;
	table->entries = alloc_array(table->size, sizeof(*table->entries));
	for (size_t i = 0; i < old.size; i++)
		if (old.entries[i].series != NULL)
			insert(table, old.entries[i].hash,
			       old.entries[i].series);
	free(old.entries);
}

void table_add(struct table *table, struct mc_series *series)
{
	if (4 * (table->len + 1) > 3 * table->size)
		grow(table);
	insert(table, series->hash, series);
	table->len++;
}

/* Moves later entries of the run back over the hole, so that no mark of the
 * deleted is needed (Knuth, TAOCP 6.4, algorithm R). */
void table_remove(struct table *table, struct mc_series *series)
{
	size_t mask = table->size - 1, hole = series->hash & mask, i;

	while (table->entries[hole].series != series)
		hole = (hole + 1) & mask;
	for (i = (hole + 1) & mask; table->entries[i].series != NULL;
	     i = (i + 1) & mask) {
		size_t home = table->entries[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* Its home is behind the hole. */
		table->entries[hole] = table->entries[i];
		hole = i;
	}
	table->entries[hole].series = NULL;
	table->len--;
}
