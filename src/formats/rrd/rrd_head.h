/* SPDX-License-Identifier: MIT */
/* The head of an RRD file, as far as it says of which times its values are; without librrd.
 *
 * Facts: rrd_format.h of RRDtool 1.7.  Numbers are those of the machine that has made the file, of
 * 64 bits: that of another kind is not understood.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MC_RRD_HEAD_SIZE 16384 /* Bytes that suffice for a hundred sources and archives. */

struct mc_rrd_head {
	int64_t step; /* Seconds. */
	int64_t last; /* Time of the last update, in seconds since 1970. */
	int64_t sources_len;
	char kind; /* Of the first source: 'g', 'd', 'c', 'a'; 0: of another kind. */
};

/* Reads the head at the begin of a file; false: it is not one, or goes on after 'size'. */
bool mc_rrd_head(const uint8_t *data, size_t size, struct mc_rrd_head *);
