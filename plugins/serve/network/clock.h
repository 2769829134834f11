/* SPDX-License-Identifier: MIT */
/* Reading the system's clocks. */
#pragma once

#include <time.h>

#include <collector/plugin.h>

static inline mc_time clock_read(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * MC_SECOND + t.tv_nsec;
}
