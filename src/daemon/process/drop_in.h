/* SPDX-License-Identifier: MIT */
/* Drop-ins of the unit that come with the collector, one for each plugin that
 * needs more than the unit gives. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Whether the folder has a drop-in of that plugin, PLUGIN.conf or one for some of its options
 * alone, PLUGIN-WHAT.conf, with that setting, "SupplementaryGroups", and all these words, divided
 * by blanks, among its values; for a path, a folder above it does.  Then 'path' is filled.  False
 * if 'plugin' is NULL. */
bool drop_in_find(const char *folder, const char *plugin, const char *setting, const char *words,
		  char path[PATH_MAX]);
