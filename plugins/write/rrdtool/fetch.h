/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads an RRD file as a history.  Blocks on the disk.  Thread: any. */
#pragma once

#include <collector/history.h>

#include "formats/rrd/rrd.h"

/* Adds what the file 'path' has for the time of 'history': of its averages, and of its maxima if it
 * keeps them, those archives whose step fits best.  A file that is not there adds nothing.  Returns
 * 0, or a negative errno, and 'why', of MC_HISTORY_WHY bytes, says why. */
int fetch_file(const char *path, const struct mc_rrd_rules *rules, struct mc_history *history,
	       char *why);
