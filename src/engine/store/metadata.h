/* SPDX-License-Identifier: MIT */
/* Metadata of sources of series beyond their types, for mc_set_metadata() and mc_get_metadata():
 * the one table of a store.  Any thread.
 *
 * The table has two rooms (quota/room.h).  All metadata go to that of texts; where these find no
 * room, the limits for judges do in a room of their own, without a text.
 */
#pragma once

#include <collector/metadata.h>

#include "engine/store/quota/room.h"

struct metadata_table;

struct metadata_table *metadata_new(void);
void metadata_free(struct metadata_table *);

#define METADATA_CHANGED 1u
#define METADATA_REFUSED 2u /* No room, for the texts at least: counted. */

/* Keeps a copy for a source that the type of the series has, charged to the
 * quota; NULL: to none.  Returns some of the above. */
unsigned metadata_set(struct mc_series *, unsigned source, const struct mc_metadata *,
		      struct mc_quota *);

/* Has those who keep what they made of the metadata of a series look at it again. */
void metadata_count_change(struct mc_series *);

/* A series with metadata is being freed. */
void metadata_leave(struct metadata_table *, const struct mc_series *);

/* How many sources the quota may describe now, and with how many bytes. */
struct metadata_limit metadata_limit(struct metadata_table *, const struct mc_quota *);
