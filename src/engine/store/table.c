/* SPDX-License-Identifier: MIT */
/* Series by name: open addressing with linear probing. */
#include "engine/store/table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"

#define SIZE_MIN 64 /* Entries of a new table. */

static struct table_rows *rows_new(size_t size)
{
	struct table_rows *rows =
		alloc_zero(sizeof(*rows) + size * sizeof(struct table_entry));

	rows->size = size;
	return rows;
}

/* Needs no order: who calls has the lock under which they were set. */
static struct table_rows *rows_of(const struct table *table)
{
	return atomic_load_explicit(&table->rows, memory_order_relaxed);
}

static struct mc_series *at(const struct table_entry *entry)
{
	return atomic_load_explicit(&entry->series, memory_order_relaxed);
}

static void set(struct table_entry *entry, uint64_t hash,
		struct mc_series *series)
{
	entry->hash = hash;
	atomic_store_explicit(&entry->series, series, memory_order_release);
}

void table_init(struct table *table)
{
	*table = (struct table){ 0 };
	atomic_init(&table->rows, rows_new(SIZE_MIN));
}

void table_done(struct table *table)
{
	table_forget(table, UINT64_MAX);
	free(rows_of(table));
}

uint64_t table_hash(const char *name, size_t size)
{
	return XXH3_64bits(name, size);
}

uint32_t table_seek(const struct table *table, uint64_t hash, const char *name,
		    size_t size)
{
	const struct table_rows *rows = rows_of(table);
	size_t mask = rows->size - 1;
	const struct mc_series *series;

	for (size_t i = hash & mask; (series = at(&rows->entries[i])) != NULL;
	     i = (i + 1) & mask)
		if (rows->entries[i].hash == hash &&
		    series->name_size == size &&
		    memcmp(series->name, name, size) == 0)
			return i;
	return TABLE_NOWHERE;
}

struct mc_series *table_find(const struct table *table, uint64_t hash,
			     const char *name, size_t size)
{
	return table_at(table, table_seek(table, hash, name, size));
}

static void insert(struct table_rows *rows, uint64_t hash,
		   struct mc_series *series)
{
	size_t mask = rows->size - 1, i = hash & mask;

	while (at(&rows->entries[i]) != NULL)
		i = (i + 1) & mask;
	set(&rows->entries[i], hash, series);
}

static void grow(struct table *table, uint64_t now)
{
	struct table_rows *old = rows_of(table),
			  *rows = rows_new(2 * old->size);

	for (size_t i = 0; i < old->size; i++)
		if (at(&old->entries[i]) != NULL)
			insert(rows, old->entries[i].hash,
			       at(&old->entries[i]));
	atomic_store_explicit(&table->rows, rows, memory_order_release);
	old->old_rows = now;
	old->next_old = table->old_rows;
	table->old_rows = old;
}

void table_add(struct table *table, uint64_t hash, struct mc_series *series,
	       uint64_t now)
{
	if (4 * (table->len + 1) > 3 * rows_of(table)->size)
		grow(table, now);
	insert(rows_of(table), hash, series);
	table->len++;
}

/* Moves later entries of the run back over the hole, so that no mark of the
 * deleted is needed (Knuth, TAOCP 6.4, algorithm R). */
void table_remove(struct table *table, uint64_t hash, struct mc_series *series)
{
	struct table_rows *rows = rows_of(table);
	struct table_entry *entries = rows->entries;
	size_t mask = rows->size - 1, hole = hash & mask, i;

	while (at(&entries[hole]) != series)
		hole = (hole + 1) & mask;
	for (i = (hole + 1) & mask; at(&entries[i]) != NULL;
	     i = (i + 1) & mask) {
		size_t home = entries[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* Its home is behind the hole. */
		set(&entries[hole], entries[i].hash, at(&entries[i]));
		hole = i;
	}
	set(&entries[hole], 0, NULL);
	table->len--;
}

void table_forget(struct table *table, uint64_t known)
{
	struct table_rows **end = &table->old_rows, *rows;

	while (*end != NULL && (*end)->old_rows >= known)
		end = &(*end)->next_old; /* The newest come first. */
	rows = *end;
	*end = NULL;
	while (rows != NULL) {
		struct table_rows *next = rows->next_old;

		free(rows);
		rows = next;
	}
}
