/* SPDX-License-Identifier: MIT */
/* memcached: figures of servers of memcached, by its text protocol (collectd.conf(5), "Plugin
 * memcached"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/net/dialogue.h"
#include "stats.h"

struct ratio { /* Totals of the interval before; 0: none. */
	int64_t part, rest;
};

struct totals { /* Of an answer: what a series has several of. */
	int64_t bytes, limit, received, sent;
	int64_t gets, hits, incr_hits, incr_misses, decr_hits, decr_misses;
	double user, system;
};

struct server { /* An Instance block. */
	const char *name, *host, *address, *port, *socket;
	struct mc_quota_limits limits;
	struct totals totals;
	struct ratio hits, incr, decr;
};

struct memcached {
	struct mc_blocks servers; /* struct server */
	struct server server;     /* That of options without a block. */
};

/* --- Names ----------------------------------------------------------------- */

static bool is_local(const char *host)
{
	return strcmp(host, "127.0.0.1") == 0 || strcmp(host, "localhost") == 0;
}

static const char *address_of(const struct server *server)
{
	if (server->address != NULL)
		return server->address;
	return server->host != NULL ? server->host : "127.0.0.1";
}

/* Of the series; NULL: this host. */
static const char *host_of(const struct server *server)
{
	if (server->host != NULL && server->address == NULL && is_local(server->host))
		return NULL;
	return server->host;
}

/* --- Values ---------------------------------------------------------------- */

enum form { LEVEL, TOTAL };

static const struct {
	const char *stat, *type, *type_instance;
	enum form form;
} single[] = {
	{ "curr_items", "memcached_items", "current", LEVEL },
	{ "uptime", "uptime", NULL, LEVEL },
	{ "curr_connections", "memcached_connections", "current", LEVEL },
	{ "listen_disabled_num", "total_events", "listen_disabled", TOTAL },
	{ "total_connections", "connections", "opened", TOTAL },
	{ "incr_misses", "memcached_ops", "incr_misses", TOTAL },
	{ "incr_hits", "memcached_ops", "incr_hits", TOTAL },
	{ "decr_misses", "memcached_ops", "decr_misses", TOTAL },
	{ "decr_hits", "memcached_ops", "decr_hits", TOTAL },
	{ "get_hits", "memcached_ops", "hits", TOTAL },
	{ "get_misses", "memcached_ops", "misses", TOTAL },
	{ "evictions", "memcached_ops", "evictions", TOTAL },
	{ "delete_hits", "memcached_ops", "delete_hits", TOTAL },
	{ "delete_misses", "memcached_ops", "delete_misses", TOTAL },
};

