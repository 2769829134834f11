/* SPDX-License-Identifier: MIT */
/* When within its interval a device is polled, with Spread.  A wake-up of the thread costs more
 * than a small device, so devices share moments: some 25 to 50 of a large fleet each.  Pure. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

/* The number of moments of a fleet: a power of two, so that half of the devices keep
 * theirs when a fleet outgrows them. */
uint64_t moment_count(size_t devices);

/* Time of a device after the start of each interval, of that many moments. */
mc_time moment_of(const char *name, mc_time interval, uint64_t moments);
