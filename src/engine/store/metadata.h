/* SPDX-License-Identifier: MIT */
/* What is known of sources of series beyond their types, for mc_set_metadata()
 * and mc_get_metadata(): the one table of a store.  Any thread. */
#ifndef COLLECTOR_ENGINE_STORE_METADATA_H
#define COLLECTOR_ENGINE_STORE_METADATA_H

#include <collector/metadata.h>

struct metadata_table;

#define METADATA_SOURCES_MAX 65536 /* About 16 MiB. */

struct metadata_table *metadata_new(void);
void metadata_free(struct metadata_table *);

/* A series with metadata is being freed. */
void metadata_leave(struct metadata_table *, const struct mc_series *);

#endif
