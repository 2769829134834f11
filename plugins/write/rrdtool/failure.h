/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log lines about files that cannot be written.  No I/O.  Thread: one. */
#pragma once

#include <limits.h>

#include <collector/plugin.h>

#include "archive.h"

struct failure {                                        /* All zero: none. */
	char text[PATH_MAX + ARCHIVE_REASON_SIZE + 32]; /* Said last. */
	int errnum;
	mc_time since;   /* Beginning of the minute. */
	unsigned logged; /* Since then. */
	mc_time unheld;  /* When a file that can hold no value was logged. */
	bool kept;       /* It was reported that files keep their archives. */
};

/* Names a file and the reason, but not thousands of them: when a disk is full one name is enough.
 * Files that are wrong by themselves have each a line, ten in a minute.  Further ones repeat the
 * text before, which the core does not log again. */
void failure_describe(struct failure *, const char *path, int errnum, const char *reason);

/* If a file of that heartbeat, in seconds, can hold no value of what comes once in 'interval', that
 * is the failure of the instance, and logged, of one file a minute. */
void failure_unheld(struct failure *, struct mc_ctx *, const char *path, int64_t heartbeat,
		    mc_time interval);

/* Logs once that a file, of that number of rows, keeps its archives though others were chosen. */
void failure_kept(struct failure *, struct mc_ctx *, const char *path, const struct mc_rrd_layout *,
		  uint64_t rows);
