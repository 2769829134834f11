/* SPDX-License-Identifier: MIT */
/* Plugins on disk: one shared object each, whose only visible symbol is its
 * descriptor, beside which one that names the host has a second one.  Loading runs
 * no code of the plugin. */
#pragma once

#include <collector/private/hostname.h>
#include <collector/writer.h>

/* Loads DIRECTORY/NAME.so and checks its descriptor.  0; -ENOENT if there is no such plugin;
 * another negative errno if it cannot be used, with the reason in 'why'.  It stays loaded until
 * the process ends. */
int plugin_load(const char *directory, const char *name, const struct mc_plugin **plugin, char *why,
		size_t why_size);

/* How a plugin that plugin_load() has loaded from there names the host; NULL: it does not. */
const struct mc_hostname *plugin_hostname(const char *directory, const char *name);

/* The names of all plugins in a directory, sorted and ended by NULL, freed with
 * plugin_free_names(); NULL and errno if it cannot be read. */
char **plugin_names(const char *directory);
void plugin_free_names(char **names);

/* Whether a name can be that of a plugin: [a-z0-9_], 64 characters at most. */
bool plugin_is_name(const char *name);

/* How a plugin takes samples, notifications and log lines.  Never NULL: one
 * that takes none has no callbacks. */
const struct mc_writer *plugin_writer(const struct mc_plugin *);

/* Whether it reads, and looks at values of others as well: these go nowhere from there. */
bool plugin_looks(const struct mc_plugin *);

/* Whether it takes values away: it writes, or runs and makes none. */
bool plugin_takes(const struct mc_plugin *);
