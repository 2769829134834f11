/* SPDX-License-Identifier: MIT */
/* Makes RRD files without librrd: each from its first byte on, or, where files can share blocks
 * (XFS, Btrfs), as a clone of one that has no name, so that only its head is written. */
#pragma once

#include "formats/rrd/rrd_image.h"

#define MC_RRD_MAKER_PATTERNS 16

struct mc_rrd_maker {   /* All zero: it has made nothing. */
	uint8_t *bytes; /* Of a file; */
	size_t room;
	const struct mc_rrd_layout *layout; /* of that layout. */
	bool writes_whole;                  /* Blocks cannot be shared. */
	struct {
		const struct mc_rrd_layout *layout;
		int fd;
	} patterns[MC_RRD_MAKER_PATTERNS];
	size_t next; /* Pattern to give way. */
	uint64_t seed;
};

/* Makes the file of that name in the directory, for updates after 'second'; it appears whole or not
 * at all.  Layouts must stay.  0, -EEXIST, or another negative errno: then librrd may know how, or
 * say why not. */
int mc_rrd_make(struct mc_rrd_maker *, const struct mc_rrd_layout *, int64_t second, int directory,
		const char *name);

void mc_rrd_maker_done(struct mc_rrd_maker *);
