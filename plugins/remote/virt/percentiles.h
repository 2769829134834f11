/* SPDX-License-Identifier: MIT */
/* LatencyHistogram: the times that half, and 99 of 100, of a guest's requests to a disk took at
 * most, in the interval. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "histogram.h"

struct guest;

struct percentiles {                 /* Of one guest; all zero: it has not answered. */
	struct histogram_disks last; /* Of its last answer. */
	size_t refused;              /* Disks that QEMU does not count. */
	bool unsupported;            /* Its QEMU counts none. */
};

/* Whether the guest is to be asked. */
bool percentiles_wanted(const struct guest *guest);

/* Takes the guest's answer, which is empty from then on; 'rc' is that of monitor_histograms(). */
void percentiles_take(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		      struct histogram_disks *answer, int rc);

/* The guest was not asked, as it did no I/O: there is no time, but a value. */
void percentiles_rest(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest);

static inline void percentiles_free(struct percentiles *percentiles)
{
	histogram_free(&percentiles->last);
	*percentiles = (struct percentiles){ 0 };
}
