/* SPDX-License-Identifier: MIT */
/* How long the requests of a guest to its disks took, from counters of requests and of the time
 * they took in all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "decode.h"

struct latencies { /* Of one guest; all zero: nothing was counted yet. */
	struct latency_disk *items;
	size_t len;
};

/* Takes the counters of a disk.  Writes the mean time of a read and of a write since those before,
 * in milliseconds; NaN: no request, or counters went back.  False at the first time. */
bool latency_take(struct latencies *latencies, const struct decode_device *disk, double mean[2]);

void latency_free(struct latencies *latencies);
