/* SPDX-License-Identifier: MIT */
/* dbi: results of queries of any database that libdbi has a driver for (collectd.conf(5), "Plugin
 * dbi"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <strings.h>

#include "kit/series/sql_put.h"
#include "session.h"

struct dbi {
	struct mc_blocks queries;   /* struct given */
	struct mc_blocks databases; /* struct session_settings */
};

struct given { /* A Query block. */
	struct sql_query query;
};

static void put(void *argument, void *session, struct mc_batch *batch)
{
	const struct session_database *database = argument;
	const struct session_settings *settings = database->settings;
	const struct sql_put_names names = {
		.name = settings->name,
		.host = settings->host,
		.plugin = settings->plugin,
		.plugin_instance = settings->name,
	};

	sql_put(database->ctx, &names, &database->queries, session_answers(session), batch);
}

static const struct slow_source_kind kind = {
	.open = session_open,
	.ask = session_ask,
	.put = put,
	.close = session_close,
};

/* --- Checks ---------------------------------------------------------------------------- */

static void check_database(struct mc_ctx *ctx, const struct session_settings *settings)
{
	const struct dbi *self = ctx->self;
	const struct session_option *options = settings->options.items;

	if (settings->options.len == 0)
		mc_check_warn(ctx, &settings->name, "has no DriverOption");
	for (size_t i = 0; i < settings->options.len; i++)
		if (strcasecmp(options[i].name, "password") == 0)
			mc_check_password(ctx, &options[i].value);
	for (size_t i = 0; i < settings->queries.len; i++)
		if (!sql_query_is_there(self->queries.items, self->queries.len,
					settings->queries.items[i]))
			mc_check_warn(ctx, &settings->queries.items[i],
				      "is no Query: it is not asked");
	if (settings->queries.len == 0)
		mc_check_warn(ctx, &settings->name, "has no Query: it is asked for nothing");
}

static void dbi_check(struct mc_ctx *ctx)
{
	const struct dbi *self = ctx->self;
	const struct given *queries = self->queries.items;
	const struct session_settings *databases = self->databases.items;

	for (size_t i = 0; i < self->queries.len; i++)
		sql_query_check(ctx, &queries[i].query);
	for (size_t i = 0; i < self->databases.len; i++)
		check_database(ctx, &databases[i]);
}

/* --- Life ------------------------------------------------------------------------------ */

static void find_queries(struct session_database *database, const struct mc_blocks *queries)
{
	const struct mc_strings *names = &database->settings->queries;

	for (size_t i = 0; i < names->len; i++)
		sql_query_list_add(&database->queries, queries->items, queries->len,
				   names->items[i]);
}

static int dbi_run(struct mc_ctx *ctx)
{
	struct dbi *self = ctx->self;
	const struct session_settings *settings = self->databases.items;
	size_t len = self->databases.len;
	struct session_database *databases = mc_alloc_array(len, sizeof(*databases));
	struct slow_source_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		databases[i] = (struct session_database){ .ctx = ctx, .settings = &settings[i] };
		find_queries(&databases[i], &self->queries);
		targets[i] = (struct slow_source_target){
			.kind = &kind,
			.name = settings[i].name,
			.interval = settings[i].interval,
			.settings = &databases[i],
			.argument = &databases[i],
			.limits = &settings[i].limits,
		};
	}
	rc = slow_source_run(ctx, targets, len);
	for (size_t i = 0; i < len; i++)
		sql_query_list_done(&databases[i].queries);
	free(targets);
	free(databases);
	return rc;
}

/* --- Options --------------------------------------------------------------------------- */

static const struct mc_option query_options[] = {
	SQL_QUERY_OPTIONS(struct given, query),
	{ 0 },
};

static const struct mc_option driver_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct session_option, name),
	  .required = true,
	  .sample = "host",
	  .help = "Its name." },
	{ .name = "",
	  MC_OPT_STRING(struct session_option, value),
	  .required = true,
	  .secret = true,
	  .sample = "localhost",
	  .help = "Its value." },
	{ 0 },
};

static const struct mc_option database_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct session_settings, name),
	  .required = true,
	  .sample = "shop",
	  .help = "Plugin instance of the series." },
	{ .name = "Driver",
	  MC_OPT_STRING(struct session_settings, driver),
	  .required = true,
	  .sample = "mysql",
	  .help = "Driver of libdbi: mysql, pgsql, sqlite3, freetds and others." },
	{ .name = "DriverOption",
	  MC_OPT_BLOCKS(struct session_settings, options),
	  .block = &(const struct mc_block){ .size = sizeof(struct session_option),
					     .options = driver_options },
	  .help = "An option of the driver, and its value: host, username, password, dbname; "
		  "others are numbers if they look like one." },
	{ .name = "SelectDB",
	  MC_OPT_STRING(struct session_settings, select),
	  .sample = "shop",
	  .help = "Database that is selected after the connection is made." },
	{ .name = "Query",
	  MC_OPT_STRINGS(struct session_settings, queries),
	  .sample = "tickets",
	  .help = "A query." },
	{ .name = "Host",
	  MC_OPT_STRING(struct session_settings, host),
	  .sample = "db1.example.org",
	  .help = "Host in the names of the series; by default this one." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct session_settings, plugin),
	  .sample = "shop",
	  .help = "Plugin in the names of the series; by default dbi." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct session_settings, interval),
	  .sample = "60",
	  .min = 0.001,
	  .max = 1e9,
	  .help = "Seconds between two reads; by default the interval of the plugin." },
	MC_QUOTA_SOURCE_OPTIONS(struct session_settings, limits, "database", "10000", "1000"),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Query",
	  MC_OPT_BLOCKS(struct dbi, queries),
	  .block = &(const struct mc_block){ .size = sizeof(struct given),
					     .options = query_options },
	  .help = "A query of which databases are asked." },
	{ .name = "Database",
	  MC_OPT_BLOCKS(struct dbi, databases),
	  .block = &(const struct mc_block){ .size = sizeof(struct session_settings),
					     .options = database_options },
	  .help = "A database." },
	{ 0 },
};

MC_PLUGIN(dbi) = {
	MC_NAMED(dbi),
	.help = "Asks databases for results of queries, by the drivers of libdbi.",
	.self_size = sizeof(struct dbi),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.check = dbi_check,
	.run = dbi_run,
	.lenient = true,
};
