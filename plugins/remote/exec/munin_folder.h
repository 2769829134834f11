/* SPDX-License-Identifier: MIT */
/* <MuninPlugins>: the plugins of a folder, as munin-node finds and runs them,
 * become programs.  Facts: Munin::Node::Service of 2.0.73. */
#pragma once

#include <collector/plugin.h>

#include "programs.h"

struct munin_folder_block { /* From the configuration. */
	const char *path, *conf_path, *state_path;
	const char *user, *master;
	bool root;
	struct mc_select *plugins;
	bool ignore_selected;
	mc_time interval, timeout;
};

extern const struct mc_block munin_folder_options;

struct munin_folders { /* All zero: none. */
	struct program_block *items;
	size_t len;
	char **texts; /* Whatever they point at. */
	size_t texts_len;
	struct claims claims; /* On the names of the programs. */
	struct mc_ctx *ctx;
	bool is_check;    /* Of them nothing is made. */
	bool lacks_state; /* In the folder under way, some user has none. */
};

/* For check(): mistakes in the folders, and their unusable files. */
void munin_folder_check(struct mc_ctx *, const struct mc_blocks *programs,
			const struct mc_blocks *folders);

/* Copies 'programs', and adds a program for each plugin of the folders, but for those whose series
 * another one before them has.  Logs only what check() cannot know. start(). */
void munin_folder_make(struct munin_folders *, struct mc_ctx *, const struct mc_blocks *programs,
		       const struct mc_blocks *folders);
void munin_folder_done(struct munin_folders *);
