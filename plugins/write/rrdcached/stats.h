/* SPDX-License-Identifier: MIT */
/* rrdcached's figures about itself, as the series that collectd 5.12 makes of them.  Pure. */
#pragma once

#include <collector/plugin.h>

/* Reads a line of STATS, "QueueLength: 0": type and type instance of the
 * series, and the number.  False for what collectd does not know. */
bool stats_read(const char *line, struct mc_id *id, uint64_t *number);
