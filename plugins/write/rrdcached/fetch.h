/* SPDX-License-Identifier: MIT */
/* Fetches rrdcached's values of a series, on a connection of its own: an archive that is read from
 * a slow disk delays no update. */
#pragma once

#include <collector/history.h>

#include "address.h"
#include "formats/rrd/rrd.h"

struct fetch_file {
	const struct address *address;
	const char *directory; /* As file_prefix() takes it. */
	const char *name;      /* As file_prefix() takes it. */
	const struct mc_rrd_rules *rules;
};

/* Adds what rrdcached has of that file, after it has written what it had cached; a file that is
 * not there adds nothing.  Returns 0, or a negative errno, and 'why', of MC_HISTORY_WHY bytes,
 * says why.  Waits for two seconds at most.  Thread: any. */
int fetch_file(struct mc_ctx *ctx, const struct fetch_file *, struct mc_history *history,
	       char *why);

/* Has rrdcached forget the updates of that file that it has cached.  0, also if it knows none; else
 * as fetch_file(). */
int fetch_forget(struct mc_ctx *ctx, const struct fetch_file *, char *why);
