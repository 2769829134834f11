/* SPDX-License-Identifier: MIT */
/* munin_node - a node of Munin: a master that asks gets the last values of all
 * hosts, without a process. */
#include <collector/certificate.h>
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen.h>
#include <collector/kit/sender_limit.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
	struct mc_accept accepts[MC_ADDRESSES_MAX];
	size_t accepts_len;
	struct client **clients;
	size_t clients_len;
	struct pollfd *fds; /* Those of the clients, then of the listeners. */
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
	{ "TLSCertificate", MC_OPT_STRING(struct munin_node, certificate),
	  .help = "File of the certificate; without it there is no TLS." },
	{ "TLSKey", MC_OPT_STRING(struct munin_node, key), .help = "File of its key." },
	{ "TLSRequired", MC_OPT_BOOL(struct munin_node, require_tls), .default_value = "false",
	  .help = "Answers nothing without TLS." },
	{ "TLSClientCA", MC_OPT_STRING(struct munin_node, ca),
	  .help = "File of certificates of authorities: clients must have a "
		  "certificate of one of them." },
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

/* --- Clients ---------------------------------------------------------------
 */

static void drop(struct munin_node *self, size_t i)
{
	client_free(self->clients[i]);
	self->clients[i] = self->clients[--self->clients_len];
	self->shared.clients = self->clients_len;
}

static void refuse(struct munin_node *self, enum client_refusal reason, int fd)
{
	client_refuse(&self->shared, reason, fd, NULL);
	close(fd);
}

/* The client that has been silent longest makes way: for the first client of an address in any
 * case, so that no other address can keep it out. */
static bool make_room(struct munin_node *self, uint64_t from)
{
	size_t oldest = 0;
	bool first = true;

	for (size_t i = 0; i < self->clients_len; i++) {
		if (self->clients[i]->seen < self->clients[oldest]->seen)
			oldest = i;
		first = first && self->clients[i]->from != from;
	}
	if (!first && mc_now() - self->clients[oldest]->seen < IDLE_MIN)
		return false;
	client_refuse(&self->shared, REFUSED_CLIENTS, self->clients[oldest]->stream.fd,
		      "it was silent");
	drop(self, oldest);
	return true;
}

static void add(void *argument, int fd)
{
	struct munin_node *self = argument;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	uint64_t key;

	if (getpeername(fd, (struct sockaddr *)&from, &size) != 0) {
		close(fd);
		return;
	}
	if (!allow_has(&self->allow, &from)) {
		refuse(self, REFUSED_ADDRESS, fd);
		return;
	}
	key = mc_sender_limit_key(&from, NULL);
	if (self->clients_len == (size_t)self->clients_max && !make_room(self, key)) {
		refuse(self, REFUSED_CLIENTS, fd);
		return;
	}
	self->clients[self->clients_len++] = client_new(&self->shared, fd, key);
	self->shared.clients = self->clients_len;
}

/* Returns when something is to be done anyway. */
static mc_time prepare_clients(struct munin_node *self)
{
	mc_time due = INT64_MAX;

	for (size_t i = 0; i < self->clients_len; i++) {
		const struct client *client = self->clients[i];

		self->fds[i] =
			(struct pollfd){ .fd = client->stream.fd, .events = client_events(client) };
		if (client_due(client) < due)
			due = client_due(client);
	}
	return due;
}

/* The same for the listeners. */
static mc_time prepare_accepts(struct munin_node *self, struct pollfd *fds)
{
	mc_time now = mc_now(), due = INT64_MAX;

	for (size_t i = 0; i < self->accepts_len; i++) {
		struct mc_accept *accept = &self->accepts[i];

		mc_accept_resumes(accept, now);
		fds[i] = (struct pollfd){ .fd = accept->paused ? -1 : accept->listener,
					  .events = POLLIN };
		if (accept->paused)
			due = now + MC_ACCEPT_PAUSE;
	}
	return due;
}

static void end_late(struct munin_node *self, size_t i)
{
	if (mc_now() < client_due(self->clients[i]))
		return;
	client_late(self->clients[i]);
	drop(self, i);
}

static void serve_clients(struct munin_node *self)
{
	/* The last takes the place of one that goes. */
	for (size_t i = self->clients_len; i > 0; i--) {
		if (self->fds[i - 1].revents != 0 && !client_work(self->clients[i - 1]))
			drop(self, i - 1);
		else
			end_late(self, i - 1);
	}
}

static int munin_node_run(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;
	const struct mc_accept_calls calls = { .add = add, .argument = self };
	int rc;

	for (;;) {
		struct pollfd *fds = self->fds + self->clients_len;
		mc_time due = prepare_clients(self);
		mc_time retry = prepare_accepts(self, fds);

		rc = mc_wait(ctx, self->fds, self->clients_len + self->accepts_len,
			     due < retry ? due : retry);
		if (rc < 0)
			break;
		serve_clients(self);
		for (size_t i = 0; i < self->accepts_len; i++)
			if (fds[i].revents != 0)
				mc_accept_some(&self->accepts[i], ctx, mc_now(), &calls);
	}
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
}

static int munin_node_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct munin_node *self = ctx->self;

	if (!self->report_stats)
		return 0;
	mc_put_derive(out, (int64_t)self->shared.requests, .type = "total_requests");
	mc_put_gauge(out, (double)self->shared.clients, .type = "current_connections");
	mc_refusals_report(&self->shared.refusals, out);
	return 0;
}

/* --- Life ------------------------------------------------------------------
 */

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
	int rc = mc_tls_try(ctx, &files);
	char why[MC_TLS_WHY];

	if (rc < 0 || self->certificate == NULL || mc_tls_renew(&self->shared.tls, &files, why))
		return rc;
	return mc_fail(ctx, 0, "%s", why);
}

static int listen_all(struct munin_node *self, struct mc_ctx *ctx)
{
	const struct mc_listen how = { .type = SOCK_STREAM, .both_families = true };
	struct mc_listen_sockets sockets;
	int rc = mc_listen_host(ctx, self->address, self->port, &how, &sockets);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < sockets.len; i++)
		self->accepts[self->accepts_len++] =
			(struct mc_accept){ .listener = sockets.items[i].fd, .asks = true };
	return 0;
}

static int munin_node_start(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;
	size_t clients_max = (size_t)self->clients_max;
	int rc = munin_node_renew(ctx);

	if (rc < 0)
		return rc;
	self->shared.ctx = ctx;
	self->shared.timeout = self->timeout;
	self->shared.spool = self->spool;
	self->shared.require_tls = self->require_tls;
	self->shared.refusals.reasons = client_refusals;
	self->shared.refusals.len = CLIENT_REFUSALS;
	self->clients = mc_alloc_array(clients_max, sizeof(struct client *));
	self->fds = mc_alloc_array(clients_max + MC_ADDRESSES_MAX, sizeof(*self->fds));
	return listen_all(self, ctx);
}

static void munin_node_stop(struct mc_ctx *ctx)
{
	struct munin_node *self = ctx->self;

	while (self->clients_len > 0)
		drop(self, self->clients_len - 1);
	while (self->accepts_len > 0)
		close(self->accepts[--self->accepts_len].listener);
	mc_tls_server_free(&self->shared.tls);
	free(self->clients);
	free(self->fds);
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
