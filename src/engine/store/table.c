/* SPDX-License-Identifier: MIT */
/* Series by name: open addressing with linear probing. */
#include "engine/store/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"

enum {
	SIZE_MIN = 64, /* Entries of a new table. */
	PIECE = 1024,  /* Homes that are copied at a time. */
	STEP = 64,     /* Homes of replaced rows, moved with each addition. */
};

static struct table_rows *rows_new(size_t size)
{
	struct table_rows *rows = alloc_zero(sizeof(*rows) + size * sizeof(struct table_entry));

	rows->size = size;
	return rows;
}

/* Needs no order: the caller has the lock under which they were set. */
static struct table_rows *rows_of(const struct table *table)
{
	return atomic_load_explicit(&table->rows, memory_order_relaxed);
}

static struct table_rows *replaced_by(const struct table_rows *rows)
{
	return atomic_load_explicit(&rows->replaced, memory_order_relaxed);
}

/* Those that a series of that hash is in, or belongs in. */
static struct table_rows *rows_with(const struct table *table, uint64_t hash)
{
	struct table_rows *rows = rows_of(table);
	struct table_rows *replaced = replaced_by(rows);

	return replaced != NULL && (hash & (replaced->size - 1)) >= table->moved ? replaced : rows;
}

static struct mc_series *at(const struct table_entry *entry)
{
	return atomic_load_explicit(&entry->series, memory_order_relaxed);
}

static void set(struct table_entry *entry, uint64_t hash, struct mc_series *series)
{
	entry->hash = hash;
	atomic_store_explicit(&entry->series, series, memory_order_release);
}

void table_init(struct table *table)
{
	*table = (struct table){ .rows = NULL };
	atomic_init(&table->rows, rows_new(SIZE_MIN));
}

void table_done(struct table *table)
{
	table_free(table_forget(table, UINT64_MAX));
	free(replaced_by(rows_of(table)));
	free(rows_of(table));
}

uint64_t table_hash(const char *name, size_t size)
{
	return XXH3_64bits(name, size);
}

uint32_t table_seek(const struct table *table, uint64_t hash, const char *name, size_t size)
{
	const struct table_rows *rows = rows_with(table, hash);
	size_t mask = rows->size - 1;
	const struct mc_series *series;

	for (size_t i = hash & mask; (series = at(&rows->entries[i])) != NULL; i = (i + 1) & mask)
		if (rows->entries[i].hash == hash && series->name_size == size &&
		    memcmp(series->name, name, size) == 0)
			return (uint32_t)(rows == rows_of(table) ? i : i + rows_of(table)->size);
	return TABLE_NOWHERE;
}

struct mc_series *table_find(const struct table *table, uint64_t hash, const char *name,
			     size_t size)
{
	return table_at(table, table_seek(table, hash, name, size));
}

static void insert(struct table_rows *rows, uint64_t hash, struct mc_series *series)
{
	size_t mask = rows->size - 1, i = hash & mask;

	while (at(&rows->entries[i]) != NULL)
		i = (i + 1) & mask;
	set(&rows->entries[i], hash, series);
}

/* Moves later entries of the run back over the hole, so that no mark of the
 * deleted is needed (Knuth, TAOCP 6.4, algorithm R). */
