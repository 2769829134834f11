/* SPDX-License-Identifier: MIT */
/* redis: figures of servers of Redis, and answers to queries (collectd.conf(5), "Plugin redis").
 * Valkey and KeyDB speak the same protocol. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <string.h>

#include "node.h"

struct redis {
	struct mc_blocks nodes; /* struct node */
	struct node node;       /* That of a configuration without any. */
};

static struct node *node_at(struct redis *self, size_t i)
{
	return self->nodes.len > 0 ? (struct node *)self->nodes.items + i : &self->node;
}

static void check_query(struct mc_ctx *ctx, const struct node_query *query)
{
	const struct mc_type *type = mc_check_type(ctx, query->type);

	if (query->text[strspn(query->text, " ")] == '\0')
		mc_check_error(ctx, &query->text, "is empty");
	if (type == NULL)
		mc_check_error(ctx, &query->type, "is not in types.db");
	else if (type->sources_len != 1)
		mc_check_error(ctx, &query->type, "has more than one value");
}

static void redis_check(struct mc_ctx *ctx)
{
	const struct redis *self = ctx->self;
	const struct node *nodes = self->nodes.items;

	for (size_t i = 0; i < self->nodes.len; i++) {
		const struct node_query *queries = nodes[i].queries.items;

		dialogue_check(ctx, &nodes[i].host, &nodes[i].port, &nodes[i].socket);
		mc_check_password(ctx, &nodes[i].password);
		for (size_t j = 0; j < nodes[i].queries.len; j++)
			check_query(ctx, &queries[j]);
	}
}

static int redis_run(struct mc_ctx *ctx)
{
	struct redis *self = ctx->self;
	size_t len = self->nodes.len > 0 ? self->nodes.len : 1;
	struct dialogue_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		struct node *node = node_at(self, i);

		targets[i] = (struct dialogue_target){
			.kind = &node_kind,
			.host = node->socket != NULL ? node->socket : node->host,
			.port = node->socket != NULL ? NULL : node->port,
			.timeout = node->timeout_ms * MC_MILLISECOND,
			.limits = &node->limits,
			.argument = node,
		};
	}
	rc = dialogue_run(ctx, targets, len);
	free(targets);
	return rc;
}

static int redis_start(struct mc_ctx *ctx)
{
	struct redis *self = ctx->self;

	self->node = (struct node){
		.name = "default",
		.host = "localhost",
		.port = "6379",
		.timeout_ms = 2000,
		.report_cpu_usage = true,
		.limits = { .series = 10000, .new_series = 1000 },
	};
	return 0;
}

static const struct mc_option query_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct node_query, text),
	  .required = true,
	  .sample = "LLEN myqueue",
	  .help = "Command, and its arguments after blanks; it returns a number." },
	{ .name = "Type",
	  MC_OPT_STRING(struct node_query, type),
	  .default_value = "gauge",
	  .sample = "queue_length",
	  .help = "Type of the series, which has one value." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct node_query, instance),
	  .sample = "myqueue",
	  .help = "Type instance of the series; by default the query, with '_' for all but "
		  "letters, digits and '-'." },
	{ .name = "Database",
	  MC_OPT_INT(struct node_query, database),
	  .default_value = "0",
	  .min = 0,
	  .max = INT32_MAX,
	  .help = "Number of the database that is asked." },
	{ 0 },
};

static const struct mc_option node_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct node, name),
	  .required = true,
	  .sample = "example",
	  .help = "Plugin instance of the series." },
	{ .name = "Host",
	  MC_OPT_STRING(struct node, host),
	  .default_value = "localhost",
	  .help = "Name or address of the server." },
	{ .name = "Port",
	  MC_OPT_STRING(struct node, port),
	  .default_value = "6379",
	  .help = "TCP port of the server." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct node, socket),
	  .sample = "/run/redis/redis-server.sock",
	  .help = "Unix socket of the server, instead of Host and Port." },
	{ .name = "User",
	  MC_OPT_STRING(struct node, user),
	  .sample = "collector",
	  .help = "User for the server, since Redis 6; by default \"default\"." },
	{ .name = "Password",
	  MC_OPT_STRING(struct node, password),
	  .secret = true,
	  .sample = "secret",
	  .help = "Password for the server." },
	{ .name = "Timeout",
	  MC_OPT_INT(struct node, timeout_ms),
	  .default_value = "2000",
	  .min = 1,
	  .max = 86400000,
	  .help = "Milliseconds that the connection and all answers may take." },
	{ .name = "ReportCommandStats",
	  MC_OPT_BOOL(struct node, report_command_stats),
	  .default_value = "false",
	  .help = "Reports calls and CPU time of each command." },
	{ .name = "ReportCpuUsage",
	  MC_OPT_BOOL(struct node, report_cpu_usage),
	  .default_value = "true",
	  .help = "Reports the CPU time of the server." },
	{ .name = "Query",
	  MC_OPT_BLOCKS(struct node, queries),
	  .block = &(const struct mc_block){ .size = sizeof(struct node_query),
					     .options = query_options },
	  .help = "A command whose result is a value." },
	DIALOGUE_QUOTA_OPTIONS(struct node, limits),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Node",
	  MC_OPT_BLOCKS(struct redis, nodes),
	  .block = &(const struct mc_block){ .size = sizeof(struct node), .options = node_options },
	  .help = "A server; without any, \"default\" at localhost:6379 is asked." },
	{ 0 },
};

MC_PLUGIN(redis) = {
	MC_NAMED(redis),
	.help = "Asks servers of Redis for their figures, and for results of queries.",
	.self_size = sizeof(struct redis),
	.options = options,
	.types = (const char *const[]){ "blocked_clients",
					"cache_result",
					"commands",
					"current_connections",
					"evicted_keys",
					"expired_keys",
					"gauge",
					"memory",
					"memory_lua",
					"percent",
					"ps_cputime",
					"pubsub",
					"records",
					"redis_command_cputime",
					"total_bytes",
					"total_connections",
					"total_operations",
					"uptime",
					"volatile_changes",
					NULL },
	.check = redis_check,
	.start = redis_start,
	.run = redis_run,
	.lenient = true,
};
