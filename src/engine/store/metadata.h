/* SPDX-License-Identifier: MIT */
/* What is known of sources of series beyond their types, for mc_set_metadata()
 * and mc_get_metadata(): the one table of a store.  Any thread. */
#ifndef COLLECTOR_ENGINE_STORE_METADATA_H
#define COLLECTOR_ENGINE_STORE_METADATA_H

#include <collector/metadata.h>

struct metadata_table;

/* Of 2,000 nodes of Munin with 50 plugins of 5 fields; about 40 MiB. */
#define METADATA_SOURCES_MAX 500000
#define METADATA_BYTES_MAX (32 << 20) /* Of what is said, each thing once. */

struct metadata_table *metadata_new(void);
void metadata_free(struct metadata_table *);

enum metadata_outcome {
	METADATA_SAME,
	METADATA_CHANGED,
	METADATA_FULL, /* There are too many. */
};

/* Keeps a copy for a source that the type of the series has. */
enum metadata_outcome metadata_set(struct mc_series *, unsigned source,
				   const struct mc_metadata *);

/* A series with metadata is being freed. */
void metadata_leave(struct metadata_table *, const struct mc_series *);

#endif
