/* SPDX-License-Identifier: MIT */
/* influx - takes values that others write to an InfluxDB: by HTTP, as to
 * version 1 or 2, and by UDP. */
#include <collector/check.h>
#include <collector/kit/http_server.h>
#include <collector/kit/listen_options.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "datagrams.h"
#include "request.h"

struct listen_options { /* A block Listen. */
	struct mc_httpd_listen http;
};

struct influx {
	struct mc_blocks listens; /* struct listen_options */
	struct mc_blocks udp;     /* struct datagrams_options */
	struct mc_paths_options paths;
	struct mc_httpd_limits limits;
	int64_t receive_buffer;

	struct influx_server server;
	struct datagrams datagrams;
	struct mc_httpd *http; /* NULL: start() has not made the rest. */
};

static const struct mc_option listen_block_options[] = {
	MC_LISTEN_OPTIONS(struct listen_options, http.host, http.port, "8086"),
	MC_HTTPD_LISTEN_OPTIONS(struct listen_options, http),
	MC_HTTPD_PLAIN_OPTION(struct listen_options, http),
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct listen_options), listen_block_options };

static const struct mc_option udp_block_options[] = {
	MC_LISTEN_OPTIONS(struct datagrams_options, host, port, "8089"),
	{ 0 },
};
static const struct mc_block udp_block = { sizeof(struct datagrams_options), udp_block_options };

static const struct mc_option options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct influx, listens), .block = &listen_block,
	  .help = "An address to listen at; 127.0.0.1 port 8086 if there is "
		  "neither it nor UDP." },
	{ "UDP", MC_OPT_BLOCKS(struct influx, udp), .block = &udp_block,
	  .help = "An address to take datagrams at." },
	MC_PATHS_OPTIONS(struct influx, paths),
	MC_HTTPD_LIMIT_OPTIONS(struct influx, limits, "1", "4096", "33554432", "134217728"),
	MC_QUOTA_CLIENT_OPTIONS(struct influx, server.limits, "500000", "50000"),
	MC_RECEIVE_BUFFER_OPTION(struct influx, receive_buffer),
	{ 0 },
};

static void influx_check(struct mc_ctx *ctx)
{
	const struct influx *self = ctx->self;
	const struct listen_options *listens = self->listens.items;
	const struct datagrams_options *udp = self->udp.items;

	for (size_t i = 0; i < self->listens.len; i++)
		mc_httpd_check(ctx, &listens[i].http);
	for (size_t i = 0; i < self->udp.len; i++)
		mc_check_listen(ctx, &udp[i].host, &udp[i].port, SOCK_DGRAM);
	mc_paths_check(ctx, &self->paths);
	mc_httpd_check_limits(ctx, &self->limits);
}

/* --- Life ----------------------------------------------------------------- */

static void *make_client(void *argument, const char *name)
{
	const struct influx_server *server = argument;

	return mc_quota_new(server->ctx, MC_QUOTA_CLIENT, name, &server->limits);
}

static void free_client(void *server, void *client)
{
	(void)server;
	mc_quota_free(client);
}

static void cancel_commits(void *server)
{
	mc_commit_cancel(((struct influx_server *)server)->ctx);
}

static struct mc_httpd *make_http(struct mc_ctx *ctx)
{
	struct influx *self = ctx->self;
	struct mc_httpd_options http = {
		.limits = self->limits,
		.routes = request_routes,
		.argument = &self->server,
		.refuse = request_refuse,
		.client_new = make_client,
		.client_free = free_client,
		.cancel = cancel_commits,
	};

	http.limits.clients_len = 16384;
	mc_httpd_derive_limits(&http.limits);
	return mc_httpd_new(ctx, &http);
}

static int listen_all(struct mc_ctx *ctx)
{
	static const struct mc_httpd_listen here = { .host = "127.0.0.1", .port = "8086" };
	struct influx *self = ctx->self;
	const struct listen_options *listens = self->listens.items;
	const struct datagrams_options *udp = self->udp.items;
	int rc = 0;

	if (self->listens.len == 0 && self->udp.len == 0)
		return mc_httpd_listen(self->http, &here);
	for (size_t i = 0; i < self->listens.len && rc == 0; i++)
		rc = mc_httpd_listen(self->http, &listens[i].http);
	for (size_t i = 0; i < self->udp.len && rc == 0; i++)
		rc = mc_datagram_sockets_open(ctx, &self->datagrams.sockets, udp[i].host,
					      udp[i].port, (int)self->receive_buffer);
	return rc;
}

/* Without a host in the tags it is this one. */
static int influx_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct influx *self = ctx->self;
	int rc = 0;

	self->server.ctx = self->datagrams.ctx = ctx;
	self->datagrams.points = &self->server.points;
	self->datagrams.quota = make_client(&self->server, "senders of datagrams");
	self->paths.fallback = "** type_instance*";
	pthread_mutex_init(&self->server.points.lock, NULL);
	self->http = make_http(ctx);
	self->server.points.paths = mc_paths_new(ctx, &self->paths, &rc);
	return rc < 0 ? rc : listen_all(ctx);
}

static void *run_datagrams(void *datagrams)
{
	datagrams_run(datagrams);
	return NULL;
}

static int influx_run(struct mc_ctx *ctx)
{
	struct influx *self = ctx->self;
	pthread_t thread;
	int rc = -1;

	if (self->datagrams.sockets.len > 0) {
		rc = pthread_create(&thread, NULL, run_datagrams, &self->datagrams);
		if (rc != 0)
			return mc_fail(ctx, rc, "cannot start a thread");
	}
	mc_httpd_run(self->http);
	if (rc == 0)
		pthread_join(thread, NULL);
	return 0;
}

static void put_total(struct mc_batch *out, const char *type, const char *name, uint64_t total)
{
	mc_put_derive(out, (int64_t)total, .type = type, .type_instance = name);
}

static int influx_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct influx *self = ctx->self;
	struct points *points = &self->server.points;

	pthread_mutex_lock(&points->lock);
	mc_paths_sweep(points->paths);
	pthread_mutex_unlock(&points->lock);
	put_total(out, "total_values", "accepted", points->taken);
	put_total(out, "total_values", "texts", points->texts);
	put_total(out, "total_requests", "write", self->server.requests);
	mc_httpd_report(self->http, out);
	put_total(out, "errors", "overflow", self->datagrams.dropped);
	put_total(out, "errors", "oversized", self->datagrams.cut);
	for (unsigned i = 0; i < POINTS_REASONS; i++)
		put_total(out, "errors", points_reasons[i], points->refused[i]);
	return 0;
}

static int influx_renew(struct mc_ctx *ctx)
{
	struct influx *self = ctx->self;

	return mc_httpd_renew(self->http);
}

static void influx_stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct influx *self = ctx->self;

	if (self->http == NULL)
		return;
	mc_httpd_free(self->http);
	self->http = NULL;
	datagrams_done(&self->datagrams);
	mc_paths_free(self->server.points.paths);
	pthread_mutex_destroy(&self->server.points.lock);
}

MC_PLUGIN(influx) = {
	MC_NAMED(influx),
	.help = "Takes values that are written to an InfluxDB, by HTTP or UDP.",
	.self_size = sizeof(struct influx),
	.options = options,
	.types = (const char *const[]){ "errors", "gauge", "total_requests", "total_values", NULL },
	.check = influx_check,
	.start = influx_start,
	.read = influx_read,
	.run = influx_run,
	.renew = influx_renew,
	.stop = influx_stop,
	.wants_journal = true,
};
