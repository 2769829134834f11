/* SPDX-License-Identifier: MIT */
/* All that an engine needs to run one plugin: the plugin, the types and a case's configuration. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include <collector/plugin.h>

#include "base/arena.h"
#include "base/problem.h"
#include "conf/option.h"

#define SETUP_SKIPPED 77 /* Exit status: the plugin was not built. */

struct places;

struct setup {
	const char *folder; /* Of the case, from "/". */
	const struct mc_plugin *plugin;
	struct type_set *types;
	struct graph_rules *graphs;
	struct problems problems;
	struct arena arena;
	struct conf_keep keep;
	struct conf_node *tree;
	mc_time interval;
	struct places *places;
};

/* Loads the plugin and the case in 'folder', or ends the program. */
void setup_init(struct setup *, const char *plugin, const char *folder);
void setup_done(struct setup *);

/* Fills in the options of an instance of the plugin. */
void setup_configure(struct setup *, void *self);

/* Whether samples are put into the plugin. */
bool setup_is_fed(const struct setup *);

/* The folder of that read, from 1; false if the case has none. */
bool setup_root(const struct setup *, unsigned n, char path[PATH_MAX]);
