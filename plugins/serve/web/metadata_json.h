/* SPDX-License-Identifier: MIT */
/* Metadata of the sources of many series, as JSON.  Attributes of their graphs ("graph_title" and
 * the like, in Munin's plugin reference) are written once for each graph. */
#pragma once

#include <stddef.h>

#include <collector/kit/json.h>
#include <collector/writer.h>

struct mc_metadata;

struct metadata_json { /* Zero is fine. */
	struct mc_json *json;
	/* One of each graph, to be released; up to one for each source. */
	const struct mc_metadata **graphs;
	size_t graphs_len, graphs_room;
};

/* A list "metadata" with a map for each source that has some; left out without any.  "graph" is a
 * number of the list of metadata_json_graphs(). */
void metadata_json_add(struct metadata_json *, const struct mc_series *);

/* A list "graphs" of maps from the name of an attribute to its value. */
void metadata_json_graphs(struct metadata_json *);

void metadata_json_done(struct metadata_json *);
