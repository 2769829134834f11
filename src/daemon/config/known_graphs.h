/* SPDX-License-Identifier: MIT */
/* The rules for graphs: those of the configuration, and then those of all plugins of this tree,
 * which are part of the program: an aggregator draws what it has no plugin for. */
#pragma once

#include <stddef.h>

#include "base/problem.h"
#include "conf/parse.h"

struct graph_rules;

struct known_graphs {
	struct known_graphs_set {
		struct graph_rules *rules;
		char *text; /* Its <Graph> blocks, in one form. */
	} * sets;           /* The last is in use; others were, and may be still. */
	size_t len;
};

/* The rules of that configuration: of its <Graph> blocks, and our own. */
struct known_graphs_set known_graphs_load(const struct conf_node *root, struct problems *);
void known_graphs_free(struct known_graphs_set);

/* Takes over a set: it is in use from now on, if it differs. */
void known_graphs_take(struct known_graphs *, struct known_graphs_set);

/* The rules in use; NULL: none yet. */
const struct graph_rules *known_graphs_now(const struct known_graphs *);

/* After everything that may point to them. */
void known_graphs_done(struct known_graphs *);
