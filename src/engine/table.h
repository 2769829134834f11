/* SPDX-License-Identifier: MIT */
/* Series by name: open addressing with linear probing.  The hash is beside the
 * pointer, so a probe touches one line of the table and the series it finds.
 * No thread of its own: the store's lock guards it. */
#ifndef COLLECTOR_ENGINE_TABLE_H
#define COLLECTOR_ENGINE_TABLE_H

#include "model/series.h"

struct table {
	struct table_entry {
		uint64_t hash;
		struct mc_series *series; /* NULL: free. */
	} * entries;
	size_t size; /* Entries, a power of two. */
	size_t len;  /* Series. */
};

void table_init(struct table *);
void table_done(struct table *); /* The series are not freed. */

uint64_t table_hash(const char *name, size_t size);
struct mc_series *table_find(const struct table *, uint64_t hash,
			     const char *name, size_t size);
void table_add(struct table *, struct mc_series *);    /* Must not be in it. */
void table_remove(struct table *, struct mc_series *); /* Must be in it. */

#endif
