/* SPDX-License-Identifier: MIT */
/* Directories of plugins, looked at without loading anything: collectd's hold
 * files of the same names, which must not be taken for ours. */
#ifndef COLLECTOR_DAEMON_PLUGIN_DIR_H
#define COLLECTOR_DAEMON_PLUGIN_DIR_H

#include <stdbool.h>

/* Whether DIRECTORY/NAME.so is a plugin of this collector. */
bool plugin_dir_has(const char *directory, const char *name);

/* Whether there is any plugin of this collector in the directory. */
bool plugin_dir_has_any(const char *directory);

#endif