/* Those that are kept until the end of the answer. */
static const struct {
	const char *stat;
	size_t offset;
} kept[] = {
	{ "bytes", offsetof(struct totals, bytes) },
	{ "limit_maxbytes", offsetof(struct totals, limit) },
	{ "bytes_read", offsetof(struct totals, received) },
	{ "bytes_written", offsetof(struct totals, sent) },
	{ "cmd_get", offsetof(struct totals, gets) },
	{ "get_hits", offsetof(struct totals, hits) },
	{ "incr_hits", offsetof(struct totals, incr_hits) },
	{ "incr_misses", offsetof(struct totals, incr_misses) },
	{ "decr_hits", offsetof(struct totals, decr_hits) },
	{ "decr_misses", offsetof(struct totals, decr_misses) },
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

struct putting {
	struct server *server;
	struct mc_batch *batch;
};

static struct mc_series *series_of(const struct putting *to, const char *type,
				   const char *type_instance)
{
	return mc_series(to->batch,
			 MC_ID(.host = host_of(to->server), .plugin_instance = to->server->name,
			       .type = type, .type_instance = type_instance));
}

static void put_total(const struct putting *to, const char *type, const char *type_instance,
		      int64_t total)
{
	mc_derive(to->batch, series_of(to, type, type_instance), total);
}

static void put_level(const struct putting *to, const char *type, const char *type_instance,
		      double level)
{
	mc_gauge(to->batch, series_of(to, type, type_instance), level);
}

static void put_totals(const struct putting *to, const char *type, int64_t first, int64_t second)
{
	const union mc_value values[] = { { .derive = first }, { .derive = second } };

	mc_put(to->batch, series_of(to, type, NULL), values, 2);
}

static void put_levels(const struct putting *to, const char *type, const char *type_instance,
		       const double levels[2])
{
	const union mc_value values[] = { { .gauge = levels[0] }, { .gauge = levels[1] } };

	mc_put(to->batch, series_of(to, type, type_instance), values, 2);
}

static void take_stat(const struct putting *to, const struct stats_stat *stat)
{
	struct totals *totals = &to->server->totals;

	for (size_t i = 0; i < LEN(kept); i++)
		if (strcmp(stat->name, kept[i].stat) == 0)
			*(int64_t *)((char *)totals + kept[i].offset) = stat->total;
	if (strcmp(stat->name, "rusage_user") == 0)
		totals->user = stat->level;
	else if (strcmp(stat->name, "rusage_system") == 0)
		totals->system = stat->level;
	else if (strcmp(stat->name, "threads") == 0)
		put_levels(to, "ps_count", NULL, (double[]){ NAN, stat->level });
	else if (strncmp(stat->name, "cmd_", 4) == 0 && stat->name[4] != '\0')
		put_total(to, "memcached_command", stat->name + 4, stat->total);
	for (size_t i = 0; i < LEN(single); i++) {
		if (strcmp(stat->name, single[i].stat) != 0)
			continue;
		if (single[i].form == LEVEL)
			put_level(to, single[i].type, single[i].type_instance, stat->level);
		else
			put_total(to, single[i].type, single[i].type_instance, stat->total);
	}
}

/* The part in percent of all since the interval before; NaN: nothing is known. */
static double percent_of(struct ratio *before, struct ratio now)
{
	struct ratio old = *before;
	double part = (double)(now.part - old.part), rest = (double)(now.rest - old.rest);

	*before = now;
	if (old.part == 0 || old.rest == 0 || part < 0 || rest < 0 || part + rest <= 0)
		return NAN;
	return 100 * part / (part + rest);
}

static void put_ratio(const struct putting *to, const char *name, struct ratio *before,
		      struct ratio now)
{
	put_level(to, "percent", name, percent_of(before, now));
}

static void end_answer(const struct putting *to)
{
	struct server *server = to->server;
	const struct totals *totals = &server->totals;
	const struct ratio incr = { totals->incr_hits, totals->incr_misses },
			   decr = { totals->decr_hits, totals->decr_misses };

	if (totals->limit > 0 && totals->bytes <= totals->limit)
		put_levels(to, "df", "cache",
			   (double[]){ (double)totals->bytes,
				       (double)(totals->limit - totals->bytes) });
	if (totals->user > 0 || totals->system > 0)
		put_totals(to, "ps_cputime", (int64_t)(totals->user * 1e6),
			   (int64_t)(totals->system * 1e6));
	if (totals->received != 0 || totals->sent != 0)
		put_totals(to, "memcached_octets", totals->received, totals->sent);
	if (totals->gets != 0 && totals->hits != 0)
		put_ratio(to, "hitratio", &server->hits,
			  (struct ratio){ totals->hits, totals->gets - totals->hits });
	if (incr.part != 0 && incr.rest != 0) {
		put_ratio(to, "incr_hitratio", &server->incr, incr);
		put_total(to, "memcached_ops", "incr", incr.part + incr.rest);
	}
	if (decr.part != 0 && decr.rest != 0) {
		put_ratio(to, "decr_hitratio", &server->decr, decr);
		put_total(to, "memcached_ops", "decr", decr.part + decr.rest);
	}
}

/* --- The protocol ---------------------------------------------------------- */

static void ask(struct dialogue *dialogue)
{
	static const char question[] = "stats\r\n";
	struct server *server = dialogue_argument(dialogue);

	server->totals = (struct totals){ 0 };
	dialogue_ask(dialogue, question, sizeof(question) - 1);
}

static void take_line(struct dialogue *dialogue, char *line, size_t size)
{
	const struct putting to = { dialogue_argument(dialogue), dialogue_batch(dialogue) };
	struct stats_stat stat;

	(void)size;
	switch (stats_read(line, &stat)) {
	case STATS_VALUE:
		take_stat(&to, &stat);
		break;
	case STATS_END:
		end_answer(&to);
		dialogue_answered(dialogue);
		break;
	case STATS_BAD:
		dialogue_fail(dialogue, "its answer is not one of memcached");
		break;
	case STATS_TEXT:
		break;
	}
}

static const struct dialogue_kind kind = {
	.ask = ask,
	.line = take_line,
	.answer_max = 65536,
};

/* --- Life ------------------------------------------------------------------ */

static struct server *server_at(struct memcached *self, size_t i)
{
	return self->servers.len > 0 ? (struct server *)self->servers.items + i : &self->server;
}

static void memcached_check(struct mc_ctx *ctx)
{
	struct memcached *self = ctx->self;

	for (size_t i = 0; i < self->servers.len + (self->servers.len == 0); i++) {
		const struct server *server = server_at(self, i);
		const char *const *host =
			server->address != NULL ? &server->address : &server->host;

		dialogue_check(ctx, host, &server->port, &server->socket);
	}
}

static int memcached_run(struct mc_ctx *ctx)
{
	struct memcached *self = ctx->self;
	size_t len = self->servers.len > 0 ? self->servers.len : 1;
	struct dialogue_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		struct server *server = server_at(self, i);
		bool by_socket = server->socket != NULL;

		targets[i] = (struct dialogue_target){
			.kind = &kind,
			.host = by_socket ? server->socket : address_of(server),
			.port = by_socket ? NULL : server->port,
			.limits = &server->limits,
			.argument = server,
		};
	}
	rc = dialogue_run(ctx, targets, len);
	free(targets);
	return rc;
}

