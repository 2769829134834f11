/* SPDX-License-Identifier: MIT */
/* Mounts of NFS: their figures, and those of the read before.  One thread. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "mountstats.h"

#define MOUNTS_MAX 10000
#define MOUNTS_INSTANCE_SIZE (3 * MOUNTSTATS_POINT_SIZE)

struct mounts_operation {
	struct mountstats_operation now;
	uint64_t before[MOUNTSTATS_COUNTS];
	bool has_before;
};

struct mount {
	struct mc_map_node by_point, by_name;
	struct mount *next; /* In the order in which they came. */
	char *point, *name; /* The plugin instance. */
	bool is_seen;       /* By this read. */
	bool has_bytes, has_transport, has_before;
	uint64_t bytes[MOUNTSTATS_BYTES];
	struct mountstats_transport transport, before;
	struct mounts_operation *operations;
	size_t operations_len;
};

struct mounts { /* All zero: none. */
	struct mc_map by_point, by_name;
	struct mount *first, **end; /* Where the next one goes; NULL: to first. */
	uint64_t refused;           /* Beyond MOUNTS_MAX. */
};

/* Takes the figures of a mount.  Of two at the same point the last one counts, which hides the
 * other. */
void mounts_take(struct mounts *, const struct mountstats *);

/* Puts the figures of all that was taken since the last time, and forgets the other mounts if
 * 'is_whole': all were read. */
void mounts_put(struct mounts *, struct mc_batch *, bool is_whole);

void mounts_done(struct mounts *);
