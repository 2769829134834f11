/* SPDX-License-Identifier: MIT */
/* The series of a host as graphs of Munin: made when a client asks for the list
 * of a host, and kept for as long as it asks about that host.
 *
 * A graph has the series of one type of one plugin and instance; a graph read from another node of
 * Munin keeps its name.  Fields are named after the type instance and the data source. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

struct graphs_field {
	char *series; /* Its whole name; */
	unsigned source;
	const char *name; /* and that of the field, in 'names'. */
};

struct graph {
	char *service; /* "disks.sda" */
	struct graphs_field *fields;
	size_t fields_len;
	struct mc_map names; /* Of the fields. */
};

struct graphs_plugin { /* "disks": it has "disks", "disks.sda" and so on. */
	struct mc_map_node node;
	struct graph *items;
	size_t items_len;
	char name[];
};

struct graphs {
	char *host; /* NULL: none was asked for. */
	struct mc_map plugins;
	struct graphs_plugin **sorted; /* The same, "p9" before "p10". */
	size_t len;
};

/* Makes the graphs of that host. */
void graphs_make(struct graphs *, struct mc_ctx *, const char *host);

/* The plugin of that name, or NULL. */
const struct graphs_plugin *graphs_find(const struct graphs *, const char *name);

/* Whether it needs a client that knows "multigraph". */
bool graphs_is_multigraph(const struct graphs_plugin *);

/* Whether it was asked of a node of Munin. */
bool graphs_is_of_munin(const struct mc_series *);

void graphs_done(struct graphs *);
