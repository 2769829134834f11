/* SPDX-License-Identifier: MIT */
/* Series by name: open addressing with linear probing.  The hash is beside the
 * pointer, so a probe touches one line of the table and the series it finds.
 *
 * A table that grows moves some series with each that is added (incremental
 * rehashing, as in Redis): of a million at once the store would stand still for
 * 30 ms.  Meanwhile the hash says in which of both rows a series is.
 *
 * The store's lock guards it, with one exception: table_at() may be called by any thread at any
 * time.  So rows that have become too small are kept until no thread can look at them any more. */
#pragma once

#include <collector/serve.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "model/series.h"

#define TABLE_NOWHERE UINT32_MAX /* No place. */

struct table_rows {
	struct table_rows *next_old;
	uint64_t old_rows; /* When they were; what 'now' of table_add() was. */
	size_t size;       /* Entries, a power of two. */
	/* Those that these replace, while they still have series. */
	_Atomic(struct table_rows *) replaced;
	struct table_entry {
		uint64_t hash;
		_Atomic(struct mc_series *) series; /* NULL: free. */
	} entries[];
};

struct table {
	_Atomic(struct table_rows *) rows;
	struct table_rows *old_rows;
	size_t moved;     /* Home places of replaced rows that have been moved. */
	size_t len;       /* Series. */
	uint64_t changes; /* How many were added and removed. */
};

void table_init(struct table *);
void table_done(struct table *); /* The series are not freed. */

uint64_t table_hash(const char *name, size_t size);
struct mc_series *table_find(const struct table *, uint64_t hash, const char *name, size_t size);

/* The place where it is, or TABLE_NOWHERE. */
uint32_t table_seek(const struct table *, uint64_t hash, const char *name, size_t size);

/* Adds a series that is not in it.  'now' is any count that never falls: of
 * rows that this outgrows. */
void table_add(struct table *, uint64_t hash, struct mc_series *, uint64_t now);
void table_remove(struct table *, uint64_t hash, struct mc_series *); /* Must be in it. */

/* Takes the rows replaced before 'known' out of it, to be freed. */
struct table_rows *table_forget(struct table *, uint64_t known);
void table_free(struct table_rows *);

/* Series that are copied piece by piece.  All zero: none yet. */
struct table_copy {
	struct mc_series **series; /* malloc'd. */
	size_t len, room;
	size_t size; /* Places of the table at the first call. */
	size_t next; /* Position among these to go on from. */
};

/* Copies those of some places; false: these were the last.  The table may
 * change between two calls: a series that is in it from the first to the last
 * is copied once, another one once or not at all. */
bool table_copy_some(const struct table *, struct table_copy *);

/* Places: those of replaced rows are after the others. */
static inline size_t table_size(const struct table *table)
{
	const struct table_rows *rows = atomic_load_explicit(&table->rows, memory_order_acquire);
	const struct table_rows *replaced =
		atomic_load_explicit(&rows->replaced, memory_order_acquire);

	return rows->size + (replaced != NULL ? replaced->size : 0);
}

/* The series at a place, or NULL: another one than was there before, if the
 * table has changed since, or none. */
static inline struct mc_series *table_at(const struct table *table, size_t place)
{
	const struct table_rows *rows = atomic_load_explicit(&table->rows, memory_order_acquire);

	if (place >= rows->size) {
		place -= rows->size;
		rows = atomic_load_explicit(&rows->replaced, memory_order_acquire);
		if (rows == NULL || place >= rows->size)
			return NULL;
	}
	return atomic_load_explicit(&rows->entries[place].series, memory_order_acquire);
}

static inline void table_prefetch(const struct table *table, size_t place)
{
	const struct table_rows *rows = atomic_load_explicit(&table->rows, memory_order_acquire);

	__builtin_prefetch(&rows->entries[place & (rows->size - 1)]);
}
