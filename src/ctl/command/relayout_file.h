/* SPDX-License-Identifier: MIT */
/* One RRD file gets another layout, or stays as it is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/rrd/rrd.h"

#define RELAYOUT_WHY 256

struct relayout_file {
	bool dry; /* Only to be looked at. */
	/* Results: */
	uint64_t before, after; /* Bytes on the disk. */
	bool done;              /* It had the layout before. */
};

/* Writes the new file beside, has the disk store it, and puts it in the place of the old one, which
 * is there until then.  'folder' is that of the file.  0 or a negative errno, and 'why'. */
int relayout_file(int folder, const char *name, const struct mc_rrd_rules *, struct relayout_file *,
		  char why[static RELAYOUT_WHY]);
