/* SPDX-License-Identifier: MIT */
/* The blocks of a configuration, as collectd's: <Chain>, <Rule>, <Match>,
 * <Target>.  The options of all matches are in one table, and so are those of
 * all targets; each kind says which of them it has. */
#pragma once

#include <collector/plugin.h>

struct chain_options {
	const char *before, *behind; /* PreCacheChain, PostCacheChain. */
	struct mc_blocks chains;     /* struct chain_block */
};

struct chain_block { /* Several of one name are one chain. */
	const char *name;
	struct mc_blocks rules;   /* struct rule_block */
	struct mc_blocks targets; /* struct target_block */
};

struct rule_block {
	const char *name;         /* NULL: it has none. */
	struct mc_blocks matches; /* struct match_block */
	struct mc_blocks targets; /* struct target_block */
};

/* In the blocks below zero, NULL and NaN are what the file does not say. */

struct match_block {
	int kind; /* Index of options_matches. */
	struct mc_strings host, plugin, plugin_instance, type, type_instance;
	struct mc_strings meta_data, data_sources;
	bool invert;
	mc_time future, past;
	double min, max;
	int satisfy; /* enum match_satisfy */
	struct mc_ints shares;
};

enum match_satisfy { MATCH_ALL, MATCH_ANY };

struct target_block {
	int kind; /* Index of options_targets. */
	struct mc_strings host, plugin, plugin_instance, type_instance;
	struct mc_strings meta_data, deleted_meta_data, data_sources;
	const char *chain, *message;
	int severity; /* Index of words; see options_severity(). */
	double factor, offset;
};

extern const char *const options_matches[];
extern const char *const options_targets[];
extern const struct mc_option options_table[];
extern const struct mc_option options_of_match[], options_of_target[];

enum mc_severity options_severity(const struct target_block *);

/* The first option of a block that the file gives and that is not among 'names', which ends with
 * NULL; NULL without one. */
const struct mc_option *options_foreign(const struct mc_option *table, const void *block,
					const char *const *names);
