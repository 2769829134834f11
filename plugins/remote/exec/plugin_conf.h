/* SPDX-License-Identifier: MIT */
/* Reads munin-node's plugin-conf.d:
 *
 *   [if_*]
 *   user root
 *   env.warning 92
 *
 * Facts: "Plugin configuration" in Munin's guide, and Munin::Node::Config of
 * 2.0.73.  Pure; one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PLUGIN_CONF_LINES_MAX 65536 /* That say something, of all files. */

struct plugin_conf_line {
	char *section, *key, *value;
};

struct plugin_conf { /* All zero: it says nothing. */
	struct plugin_conf_line *items;
	size_t len, room;
};

/* Takes the text of a file, which it changes; what a later file says comes
 * before what an earlier one has said.  Returns 0, or the number of the line
 * that cannot be used: the rest of the file is left out, as munin-node does. */
unsigned plugin_conf_take(struct plugin_conf *, char *text);

/* The value of a key for a plugin: from the section of its name, or else from the last in the
 * alphabet that has a '*' and fits.  NULL without one. */
const char *plugin_conf_find(const struct plugin_conf *, const char *plugin, const char *key);

/* The key of line 'i', if it is "env.NAME" and the line is what
 * plugin_conf_find() finds for that plugin; else NULL. */
const char *plugin_conf_variable(const struct plugin_conf *, const char *plugin, size_t i);

void plugin_conf_done(struct plugin_conf *);
