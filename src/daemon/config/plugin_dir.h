/* SPDX-License-Identifier: MIT */
/* Directories of plugins, looked at without loading anything but by plugin_dir_load(): collectd's
 * hold files of the same names, which must not be taken for ours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether DIRECTORY/NAME.so is a plugin of this collector. */
bool plugin_dir_has(const char *directory, const char *name);

/* Whether there is any plugin of this collector in the directory. */
bool plugin_dir_has_any(const char *directory);

struct mc_plugin;

/* Directories, the first of which that has a plugin counts. */
struct plugin_dirs {
	const char **items; /* Strings are somebody else's. */
	size_t len;
};

/* Adds one, if it is not among them. */
void plugin_dir_add(struct plugin_dirs *, const char *directory);
void plugin_dir_done(struct plugin_dirs *);

/* The one that has the plugin, or NULL. */
const char *plugin_dir_find(const struct plugin_dirs *, const char *name);

/* Loads the plugin from there; NULL: it is not there, or cannot be loaded, which instances_add()
 * reports. */
const struct mc_plugin *plugin_dir_load(const struct plugin_dirs *, const char *name);

/* The first that may have the plugin but cannot be read, and the errno of that; NULL if all can. */
const char *plugin_dir_unreadable(const struct plugin_dirs *, const char *name, int *why);

/* The plugins of this collector, each once, to be freed with plugin_free_names(); never NULL. */
char **plugin_dir_names(const struct plugin_dirs *);

/* Says how many there are in each: "'/a' has 2, '/b' 17", written to 'out', which is returned. */
const char *plugin_dir_text(const struct plugin_dirs *, char *out, size_t size);
