/* SPDX-License-Identifier: MIT */
/* Times and durations as people write them.  Pure, but for the time zone. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

/* "90", "90s", "15m", "1h30m", "2d", "1w", "1y", "0.5"; false if it is invalid, or not above 0. */
bool when_duration(const char *text, mc_time *duration);

/* Seconds since 1970, "now", "17:02" (the last time that it was), "17:02:30", "2026-11-24",
 * "2026-11-24 17:02", "2026-11-24T17:02:30", "today", "yesterday"; or a duration with a unit, with
 * or without '-', as that long before 'now': "1h".  False if it is invalid. */
bool when_time(const char *text, mc_time now, mc_time *time);
