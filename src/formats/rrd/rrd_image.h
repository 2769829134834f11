/* SPDX-License-Identifier: MIT */
/* The bytes of a new RRD file, as librrd's rrd_create() writes them, without librrd.
 *
 * Facts: rrd_format.h and rrd_create.c of RRDtool 1.7; tests/unit/test_rrdtool_image compares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/rrd/rrd.h"

#define MC_RRD_IMAGE_MOST (32U << 20) /* Bytes; larger files are for librrd. */

struct mc_rrd_image {
	size_t head; /* Bytes before the rows; */
	size_t size; /* and all. */
};

/* False: this is left to librrd, for its names, limits or size, or a machine of another kind. */
bool mc_rrd_image(const struct mc_rrd_layout *, struct mc_rrd_image *);

/* Writes the head of a file for updates after 'second', which is after 1980.  'seed' says at which
 * rows the archives begin, so that not all files go on to their next page at the same time. */
void mc_rrd_image_head(const struct mc_rrd_layout *, int64_t second, uint64_t seed, uint8_t *out);

/* Writes all rows, which are unknown. */
void mc_rrd_image_rows(const struct mc_rrd_image *, uint8_t *out);
