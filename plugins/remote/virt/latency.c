/* SPDX-License-Identifier: MIT */
#include "latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define NS 1e6 /* In a millisecond. */

struct counts {
	uint64_t requests, time; /* ns */
};

struct latency_disk {
	unsigned index;
	struct counts counts[2]; /* Of reads and writes. */
};

/* NULL if it is new. */
static struct latency_disk *find(const struct latencies *latencies, unsigned index)
{
	for (size_t i = 0; i < latencies->len; i++)
		if (latencies->items[i].index == index)
			return &latencies->items[i];
	return NULL;
}

static double mean_of(const struct counts *before, const struct counts *now)
{
	if (now->requests <= before->requests || now->time < before->time)
		return NAN;
	return (double)(now->time - before->time) / NS / (double)(now->requests - before->requests);
}

bool latency_take(struct latencies *latencies, const struct decode_device *disk, double mean[2])
{
	const uint64_t *values = disk->values;
	const struct latency_disk now = {
		.index = disk->index,
		.counts = { { values[DISK_RD_REQUESTS], values[DISK_RD_TIMES] },
			    { values[DISK_WR_REQUESTS], values[DISK_WR_TIMES] } },
	};
	const uint32_t needed = 1U << DISK_RD_REQUESTS | 1U << DISK_RD_TIMES |
				1U << DISK_WR_REQUESTS | 1U << DISK_WR_TIMES;
	struct latency_disk *before = find(latencies, disk->index);

	if ((disk->known & needed) != needed)
		return false;
	if (before == NULL) {
		latencies->items = mc_alloc_resize(latencies->items, latencies->len + 1,
						   sizeof(*latencies->items));
		latencies->items[latencies->len++] = now;
		return false;
	}
	for (unsigned i = 0; i < 2; i++)
		mean[i] = mean_of(&before->counts[i], &now.counts[i]);
	*before = now;
	return true;
}

void latency_free(struct latencies *latencies)
{
	free(latencies->items);
	*latencies = (struct latencies){ 0 };
}
