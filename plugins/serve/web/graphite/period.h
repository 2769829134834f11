/* SPDX-License-Identifier: MIT */
/* Times as Graphite's render API has them, in UTC.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* "-6h", "now-1d12h", seconds since 1970, "midnight", "18:30_yesterday", "20240131", "01/31/24" and
 * one of these with an interval after it.  False for other texts. */
bool period_read(const char *text, int64_t now, int64_t *seconds);

/* "1h", "-30min", "1d12h"; a month is 30 days, a year 365.  False for other texts, and for more
 * than a century. */
bool period_interval(const char *text, int64_t *seconds);