static void close_hole(struct table_rows *rows, size_t hole)
{
	struct table_entry *entries = rows->entries;
	size_t mask = rows->size - 1;

	for (size_t i = (hole + 1) & mask; at(&entries[i]) != NULL; i = (i + 1) & mask) {
		size_t home = entries[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* Its home is after the hole. */
		set(&entries[hole], entries[i].hash, at(&entries[i]));
		hole = i;
	}
	set(&entries[hole], 0, NULL);
}

/* They are in the run that begins at their home. */
static void move_home(struct table_rows *from, struct table_rows *to, size_t home)
{
	size_t mask = from->size - 1, i = home;
	struct mc_series *series;

	while ((series = at(&from->entries[i])) != NULL) {
		uint64_t hash = from->entries[i].hash;

		if ((hash & mask) == home) {
			insert(to, hash, series);
			close_hole(from, i);
		} else {
			i = (i + 1) & mask;
		}
	}
}

static void move_some(struct table *table, uint64_t now)
{
	struct table_rows *rows = rows_of(table);
	struct table_rows *replaced = replaced_by(rows);

	if (replaced == NULL)
		return;
	for (size_t i = 0; i < STEP; i++)
		move_home(replaced, rows, table->moved++);
	if (table->moved < replaced->size)
		return;
	atomic_store_explicit(&rows->replaced, NULL, memory_order_release);
	replaced->old_rows = now;
	replaced->next_old = table->old_rows;
	table->old_rows = replaced;
}

/* Those that are replaced are empty long before the next ones are full. */
static void grow(struct table *table)
{
	struct table_rows *old = rows_of(table), *rows = rows_new(2 * old->size);

	assert(replaced_by(old) == NULL);
	atomic_init(&rows->replaced, old);
	table->moved = 0;
	atomic_store_explicit(&table->rows, rows, memory_order_release);
}

void table_add(struct table *table, uint64_t hash, struct mc_series *series, uint64_t now)
{
	if (4 * (table->len + 1) > 3 * rows_of(table)->size)
		grow(table);
	move_some(table, now);
	insert(rows_with(table, hash), hash, series);
	table->len++;
	table->changes++;
}

void table_remove(struct table *table, uint64_t hash, struct mc_series *series)
{
	struct table_rows *rows = rows_with(table, hash);
	size_t mask = rows->size - 1, i = hash & mask;

	while (at(&rows->entries[i]) != series)
		i = (i + 1) & mask;
	close_hole(rows, i);
	table->len--;
	table->changes++;
}

static void add_to_copy(struct table_copy *copy, struct mc_series *series)
{
	if (copy->len == copy->room) {
		copy->room += copy->room / 2 + SIZE_MIN;
		copy->series = alloc_resize(copy->series, copy->room, sizeof(*copy->series));
	}
	copy->series[copy->len++] = series;
}

/* Those whose home is one of these places: they are there, or in the run that goes on after them,
 * which may go on at the begin of the array. */
static void copy_homes(const struct table_rows *rows, size_t first, size_t end,
		       struct table_copy *copy)
{
	size_t mask = rows->size - 1;
	struct mc_series *series = NULL;

	for (size_t i = first; i < end || series != NULL; i++) {
		size_t home = rows->entries[i & mask].hash & mask;

		series = at(&rows->entries[i & mask]);
		if (series != NULL && home >= first && home < end && i - home < rows->size)
			add_to_copy(copy, series);
	}
}

static void copy_piece(const struct table_rows *rows, struct table_copy *copy, size_t first)
{
	for (size_t part = 0; part < rows->size; part += copy->size)
		copy_homes(rows, part + first, part + copy->next, copy);
}

/* Removals and additions move other series, but not their homes, and after growth of the table the
 * homes are the same modulo its former size. */
bool table_copy_some(const struct table *table, struct table_copy *copy)
{
	const struct table_rows *rows = rows_of(table);
	const struct table_rows *replaced = replaced_by(rows);
	size_t first = copy->next;

	if (copy->size == 0) {
		copy->size = replaced != NULL ? replaced->size : rows->size;
		copy->room = table->len;
		copy->series = alloc_array(copy->room, sizeof(*copy->series));
	}
	copy->next += copy->size < PIECE ? copy->size : PIECE;
	copy_piece(rows, copy, first);
	if (replaced != NULL)
		copy_piece(replaced, copy, first);
	return copy->next < copy->size;
}

struct table_rows *table_forget(struct table *table, uint64_t known)
{
	struct table_rows **end = &table->old_rows, *rows;

	while (*end != NULL && (*end)->old_rows >= known)
		end = &(*end)->next_old; /* The newest come first. */
	rows = *end;
	*end = NULL;
	return rows;
}

void table_free(struct table_rows *rows)
{
	while (rows != NULL) {
		struct table_rows *next = rows->next_old;

		free(rows);
		rows = next;
	}
}
