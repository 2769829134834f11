/* SPDX-License-Identifier: MIT */
/* Options of chains: collectd.conf(5), "FILTER CONFIGURATION". */
#include "options.h"

#include <math.h>
#include <strings.h>

const char *const options_matches[] = { "regex",         "hashed", "timediff",
					"empty_counter", "value",  NULL };
const char *const options_targets[] = {
	"write", "stop",    "return", "jump",      "notification",
	"set",   "replace", "scale",  "v5upgrade", NULL,
};

static const char *const satisfy_words[] = { "All", "Any", NULL };
static const char *const severity_words[] = {
	"WARNING", "WARN", "FAILURE", "CRITICAL", "OKAY", NULL
};

enum mc_severity options_severity(const struct target_block *target)
{
	static const enum mc_severity severities[] = {
		MC_WARNING, MC_WARNING, MC_FAILURE, MC_FAILURE, MC_OKAY,
	};

	return severities[target->severity];
}

const struct mc_option options_of_match[] = {
	{ "", MC_OPT_WORD(struct match_block, kind), .words = options_matches, .required = true,
	  .sample = "regex", .help = "What is looked at; the options of each kind are below." },
	{ "Host", MC_OPT_STRINGS(struct match_block, host), .alias = "Hostname",
	  .help = "regex: expression that the host matches." },
	{ "Plugin", MC_OPT_STRINGS(struct match_block, plugin),
	  .help = "regex: expression that the plugin matches." },
	{ "PluginInstance", MC_OPT_STRINGS(struct match_block, plugin_instance),
	  .help = "regex: expression that the plugin instance matches." },
	{ "Type", MC_OPT_STRINGS(struct match_block, type),
	  .help = "regex: expression that the type matches." },
	{ "TypeInstance", MC_OPT_STRINGS(struct match_block, type_instance),
	  .help = "regex: expression that the type instance matches." },
	{ "MetaData", MC_OPT_STRINGS(struct match_block, meta_data),
	  .help = "regex: accepted, but never matches: values have no meta "
		  "data here." },
	{ "Invert", MC_OPT_BOOL(struct match_block, invert), .default_value = "false",
	  .help = "regex, value: matches what would not match." },
	{ "Match", MC_OPT_INTS(struct match_block, shares),
	  .help = "hashed: a share and the number of shares that hosts are "
		  "divided into, such as 0 4; the first is 0.",
	  .min = 0, .max = 4294967295.0 },
	{ "Future", MC_OPT_TIME(struct match_block, future),
	  .help = "timediff: seconds that a value is at least ahead of the "
		  "clock." },
	{ "Past", MC_OPT_TIME(struct match_block, past),
	  .help = "timediff: least age of a value, in seconds." },
	{ "Min", MC_OPT_NUMBER(struct match_block, min), .default_value = "nan",
	  .help = "value: the smallest value or rate that matches." },
	{ "Max", MC_OPT_NUMBER(struct match_block, max), .default_value = "nan",
	  .help = "value: the largest value or rate that matches." },
	{ "DataSource", MC_OPT_STRINGS(struct match_block, data_sources),
	  .help = "value: data sources that are looked at, instead of all." },
	{ "Satisfy", MC_OPT_WORD(struct match_block, satisfy), .words = satisfy_words,
	  .default_value = "All", .help = "value: how many of the data sources must match." },
	{ 0 },
};

