/* SPDX-License-Identifier: MIT */
/* The rows of a reply to FETCH: rrdcached(1), PROTOCOL.  Pure: no input can do
 * more than be left out. */
#pragma once

#include <collector/history.h>

#include "formats/rrd/rrd.h"

enum { FETCHED_ROWS_MAX = 1 << 17 }; /* An archive of more is cut. */

struct fetched { /* All zero but for the type: nothing has come yet. */
	const struct mc_type *type;
	const struct mc_rrd_rules *rules; /* Of names; NULL: none. */
	int64_t start, step;              /* Seconds; row i is of start + i * step. */
	unsigned columns_len;
	int columns[MC_SOURCES_MAX]; /* The source of each column, or -1. */
	size_t rows_len, rows_room;
	double *rows; /* columns_len values each. */
};

void fetched_free(struct fetched *);

/* Takes a line of the reply, after its status. */
void fetched_line(struct fetched *, const char *line);

/* Of each consolidation function. */
enum fetched_kind { FETCHED_AVERAGES, FETCHED_MAXIMA, FETCHED_MINIMA, FETCHED_KINDS };

/* Adds averages, maxima and minima; these may be of other rows or none: then they are left out. */
void fetched_add(const struct fetched all[FETCHED_KINDS], struct mc_history *history);
