/* SPDX-License-Identifier: MIT */
/* kit/series/sql_query.h - queries of databases and the series of their rows, by the blocks that
 * collectd has for them, in libseries_sql. */
#pragma once

#include <collector/check.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

struct sql_query_result { /* A Result block: the series of a row. */
	const char *type, *prefix;
	struct mc_strings instances, values, metadata; /* Names of columns. */
};

struct sql_query { /* A Query block. */
	const char *name, *statement, *plugin_instance;
	struct mc_strings parameters; /* Where a plugin has an option for them. */
	int64_t min_version, max_version;
	struct mc_blocks results; /* struct sql_query_result */
};

extern const struct mc_option sql_query_result_options[];

/* The options of a Query block, in a struct that has a struct sql_query 'at'. */
#define SQL_QUERY_OPTIONS(self, at)                                                                \
	{ .name = "",                                                                              \
	  MC_OPT_STRING(self, at.name),                                                            \
	  .required = true,                                                                        \
	  .sample = "tickets",                                                                     \
	  .help = "Name; several may have one, for different versions." },                         \
		{ .name = "Statement",                                                             \
		  MC_OPT_STRING(self, at.statement),                                               \
		  .required = true,                                                                \
		  .sample = "SELECT state, count(*) AS count FROM tickets GROUP BY state",         \
		  .help = "A command of SQL." },                                                   \
		{ .name = "PluginInstanceFrom",                                                    \
		  MC_OPT_STRING(self, at.plugin_instance),                                         \
		  .sample = "tenant",                                                              \
		  .help = "Column with the plugin instance; by default it is that of the "         \
			  "database." },                                                           \
		{ .name = "MinVersion",                                                            \
		  MC_OPT_INT(self, at.min_version),                                                \
		  .default_value = "0",                                                            \
		  .min = 0,                                                                        \
		  .max = INT32_MAX,                                                                \
		  .help = "First version of the server that is asked: 90603 is 9.6.3, 150004 is "  \
			  "15.4." },                                                               \
		{ .name = "MaxVersion",                                                            \
		  MC_OPT_INT(self, at.max_version),                                                \
		  .default_value = "2147483647",                                                   \
		  .min = 0,                                                                        \
		  .max = INT32_MAX,                                                                \
		  .help = "Last version of the server that is asked." },                           \
	{                                                                                          \
		.name = "Result", MC_OPT_BLOCKS(self, at.results),                                 \
		.block =                                                                           \
			&(const struct mc_block){                                                  \
				.size = sizeof(struct sql_query_result),                           \
				.options = sql_query_result_options,                               \
			},                                                                         \
		.required = true, .help = "Series that are made of each row."                      \
	}

/* For check(): types are known, and have as many values as are named. */
void sql_query_check(struct mc_ctx *, const struct sql_query *);

/* --- Queries of a database --------------------------------------------------- */

struct sql_query_list { /* All zero: none. */
	const struct sql_query **items;
	struct mc_once *troubles; /* Of each. */
	size_t len;
};

/* Adds those of that name, of 'len' at 'queries', which stay the caller's; returns how many. */
size_t sql_query_list_add(struct sql_query_list *, const struct sql_query *queries, size_t len,
			  const char *name);
void sql_query_list_done(struct sql_query_list *);

/* Whether one has that name. */
bool sql_query_is_there(const struct sql_query *queries, size_t len, const char *name);
