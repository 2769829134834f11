/* SPDX-License-Identifier: MIT */
/* The rules that come with the plugins, and those of the site: each file of RulesDir counts as one
 * more <Plugin> block of the plugins that take rules.  A file of a later folder is in the place of
 * one with the same name, and an empty one switches it off, as with units of systemd.  A
 * mistake in a file is a warning, and that file is left out.  Thread: one. */
#pragma once

#include "base/timed_calls.h"
#include "conf/include.h"
#include "daemon/config/configure.h"
#include "daemon/config/plugin_dir.h"

struct rule_files { /* All zero: none. */
	struct conf_tree **trees;
	size_t len;
};

struct rule_files_source {
	const struct mc_strings *folders; /* None: the usual ones. */
	const struct plugin_dirs *directories;
	struct timed_calls *calls;
};

/* Adds them to what 'configure' loads; the trees have to live as long as it. */
void rule_files_load(struct rule_files *, const struct rule_files_source *, struct configure *,
		     struct problems *);
void rule_files_done(struct rule_files *);
