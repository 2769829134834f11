/* SPDX-License-Identifier: MIT */
/* The options, and the rules that they make. */
#pragma once

#include "rule.h"

struct options {
	struct mc_blocks hosts, plugins, types, matches, rules;
	struct mc_strings disabled; /* Names of <Rule> blocks. */
	const char *state_file;
	int64_t state_limit;
	bool report_stats, source_limits;
};

#define OPTIONS_TABLE(self, options)                                                               \
	{ .name = "Host",                                                                          \
	  MC_OPT_BLOCKS(self, options.hosts),                                                      \
	  .block = &options_host_block,                                                            \
	  .help = "Rules for the series of one host." },                                           \
		{ .name = "Plugin",                                                                \
		  MC_OPT_BLOCKS(self, options.plugins),                                            \
		  .block = &options_plugin_block,                                                  \
		  .help = "Rules for the series of one plugin." },                                 \
		{ .name = "Type",                                                                  \
		  MC_OPT_BLOCKS(self, options.types),                                              \
		  .block = &options_type_block,                                                    \
		  .help = "A rule for the series of one type." },                                  \
		{ .name = "Match",                                                                 \
		  MC_OPT_BLOCKS(self, options.matches),                                            \
		  .block = &options_match_block,                                                   \
		  .help = "A rule for all series whose names match "                               \
			  "patterns." },                                                           \
		{ .name = "Rule",                                                                  \
		  MC_OPT_BLOCKS(self, options.rules),                                              \
		  .block = &options_rule_block,                                                    \
		  .help = "A rule with a name for all series whose names match patterns and "      \
			  "that no other block has a rule for. Of several with the same name the " \
			  "first counts." },                                                       \
		{ .name = "DisableRule",                                                           \
		  MC_OPT_STRINGS(self, options.disabled),                                          \
		  .help = "Names of Rule blocks, as globs, that have no effect.",                  \
		  .sample = "df_*" },                                                              \
		{ .name = "StateFile",                                                             \
		  MC_OPT_STRING(self, options.state_file),                                         \
		  .default_value = "threshold.state",                                              \
		  .help = "File of the open alerts, in BaseDir; empty: "                           \
			  "none, and a restart reports all of them again." },                      \
		{ .name = "SourceLimits",                                                          \
		  MC_OPT_BOOL(self, options.source_limits),                                        \
		  .default_value = "true",                                                         \
		  .help = "Bounds that a series comes with, as of a node of "                      \
			  "Munin or a check of Nagios, hold where no block "                       \
			  "gives others." },                                                       \
		{ .name = "ReportStats",                                                           \
		  MC_OPT_BOOL(self, options.report_stats),                                         \
		  .default_value = "false",                                                        \
		  .help = "Reports rules, states and notifications." },                            \
	{                                                                                          \
		.name = "StateLimit", MC_OPT_INT(self, options.state_limit),                       \
		.default_value = "100000",                                                         \
		.help = "Number of series that have ended whose states are "                       \
			"kept; the oldest are forgotten, and counted.",                            \
		.min = 1, .max = 1e7                                                               \
	}

extern const struct mc_block options_host_block, options_plugin_block, options_type_block,
	options_match_block, options_rule_block;

/* Gives each rule the names of the blocks around it, and shows it; <Rule> blocks not. */
void options_each(const struct options *,
		  void (*visit)(void *argument, struct rule *, bool pattern), void *argument);

/* Shows the <Rule> blocks that have an effect: the first of each name that is not disabled. */
void options_each_rule(const struct options *,
		       void (*visit)(void *argument, struct rule *, bool pattern), void *argument);

/* Shows the name of each <Plugin> block. */
void options_each_plugin(const struct options *,
			 void (*visit)(void *argument, const char *const *name), void *argument);