/* --- The options ------------------------------------------------------------ */

#define SERVER_OPTIONS(self, field)                                                                \
	{ .name = "Host",                                                                          \
	  MC_OPT_STRING(self, field host),                                                         \
	  .sample = "cache.example.org",                                                           \
	  .help = "Host in the names of the series; by default this one.  Without Address, "       \
		  "it is also asked; \"localhost\" and \"127.0.0.1\" are then this host." },       \
		{ .name = "Address",                                                               \
		  MC_OPT_STRING(self, field address),                                              \
		  .sample = "127.0.0.1",                                                           \
		  .help = "Name or address of the server; by default Host, or else "               \
			  "127.0.0.1." },                                                          \
		{ .name = "Port",                                                                  \
		  MC_OPT_STRING(self, field port),                                                 \
		  .default_value = "11211",                                                        \
		  .help = "TCP port of the server." },                                             \
		{ .name = "Socket",                                                                \
		  MC_OPT_STRING(self, field socket),                                               \
		  .sample = "/run/memcached/memcached.sock",                                       \
		  .help = "Unix socket of the server, instead of Address and Port." },             \
		DIALOGUE_QUOTA_OPTIONS(self, field limits)

static const struct mc_option server_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct server, name),
	  .sample = "sessions",
	  .help = "Plugin instance of the series." },
	SERVER_OPTIONS(struct server, ),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Instance",
	  MC_OPT_BLOCKS(struct memcached, servers),
	  .block = &(const struct mc_block){ .size = sizeof(struct server),
					     .options = server_options },
	  .help = "A server; with such blocks the options beside them do not count." },
	SERVER_OPTIONS(struct memcached, server.),
	{ 0 },
};

MC_PLUGIN(memcached) = {
	MC_NAMED(memcached),
	.help = "Asks servers of memcached for their figures.",
	.self_size = sizeof(struct memcached),
	.options = options,
	.types = (const char *const[]){ "connections", "df", "memcached_command",
					"memcached_connections", "memcached_items",
					"memcached_octets", "memcached_ops", "percent", "ps_count",
					"ps_cputime", "total_events", "uptime", NULL },
	.check = memcached_check,
	.run = memcached_run,
	.lenient = true,
};
