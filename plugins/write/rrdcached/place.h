/* SPDX-License-Identifier: MIT */
/* Where the files of series are: by the options, and what is on the disk of files of several
 * series.  Thread: any. */
#pragma once

#include <collector/history.h>

#include "kit/series/rrd_place.h"
#include "kit/series/stored_tree.h"
#include "rrdcached.h"

/* The file of the series of that name; false, and why, if it can have none. */
bool place_find(struct mc_ctx *, const char *name, struct mc_pnp_place *,
		char why[static MC_PATH_TEMPLATE_WHY]);

/* As file_prefix(); 0, and why, of MC_PATH_TEMPLATE_WHY bytes. */
size_t place_prefix(const struct rrdcached *, const char *path, char prefix[FILE_PREFIX_MAX],
		    char *why);

/* As struct mc_writer has them. */
int place_remove_files(struct mc_ctx *, const char *name, size_t *len, char *why);
void place_each_stored(struct mc_ctx *, mc_stored_show *show, void *argument);
int place_fetch(struct mc_ctx *, const char *name, struct mc_history *, char *why);
void place_where(struct mc_ctx *, const char *name, char *out, size_t size);
