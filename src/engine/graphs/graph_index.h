/* SPDX-License-Identifier: MIT */
/* The rules that draw a plugin, by its name: a source is compared with these alone. */
#pragma once

#include "engine/graphs/graph_pattern.h"

struct graph_index_rules { /* Numbers of rules, in their order. */
	unsigned *numbers;
	size_t len;
};

struct graph_index_plugin;

struct graph_index {
	struct graph_index_plugin *plugins; /* All that patterns without a glob name, sorted. */
	size_t plugins_len;
	struct graph_index_rules others; /* Those with a glob. */
	struct graph_patterns *patterns; /* Of each rule. */
	size_t rules_len;
};

/* Adds the next rule, which draws the plugins of these patterns.  Their texts outlive the index,
 * which is zero at first. */
void graph_index_add(struct graph_index *, const struct graph_patterns *plugins);

/* The rules that may draw this plugin; those of others have yet to be compared with its name. */
const struct graph_index_rules *graph_index_find(const struct graph_index *, const char *plugin);

void graph_index_done(struct graph_index *);
