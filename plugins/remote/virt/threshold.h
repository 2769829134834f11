/* SPDX-License-Identifier: MIT */
/* Where on a disk a threshold belongs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

struct watermark_rule {             /* A block <Watermark>. */
	const char *guests, *disks; /* Globs. */
	int64_t free;               /* Bytes; 0: not given. */
	double percent;             /* Of the size; 0: not given. */
	mc_time response;           /* At the present rate; 0: not given. */
};

struct watermark_disk {
	uint64_t size;       /* Bytes that may be written to. */
	uint64_t allocation; /* Highest offset that was written to. */
	double rate;         /* At which that grows, bytes per second. */
};

/* Space that is left when no further threshold is worth it. */
#define MARK_REST (UINT64_C(1) << 20)

/* Whether the rule is for that disk. */
bool threshold_matches(const struct watermark_rule *rule, const char *guest, const char *disk);

/* The offset whose writing is to be reported; 0: none.  The lowest of the limits given; if that
 * was passed already, half way to the end. */
uint64_t threshold_bytes(const struct watermark_rule *rule, const struct watermark_disk *disk);

/* Whether a threshold that was set for the same size may stay, though rates change all the time. */
bool threshold_stays(const struct watermark_rule *rule, const struct watermark_disk *disk,
		     uint64_t set);

/* The rate, smoothed, after 'grown' bytes in 'seconds'. */
double threshold_rate(double rate, uint64_t grown, double seconds);