const struct mc_option options_of_target[] = {
	{ "", MC_OPT_WORD(struct target_block, kind), .words = options_targets, .required = true,
	  .sample = "write", .help = "What is done; the options of each kind are below." },
	{ "Plugin", MC_OPT_STRINGS(struct target_block, plugin),
	  .help = "write: plugin that gets the value, instead of all. set: "
		  "the plugin from now on. replace: an expression, and what "
		  "takes the place of its first match in the plugin." },
	{ "Chain", MC_OPT_STRING(struct target_block, chain),
	  .help = "jump: the chain that is gone through." },
	{ "Host", MC_OPT_STRINGS(struct target_block, host), .alias = "Hostname",
	  .help = "set, replace: the same for the host." },
	{ "PluginInstance", MC_OPT_STRINGS(struct target_block, plugin_instance),
	  .help = "set, replace: the same for the plugin instance." },
	{ "TypeInstance", MC_OPT_STRINGS(struct target_block, type_instance),
	  .help = "set, replace: the same for the type instance." },
	{ "MetaData", MC_OPT_STRINGS(struct target_block, meta_data), .no_effect = true,
	  .help = "Values have no meta data." },
	{ "DeleteMetaData", MC_OPT_STRINGS(struct target_block, deleted_meta_data),
	  .no_effect = true, .help = "Values have no meta data." },
	{ "Message", MC_OPT_STRING(struct target_block, message),
	  .help = "notification: its text, with %{host}, %{plugin}, "
		  "%{plugin_instance}, %{type}, %{type_instance} and "
		  "%{ds:SOURCE}." },
	{ "Severity", MC_OPT_WORD(struct target_block, severity), .words = severity_words,
	  .default_value = "WARNING", .help = "notification: its severity." },
	{ "Factor", MC_OPT_NUMBER(struct target_block, factor), .default_value = "nan",
	  .help = "scale: what values and rates are multiplied by." },
	{ "Offset", MC_OPT_NUMBER(struct target_block, offset), .default_value = "nan",
	  .help = "scale: number added to values and rates then." },
	{ "DataSource", MC_OPT_STRINGS(struct target_block, data_sources),
	  .help = "scale: data sources that are changed, instead of all." },
	{ 0 },
};

static const struct mc_option rule_options[] = {
	{ "", MC_OPT_STRING(struct rule_block, name), .sample = "ours",
	  .help = "Name of the rule, for people." },
	{ "Match", MC_OPT_BLOCKS(struct rule_block, matches),
	  .help = "What a value must be like. All matches of a rule must "
		  "match.",
	  .block = &(const struct mc_block){ sizeof(struct match_block), options_of_match } },
	{ "Target", MC_OPT_BLOCKS(struct rule_block, targets), .required = true,
	  .help = "What is done with values that match.",
	  .block = &(const struct mc_block){ sizeof(struct target_block), options_of_target } },
	{ 0 },
};

static const struct mc_option chain_options[] = {
	{ "", MC_OPT_STRING(struct chain_block, name), .required = true, .sample = "PostCache",
	  .help = "Name of the chain. Blocks of the same name are one chain." },
	{ "Rule", MC_OPT_BLOCKS(struct chain_block, rules),
	  .help = "A rule; rules are gone through in their order.",
	  .block = &(const struct mc_block){ sizeof(struct rule_block), rule_options } },
	{ "Target", MC_OPT_BLOCKS(struct chain_block, targets),
	  .help = "What is done with values that no rule has stopped.",
	  .block = &(const struct mc_block){ sizeof(struct target_block), options_of_target } },
	{ 0 },
};

const struct mc_option options_table[] = {
	{ "PreCacheChain", MC_OPT_STRING(struct chain_options, before), .default_value = "PreCache",
	  .help = "Chain that values go through before anything else; without "
		  "a chain of that name they are taken as they are." },
	{ "PostCacheChain", MC_OPT_STRING(struct chain_options, behind),
	  .default_value = "PostCache",
	  .help = "Chain that values go through on their way to the writers; "
		  "without a chain of that name all writers get them, with one "
		  "only those that a target 'write' names." },
	{ "Chain", MC_OPT_BLOCKS(struct chain_options, chains), .help = "A filter chain.",
	  .block = &(const struct mc_block){ sizeof(struct chain_block), chain_options } },
	{ 0 },
};

/* --- What a file gives ---------------------------------------------------- */

static bool is_given(const struct mc_option *option, const void *block)
{
	const void *field = (const char *)block + option->offset;

	switch (option->type) {
	case MC_BOOL:
		return *(const bool *)field;
	case MC_NUMBER:
		return !isnan(*(const double *)field);
	case MC_TIME:
		return *(const mc_time *)field != 0;
	case MC_STRING:
		return *(const char *const *)field != NULL;
	case MC_WORD:
		return *(const int *)field != 0;
	default: /* Lists have the same shape. */
		return ((const struct mc_strings *)field)->len > 0;
	}
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names != NULL && strcasecmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

const struct mc_option *options_foreign(const struct mc_option *table, const void *block,
					const char *const *names)
{
	for (; table->name != NULL; table++)
		if (table->name[0] != '\0' && is_given(table, block) &&
		    !is_among(table->name, names))
			return table;
	return NULL;
}
