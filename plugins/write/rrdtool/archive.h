/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One RRD file on disk; the only part that calls librrd.  All functions block
 * on the disk.  They may be called from several threads, not for one file. */
#pragma once

#include <stdint.h>

#include "formats/rrd/rrd.h"
#include "kit/series/rrd_maker.h"

#define ARCHIVE_REASON_SIZE 512

struct archive {
	int folder;       /* A descriptor of DataDir, */
	const char *path; /* and the path below it: <collector/private/beneath.h>. */
	const struct mc_rrd_layout *layout;
};

/* All return 0 or a negative number, and then 'reason' (of
 * ARCHIVE_REASON_SIZE bytes) has the cause in words:
 *   -ENOENT  there is no such file
 *   -EINVAL  it is not an RRD file for this layout: trying again is no use
 *   -errno   of the system: it may work later */

/* Whether the file exists and has the data sources of the layout.  '*last' is
 * the second of its last update. */
int archive_look(const struct archive *, int64_t *last, char *reason);

struct archive_facts {
	int64_t heartbeat; /* The least of its data sources, in seconds; 0: unknown. */
	uint64_t rows;     /* Of all its archives; 0: unknown. */
};

struct archive_facts archive_facts(const struct archive *);

/* Makes the file, and the directories it is in, for updates after the second
 * 'last'.  It appears whole or not at all. */
int archive_create(const struct archive *, struct mc_rrd_maker *, int64_t last, char *reason);

/* Writes 'records_len' records: the second, then the values.  Those that are
 * not newer than the file count as written. */
int archive_update(const struct archive *, const uint64_t *records, size_t records_len,
		   char *reason);
