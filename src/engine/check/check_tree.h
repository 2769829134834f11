/* SPDX-License-Identifier: MIT */
/* Finds other processes that write files below a folder. */
#pragma once

#include <stdbool.h>

#include "base/timed_calls.h"
#include "engine/check/check_process.h"

/* Whether a collectd runs on this host whose configuration has that plugin,
 * rrdtool or csv, write below the folder; 'files' reads it. */
bool check_tree_of_collectd(const char *plugin, const char *folder, struct timed_calls *files,
			    struct check_process *);

/* Whether another collector than this one has the folder open. */
bool check_tree_of_collector(const char *folder, struct check_process *);
