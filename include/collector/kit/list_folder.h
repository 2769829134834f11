/* SPDX-License-Identifier: MIT */
/* collector/kit/list_folder.h - what lies in a folder, such as one of /sys, in libkit. */
#pragma once

#include <collector/plugin.h>

struct mc_names { /* All zero: empty. */
	char **items;
	size_t len;
};
#define MC_NAMES_MAX 4096 /* In a folder; more is a failure. */

/* Lists what is in the folder 'path', below the root that a test may have set, and begins with
 * 'prefix' ("": all), but for hidden files, into 'names', which is empty: "node2" comes before
 * "node10".  mc_names_done() gives it back.  Returns 0, or what mc_fail() returned.  Callbacks. */
int mc_list_folder(struct mc_ctx *ctx, struct mc_names *names, const char *path,
		   const char *prefix);
void mc_names_done(struct mc_names *names);

/* The same for the folder 'full', whose path is complete.  Returns 0 or a negative errno: -E2BIG
 * of more than MC_NAMES_MAX.  Thread: any. */
int mc_list_path(struct mc_names *names, const char *full, const char *prefix);
