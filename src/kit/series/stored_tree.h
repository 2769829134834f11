/* SPDX-License-Identifier: MIT */
/* Trees of files that are named after series, "host/plugin/type", as collectd has them: for writers
 * that find their files again.  No symbolic link below the folder is followed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/writer.h>

#define MC_STORED_TREE_MAX 2000000 /* Entries of folders that are looked at. */

struct mc_stored_file {
	int folder;         /* The directory that it is in, */
	const char *file;   /* its name there, */
	const char *prefix; /* and that of its directory: "host/plugin". */
};

/* Shows files in no order until 'show' returns false, or mc_stopping().  Returns 0; a negative
 * errno: the folder cannot be read; -E2BIG: there are too many.  Blocks on the disk.  Thread: any.
 */
int mc_stored_tree(struct mc_ctx *ctx, const char *folder,
		   bool (*show)(void *argument, const struct mc_stored_file *), void *argument);

/* Shows the series of RRD files of such a tree.  Thread: any. */
void mc_stored_rrd(struct mc_ctx *ctx, const char *folder, mc_stored_show *show, void *argument);
