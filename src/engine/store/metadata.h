/* SPDX-License-Identifier: MIT */
/* Metadata of sources of series beyond their types, for mc_set_metadata() and mc_get_metadata():
 * the one table of a store.  Any thread.
 *
 * The table has two rooms.  All metadata go to that of texts; where these find no room, the limits
 * for judges do in a room of their own, without a text.  Of each room an eighth is for what is
 * charged to no quota: this host's own.  A quota may have a fraction of what all others leave of
 * the rest.  So however many fill their shares, there is room for one more (dynamic thresholds, as
 * of the shared buffers of a switch: Choudhury and Hahne, 1998). */
#pragma once

#include <stdatomic.h>

#include <collector/metadata.h>

struct mc_quota;
struct metadata_table;

enum metadata_room { METADATA_TEXTS, METADATA_LIMITS, METADATA_ROOMS };

/* Enough for 2,000 nodes of Munin with 50 plugins of 5 fields; about 50 MiB.  The bytes count each
 * text once. */
#define METADATA_SOURCES_MAX 600000
#define METADATA_BYTES_MAX (40 << 20)
#define METADATA_LIMITS_SOURCES_MAX 300000
#define METADATA_LIMITS_BYTES_MAX (32 << 20)
#define METADATA_RESERVE 8      /* The eighth. */
#define METADATA_CLIENT_SHARE 8 /* An eighth of what is left. */
#define METADATA_SOURCE_SHARE 2 /* Sources that an administrator has configured: half. */

struct metadata_use { /* Of a room, by a quota. */
	_Atomic size_t sources, bytes;
};

struct metadata_table *metadata_new(void);
void metadata_free(struct metadata_table *);

#define METADATA_CHANGED 1u
#define METADATA_REFUSED 2u /* No room, for the texts at least: counted. */

/* Keeps a copy for a source that the type of the series has, charged to the
 * quota; NULL: to none.  Returns some of the above. */
unsigned metadata_set(struct mc_series *, unsigned source, const struct mc_metadata *,
		      struct mc_quota *);

/* A series with metadata is being freed. */
void metadata_leave(struct metadata_table *, const struct mc_series *);

/* How many sources the quota may describe now, and with how many bytes. */
struct metadata_limit {
	size_t sources, bytes;
};
struct metadata_limit metadata_limit(struct metadata_table *, const struct mc_quota *);
