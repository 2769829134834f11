/* SPDX-License-Identifier: MIT */
/* Times as Graphite's render API has them: "-6h", "now", seconds since 1970.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* False for other texts. */
bool period_read(const char *text, int64_t now, int64_t *seconds);
