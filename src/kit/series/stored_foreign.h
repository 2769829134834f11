/* SPDX-License-Identifier: MIT */
/* Series of a tree of RRD files that another program has begun: those of Munin are in its file
 * "datafile", those of PNP4Nagios in an .xml beside the files, others in the paths themselves. */
#pragma once

#include <collector/writer.h>

struct mc_rrd_options;

struct mc_foreign_tree {
	const char *folder;
	const struct mc_rrd_options *options;

	/* Whether the file that a series of that name would have is another's. */
	bool (*is_taken)(struct mc_ctx *, const char *name);
};

/* Shows the series of the files below its folder, by the templates of the options; SourceNames say
 * whose tree it is.  Those without a metric are left out if their file is taken.  Without a
 * template files are named after series.  Thread: any. */
void mc_stored_foreign(struct mc_ctx *, const struct mc_foreign_tree *, mc_stored_show *show,
		       void *argument);
