/* SPDX-License-Identifier: MIT */
/* postgresql: figures of databases of PostgreSQL, and results of queries (collectd.conf(5), "Plugin
 * postgresql"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <strings.h>

#include "put.h"

struct postgresql {
	struct mc_blocks queries;   /* struct sql_query */
	struct mc_blocks databases; /* struct database_settings */
	struct mc_configs writers;  /* Without effect. */
};

static const struct slow_source_kind kind = {
	.open = session_open,
	.ask = session_ask,
	.put = put_answers,
	.close = session_close,
};

/* --- Checks ---------------------------------------------------------------------- */

static void check_query(struct mc_ctx *ctx, const struct sql_query *query)
{
	static const char *const parameters[] = { "hostname", "database", "instance", "username",
						  "interval" };

	if (query->parameters.len > 16)
		mc_check_error(ctx, &query->parameters.items[16], "is one more than 16");
	for (size_t i = 0; i < query->parameters.len; i++) {
		size_t j = 0;

		while (j < 5 && strcasecmp(query->parameters.items[i], parameters[j]) != 0)
			j++;
		if (j == 5)
			mc_check_error(ctx, &query->parameters.items[i],
				       "is not hostname, database, instance, username or "
				       "interval");
	}
	sql_query_check(ctx, query);
}

static void postgresql_check(struct mc_ctx *ctx)
{
	const struct postgresql *self = ctx->self;
	const struct sql_query *queries = self->queries.items;
	const struct database_settings *databases = self->databases.items;

	for (size_t i = 0; i < self->queries.len; i++)
		check_query(ctx, &queries[i]);
	for (size_t i = 0; i < self->databases.len; i++) {
		const struct mc_strings *names = &databases[i].queries;

		mc_check_password(ctx, &databases[i].password);
		for (size_t j = 0; j < names->len; j++)
			if (!database_has_query(&self->queries, names->items[j]))
				mc_check_error(ctx, &names->items[j],
					       "is neither a Query nor predefined");
	}
}

/* --- Life ------------------------------------------------------------------------- */

static int postgresql_run(struct mc_ctx *ctx)
{
	struct postgresql *self = ctx->self;
	const struct database_settings *settings = self->databases.items;
	size_t len = self->databases.len;
	struct database *databases = mc_alloc_array(len, sizeof(*databases));
	struct slow_source_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		database_init(&databases[i], ctx, &settings[i], &self->queries);
		targets[i] = (struct slow_source_target){
			.kind = &kind,
			.name = database_instance(&settings[i]),
			.interval = settings[i].interval,
			.settings = &databases[i],
			.argument = &databases[i],
			.limits = &settings[i].limits,
		};
	}
	rc = slow_source_run(ctx, targets, len);
	for (size_t i = 0; i < len; i++)
		database_done(&databases[i]);
	free(targets);
	free(databases);
	return rc;
}

/* --- The options -------------------------------------------------------------------- */

/* A struct sql_query with another option. */
struct given {
	struct sql_query query;
};

static const struct mc_option query_options[] = {
	SQL_QUERY_OPTIONS(struct given, query),
	{ .name = "Param",
	  MC_OPT_STRINGS(struct given, query.parameters),
	  .sample = "database",
	  .help = "The next of the parameters $1, $2 and so on of the statement: hostname, "
		  "database, instance, username or interval." },
	{ 0 },
};

static const struct mc_option database_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct database_settings, name),
	  .required = true,
	  .sample = "shop",
	  .help = "Name of the database." },
	{ .name = "Host",
	  MC_OPT_STRING(struct database_settings, host),
	  .sample = "db1.example.org",
	  .help = "Server, or the folder of its unix socket; by default that of the library." },
	{ .name = "Port",
	  MC_OPT_STRING(struct database_settings, port),
	  .sample = "5432",
	  .help = "TCP port of the server, or the number of its unix socket." },
	{ .name = "User",
	  MC_OPT_STRING(struct database_settings, user),
	  .sample = "collector",
	  .help = "User for the server; by default that of the collector." },
	{ .name = "Password",
	  MC_OPT_STRING(struct database_settings, password),
	  .secret = true,
	  .sample = "secret",
	  .help = "Password of that user." },
	{ .name = "SSLMode",
	  MC_OPT_STRING(struct database_settings, ssl_mode),
	  .sample = "require",
	  .help = "disable, allow, prefer, require, verify-ca or verify-full; by default "
		  "prefer." },
	{ .name = "KRBSrvName",
	  MC_OPT_STRING(struct database_settings, kerberos),
	  .sample = "postgres",
	  .help = "Name of the service for Kerberos." },
	{ .name = "Service",
	  MC_OPT_STRING(struct database_settings, service),
	  .sample = "shop",
	  .help = "Section of pg_service.conf with further parameters." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct database_settings, instance),
	  .sample = "shop",
	  .help = "Plugin instance of the series; by default the name of the database." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct database_settings, plugin),
	  .sample = "shop",
	  .help = "Plugin in the names of the series; by default postgresql." },
	{ .name = "Query",
	  MC_OPT_STRINGS(struct database_settings, queries),
	  .sample = "backends",
	  .help = "A query; without any, those that are predefined, but for the ones by table." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct database_settings, interval),
	  .sample = "60",
	  .min = 0.001,
	  .max = 1e9,
	  .help = "Seconds between two reads; by default the interval of the plugin." },
	{ .name = "ExpireDelay",
	  MC_OPT_STRING(struct database_settings, unused),
	  .sample = "60",
	  .no_effect = true,
	  .help = "each value is as old as its answer" },
	{ .name = "CommitInterval",
	  MC_OPT_STRING(struct database_settings, unused),
	  .sample = "60",
	  .no_effect = true,
	  .help = "nothing is written to the database" },
	{ .name = "Writer",
	  MC_OPT_STRING(struct database_settings, unused),
	  .sample = "sqlstore",
	  .no_effect = true,
	  .help = "nothing is written to the database" },
	MC_QUOTA_SOURCE_OPTIONS(struct database_settings, limits, "database", "10000", "1000"),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Query",
	  MC_OPT_BLOCKS(struct postgresql, queries),
	  .block = &(const struct mc_block){ .size = sizeof(struct given),
					     .options = query_options },
	  .help = "A query of which databases are asked." },
	{ .name = "Database",
	  MC_OPT_BLOCKS(struct postgresql, databases),
	  .block = &(const struct mc_block){ .size = sizeof(struct database_settings),
					     .options = database_options },
	  .help = "A database." },
	{ .name = "Writer",
	  MC_OPT_CONFIGS(struct postgresql, writers),
	  .no_effect = true,
	  .help = "nothing is written to databases" },
	{ 0 },
};

MC_PLUGIN(postgresql) = {
	MC_NAMED(postgresql),
	.help = "Asks databases of PostgreSQL for their figures, and for results of queries.",
	.self_size = sizeof(struct postgresql),
	.options = options,
	.types = (const char *const[]){ "gauge", "pg_blks", "pg_db_size", "pg_n_tup_c",
					"pg_n_tup_g", "pg_numbackends", "pg_scan", "pg_xact",
					NULL },
	.check = postgresql_check,
	.run = postgresql_run,
	.lenient = true,
};
