/* SPDX-License-Identifier: MIT */
/* graphite - takes values that others send to a Graphite: plaintext by TCP and
 * UDP, pickles, and lines for OpenTSDB. */
#include <collector/check.h>
#include <collector/kit/listen_options.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <sys/socket.h>

#include "server.h"

struct graphite {
	struct mc_blocks listens; /* struct listen_options */
	struct server_options options;
	bool report_stats;

	struct server server;
};

static const struct mc_option listen_block_options[] = {
	{ "", MC_OPT_STRING(struct listen_options, host), .default_value = "127.0.0.1",
	  .help = "Name or address to listen at; :: is all of this host.", .sample = "127.0.0.1" },
	{ "", MC_OPT_STRING(struct listen_options, port), .default_value = "2003",
	  .help = "Port or name of a service." },
	{ "Protocol", MC_OPT_WORD(struct listen_options, protocol), .default_value = "plaintext",
	  .words = (const char *const[]){ "plaintext", "pickle", "opentsdb", NULL },
	  .help = "What is sent there." },
	{ "UDP", MC_OPT_BOOL(struct listen_options, udp), .default_value = "true",
	  .help = "Also takes datagrams; never of pickles, or with "
		  "TLSCertificate." },
	MC_TLS_SERVER_OPTIONS(struct listen_options, certificate, key, ca),
	MC_TLS12_OPTION(struct listen_options, tls12),
	{ 0 }
};
static const struct mc_block listen_block = { sizeof(struct listen_options), listen_block_options };

static const struct mc_option options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct graphite, listens), .block = &listen_block,
	  .help = "An address to listen at; without one 127.0.0.1 port 2003, "
		  "and port 2004 for pickles." },
	MC_PATHS_OPTIONS(struct graphite, options.paths),
	{ "MaxClients", MC_OPT_INT(struct graphite, options.clients_max), .default_value = "4096",
	  .help = "Largest number of connections; beyond it the one that is "
		  "idle longest is closed.",
	  .min = 1, .max = 65536 },
	MC_CLIENTS_PER_ADDRESS_OPTION(struct graphite, options.clients_per_address, "256"),
	MC_QUOTA_CLIENT_OPTIONS(struct graphite, options.limits, "500000", "50000"),
	{ "MaxFrameSize", MC_OPT_INT(struct graphite, options.frame_max),
	  .default_value = "1048576",
	  .help = "Size in bytes of the largest pickle; reading it takes up to "
		  "14 times as much.",
	  .min = 1024, .max = 1 << 30 },
	{ "MaxMemory", MC_OPT_INT(struct graphite, options.memory_max), .default_value = "67108864",
	  .help = "Size in bytes of all lines and pickles that are not "
		  "complete.",
	  .min = 65536, .max = (double)((int64_t)1 << 40) },
	MC_RECEIVE_BUFFER_OPTION(struct graphite, options.receive_buffer),
	{ "ReportStats", MC_OPT_BOOL(struct graphite, report_stats), .default_value = "false",
	  .help = "Reports values, connections and refusals of this plugin." },
	{ 0 }
};

static const struct listen_options default_listens[] = {
	{ .host = "127.0.0.1", .port = "2003", .protocol = PROTOCOL_PLAINTEXT, .udp = true },
	{ .host = "127.0.0.1", .port = "2004", .protocol = PROTOCOL_PICKLE },
};

static const struct listen_options *all_listens(const struct graphite *self, size_t *len)
{
	*len = self->listens.len;
	if (*len > 0)
		return self->listens.items;
	*len = sizeof(default_listens) / sizeof(*default_listens);
	return default_listens;
}

static void graphite_check(struct mc_ctx *ctx)
{
	const struct graphite *self = ctx->self;
	size_t len;
	const struct listen_options *listens = all_listens(self, &len);

	for (size_t i = 0; i < len; i++) {
		const struct listen_options *listen = &listens[i];

		mc_check_listen(ctx, &listen->host, &listen->port, SOCK_STREAM);
		mc_tls_server_check(ctx, &listen->certificate, &listen->key, &listen->ca);
		if (server_takes_datagrams(listen))
			mc_check_listen(ctx, &listen->host, &listen->port, SOCK_DGRAM);
	}
	mc_paths_check(ctx, &self->options.paths);
}

static int graphite_start(struct mc_ctx *ctx)
{
	struct graphite *self = ctx->self;
	size_t len;
	const struct listen_options *listens = all_listens(self, &len);
	int rc = server_start(&self->server, ctx, &self->options);

	for (size_t i = 0; rc == 0 && i < len; i++)
		rc = server_listen(&self->server, &listens[i]);
	return rc;
}

static int graphite_run(struct mc_ctx *ctx)
{
	struct graphite *self = ctx->self;

	return server_run(&self->server);
}

static int graphite_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct graphite *self = ctx->self;

	if (self->report_stats)
		refused_report(&self->server.refused, &self->server.streams, out);
	return 0;
}

static int graphite_renew(struct mc_ctx *ctx)
{
	struct graphite *self = ctx->self;

	return server_renew(&self->server);
}

static void graphite_stop(struct mc_ctx *ctx)
{
	struct graphite *self = ctx->self;

	server_stop(&self->server);
}

MC_PLUGIN(graphite) = {
	MC_NAMED(graphite),
	.help = "Takes values that are sent to a Graphite or an OpenTSDB.",
	.self_size = sizeof(struct graphite),
	.options = options,
	.types = (const char *const[]){ "current_connections", "errors", "gauge", "total_bytes",
					"total_values", NULL },
	.check = graphite_check,
	.start = graphite_start,
	.run = graphite_run,
	.read = graphite_read,
	.renew = graphite_renew,
	.stop = graphite_stop,
};
