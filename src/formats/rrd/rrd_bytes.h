/* SPDX-License-Identifier: MIT */
/* Where the parts of an RRD file are, of a machine with numbers of 64 bits, and how they are read
 * and written.
 *
 * Facts: rrd_format.h of RRDtool 1.7. */
#pragma once

#include <stdint.h>
#include <string.h>

enum { /* Bytes of the parts, in their order. */
       MC_RRD_FIXED = 128,
       MC_RRD_SOURCE = 120,
       MC_RRD_ARCHIVE = 120,
       MC_RRD_LIVE = 16,
       MC_RRD_PDP = 112,
       MC_RRD_CDP = 80,
       MC_RRD_POINTER = 8,
};

#define MC_RRD_LEN_MAX 1024 /* Of sources, and of archives. */

/* In the order of bytes of this machine. */
#define MC_RRD_COOKIE 8.642135E130

static inline uint64_t mc_rrd_number_at(const uint8_t *data)
{
	uint64_t number;

	memcpy(&number, data, sizeof(number));
	return number;
}

static inline double mc_rrd_double_at(const uint8_t *data)
{
	double number;

	memcpy(&number, data, sizeof(number));
	return number;
}

static inline void mc_rrd_put_number(uint8_t *data, uint64_t number)
{
	memcpy(data, &number, sizeof(number));
}

static inline void mc_rrd_put_double(uint8_t *data, double number)
{
	memcpy(data, &number, sizeof(number));
}

/* Of the parts before the rows. */
static inline size_t mc_rrd_head_size(size_t sources_len, size_t archives_len)
{
	return MC_RRD_FIXED + MC_RRD_LIVE + sources_len * (MC_RRD_SOURCE + MC_RRD_PDP) +
	       archives_len * (MC_RRD_ARCHIVE + MC_RRD_POINTER + MC_RRD_CDP * sources_len);
}
