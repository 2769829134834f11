/* SPDX-License-Identifier: MIT */
#include "moment.h"

#include <collector/kit/hash.h>

enum {
	DEVICES_LEAST = 25, /* That share a moment, ... */
	MOMENTS_LEAST = 8,  /* ... unless there are fewer than these: few devices may be large. */
};

uint64_t moment_count(size_t devices)
{
	uint64_t count = MOMENTS_LEAST;

	while (2 * count * DEVICES_LEAST <= devices)
		count *= 2;
	return count;
}

mc_time moment_of(const char *name, mc_time interval, uint64_t moments)
{
	uint64_t hash = mc_hash_text(mc_hash_start(), name);
	mc_time at = 0;

	for (uint64_t parts = 2; parts <= moments; parts *= 2, hash >>= 1)
		at += (hash & 1) != 0 ? interval / (mc_time)parts : 0;
	return at;
}
