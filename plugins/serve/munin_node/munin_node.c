/* SPDX-License-Identifier: MIT */
/* munin_node - a node of Munin: a master that asks gets the last values of all
 * hosts, without a process. */
#include <collector/check.h>
#include <collector/kit/listen_options.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include "kit/net/certificate.h"

#include <stddef.h>
#include <unistd.h>

#include "allow.h"
#include "client.h"

#define IDLE_MIN MC_SECOND /* Before one more of an address gets in. */

struct munin_node {
	const char *address, *port;
	struct mc_strings allow;
	int64_t clients_max;
	mc_time timeout, spool;
	bool require_tls, report_stats;
	const char *certificate, *key, *ca;

	struct client_shared shared;
	struct mc_loop loop;
	struct mc_refusals refusals;
	struct mc_stream_server streams; /* Of struct client. */
	struct mc_stream_kind kind;
	struct mc_stream_listener listeners[MC_ADDRESSES_MAX];
	struct mc_listen_sockets sockets;
};

static const struct mc_option munin_node_options[] = {
	{ "Address", MC_OPT_STRING(struct munin_node, address), .default_value = "127.0.0.1",
	  .help = "Address to listen at; \"::\" for all." },
	{ "Port", MC_OPT_STRING(struct munin_node, port), .default_value = "4949",
	  .help = "Port to listen at." },
	{ "Allow", MC_OPT_STRINGS(struct munin_node, allow), .default_value = "127.0.0.1 ::1",
	  .help = "Address, or network such as 192.0.2.0/24, that may "
		  "connect." },
	{ "MaxClients", MC_OPT_INT(struct munin_node, clients_max), .default_value = "64", .min = 1,
	  .max = 10000,
	  .help = "Largest number of clients at a time; a further one takes "
		  "the place of the one that has been silent longest." },
	{ "Timeout", MC_OPT_TIME(struct munin_node, timeout), .default_value = "900", .min = 1,
	  .max = 86400, .help = "Seconds without a request after which a client is left." },
	{ "Spool", MC_OPT_TIME(struct munin_node, spool), .default_value = "0", .min = 0,
	  .max = 1209600,
	  .help = "Seconds of history that spoolfetch offers; 0: it is not "
		  "offered." },
	MC_TLS_SERVER_OPTIONS(struct munin_node, certificate, key, ca),
	{ "TLSRequired", MC_OPT_BOOL(struct munin_node, require_tls), .default_value = "false",
	  .help = "Answers nothing without TLS." },
	{ "ReportStats", MC_OPT_BOOL(struct munin_node, report_stats), .default_value = "false",
	  .help = "Reports requests, connections and refusals of this "
		  "plugin." },
	{ 0 },
};

static void munin_node_check(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;

	mc_check_listen(ctx, &self->address, &self->port, SOCK_STREAM);
	for (size_t i = 0; i < self->allow.len; i++)
		if (!allow_is_sound(self->allow.items[i]))
			mc_check_error(ctx, &self->allow.items[i],
				       "is neither an address nor a network");
	mc_check_key_pair(ctx, &self->certificate, &self->key);
	mc_check_certificates(ctx, &self->ca);
	if ((self->certificate == NULL) != (self->key == NULL))
		mc_check_error(ctx, self->key != NULL ? &self->key : &self->certificate,
			       "is of no use without the other of "
			       "TLSCertificate and TLSKey");
	if (self->certificate == NULL && self->require_tls)
		mc_check_error(ctx, &self->require_tls, "needs TLSCertificate and TLSKey");
	if (self->ca != NULL && !self->require_tls)
		mc_check_warn(ctx, &self->ca, "keeps nobody out without TLSRequired");
}

static bool admit(struct mc_stream_server *streams, const struct sockaddr_storage *address)
{
	const struct munin_node *self = streams->ctx->self;

	return allow_has(&self->allow, address);
}

static int munin_node_run(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;
	int rc = mc_loop_run(&self->loop);

	mc_stream_server_close_clients(&self->streams);
	return rc;
}

static int munin_node_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct munin_node *self = ctx->self;

	if (!self->report_stats)
		return 0;
	mc_put_derive(out, (int64_t)self->shared.requests, .type = "total_requests");
	mc_put_gauge(out, (double)self->streams.len, .type = "current_connections");
	mc_refusals_report(&self->refusals, out);
	return 0;
}

/* --- Life ---------------------------------------------------------------- */

/* At a reload, too: for clients that begin TLS from then on. */
static int munin_node_renew(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;
	const struct mc_tls_files files = {
		.certificate = self->certificate,
		.key = self->key,
		.ca = self->ca,
		.verify = self->ca != NULL,
	};

	return mc_tls_server_renew(&self->shared.tls, ctx, &files);
}

static int listen_all(struct munin_node *self, struct mc_ctx *ctx)
{
	const struct mc_listen how = { .type = SOCK_STREAM, .both_families = true };
	int rc = mc_listen_host(ctx, self->address, self->port, &how, &self->sockets);

	for (unsigned i = 0; rc == 0 && i < self->sockets.len; i++) {
		self->listeners[i].kind = &self->kind;
		self->listeners[i].argument = &self->shared;
		self->listeners[i].asks = true;
		rc = mc_stream_server_listen(&self->streams, &self->listeners[i],
					     self->sockets.items[i].fd);
		if (rc < 0)
			rc = mc_fail(ctx, -rc, "cannot watch a socket");
	}
	return rc;
}

static int munin_node_start(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;
	int rc = munin_node_renew(ctx);

	if (rc < 0)
		return rc;
	self->shared.ctx = self->loop.ctx = self->streams.ctx = ctx;
	self->shared.spool = self->spool;
	self->shared.require_tls = self->require_tls;
	self->refusals.reasons = client_refusals;
	self->refusals.len = CLIENT_REFUSALS;
	self->kind = client_kind(self->timeout);
	self->streams.room.loop = &self->loop;
	self->streams.client_size = sizeof(struct client);
	self->streams.clients_max = self->clients_max;
	self->streams.idle_min = IDLE_MIN;
	self->streams.refusals = &self->refusals;
	self->streams.admit = admit;
	mc_stream_server_init(&self->streams);
	rc = mc_loop_init(&self->loop);
	return rc == 0 ? listen_all(self, ctx) : rc;
}

static void munin_node_stop(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;

	mc_stream_server_done(&self->streams);
	mc_loop_done(&self->loop);
	while (self->sockets.len > 0)
		close(self->sockets.items[--self->sockets.len].fd);
	mc_tls_server_free(&self->shared.tls);
}

MC_PLUGIN(munin_node) = {
	MC_NAMED(munin_node),
	.help = "Answers masters of Munin, as a node that has all hosts.",
	.self_size = sizeof(struct munin_node),
	.options = munin_node_options,
	.check = munin_node_check,
	.start = munin_node_start,
	.run = munin_node_run,
	.read = munin_node_read,
	.renew = munin_node_renew,
	.stop = munin_node_stop,
	.lenient = true,
};
