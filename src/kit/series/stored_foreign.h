/* SPDX-License-Identifier: MIT */
/* Series of a tree of RRD files that another program has begun: those of Munin are in its file
 * "datafile", those of PNP4Nagios in an .xml beside the files, others in the paths themselves. */
#pragma once

#include <collector/writer.h>

struct mc_rrd_options;

/* Shows the series of the files below the folder, by the templates of the options; SourceNames say
 * whose tree it is.  Without a template files are named after series.  Thread: any. */
void mc_stored_foreign(struct mc_ctx *, const char *folder, const struct mc_rrd_options *,
		       mc_stored_show *show, void *argument);
