/* SPDX-License-Identifier: MIT */
/* attributes: what an ATA disk says by SMART READ DATA and READ THRESHOLDS (ACS-3 and earlier; what
 * an attribute is called and how its reading is meant are usage, here that of libatasmart, whose
 * names collectd's series have).  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTRIBUTES_SIZE 512 /* Of either answer. */
#define ATTRIBUTES_MAX 30
#define ATTRIBUTES_NAME_SIZE 32

struct attribute {
	uint8_t id, current, worst, threshold; /* 'threshold' 0: none. */
	char name[ATTRIBUTES_NAME_SIZE];
	double reading; /* ms, sectors, millikelvin, or as it is. */
};

struct attributes {
	struct attribute items[ATTRIBUTES_MAX];
	size_t len;
	/* Out of these; NAN: not known.  s, cycles, sectors, degrees Celsius. */
	double power_on, power_cycles, bad_sectors, temperature;
};

/* 'thresholds' NULL: not known.  'sectors' is the disk's size; 0: not known. */
void attributes_parse(const uint8_t data[ATTRIBUTES_SIZE],
		      const uint8_t thresholds[ATTRIBUTES_SIZE], uint64_t sectors,
		      struct attributes *attributes);

/* Whether an attribute has come down to its threshold: the disk is about to fail, its vendor says.
 */
bool attributes_failing(const struct attribute *attribute);
