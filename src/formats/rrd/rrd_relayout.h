/* SPDX-License-Identifier: MIT */
/* Another layout for an RRD file that is there: the same sources, step and last values, and rows of
 * its new archives made of the rows that it has.
 *
 * Facts: rrd_format.h of RRDtool 1.7, and its rrd_update.c for what a row that is not complete
 * has.  Numbers are those of this machine, of 64 bits.  Pure; librrd is not needed, and its prefill
 * (rrdcreate(1), --source) loses maxima. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/rrd/rrd.h"

#define MC_RRD_RELAYOUT_WHY 128
#define MC_RRD_RELAYOUT_MOST (256U << 20) /* Bytes of a file. */

/* Bytes that the file would have; 0, and 'why': it cannot be one of that layout, or 'old' is not a
 * whole RRD file. */
size_t mc_rrd_relayout_size(const uint8_t *old, size_t size, const struct mc_rrd_rules *,
			    char why[static MC_RRD_RELAYOUT_WHY]);

/* Whether it has these archives already. */
bool mc_rrd_relayout_is_done(const uint8_t *old, size_t size, const struct mc_rrd_rules *);

/* Writes the file, of mc_rrd_relayout_size() bytes, which was not 0. */
void mc_rrd_relayout(const uint8_t *old, size_t size, const struct mc_rrd_rules *, uint8_t *out);
