/* SPDX-License-Identifier: MIT */
/* otlp - receives values and notifications by OTLP over HTTP: from the forward
 * plugin of other collectors, and from any other sender. */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include "check.h"
#include "listen.h"
#include "liveness.h"
#include "server.h"

#define LOOK_MS 1000    /* Between two looks at what takes too long. */
#define LARGE (1 << 20) /* Bytes of a buffer that is rare. */
#define SAVE_INTERVAL (60 * MC_SECOND) /* Of the file of senders. */

struct otlp {
	struct mc_blocks listens; /* Of struct listen_options. */
	struct listen_limits limits;
	struct client_limits client_limits;
	int64_t body_max, inflated_max, pool_max, streams_max, template_bytes;
	mc_time interval;
	double silent_after;

	struct server server;
	struct liveness liveness;
	char *senders_path;    /* Of the file that outlives us. */
	mc_time senders_saved; /* When; monotonic. */
	struct mc_once senders_once;
	struct listen *open;
	size_t open_len;
};

static const char *const hosts[] = {
	[LISTEN_ANY] = "any", [LISTEN_OWN] = "own", NULL
};

static const struct mc_option listen_block_options[] = {
	{ "", MC_OPT_STRING(struct listen_options, host), .required = true,
	  .help = "Name or address to listen at.", .sample = "127.0.0.1" },
	{ "", MC_OPT_STRING(struct listen_options, port),
	  .default_value = "4318", .help = "Port or name of a service." },
	{ "TLSCertificate", MC_OPT_STRING(struct listen_options, certificate),
	  .help = "File with the certificate; without it the plugin speaks "
		  "plain HTTP.",
	  .sample = "/etc/collector/server.pem" },
	{ "TLSKey", MC_OPT_STRING(struct listen_options, key),
	  .help = "File with the key of that certificate.",
	  .sample = "/etc/collector/server.key" },
	{ "TLSClientCA", MC_OPT_STRING(struct listen_options, ca),
	  .help = "File with the authorities that must have signed the "
		  "certificates of clients; without it clients need no "
		  "certificate.",
	  .sample = "/etc/collector/ca.pem" },
	{ "ClientHosts", MC_OPT_WORD(struct listen_options, hosts),
	  .default_value = "any", .words = hosts,
	  .help = "Hosts that a client may send values of: any host, or only "
		  "its own, which are those in its certificate; own needs "
		  "TLSClientCA." },
	{ "AllowTLS12", MC_OPT_BOOL(struct listen_options, tls12),
	  .default_value = "false",
	  .help = "Also speaks TLS 1.2, not only 1.3." },
	{ "AllowPlain", MC_OPT_BOOL(struct listen_options, allow_plain),
	  .default_value = "false",
	  .help = "Speaks plain HTTP at an address that others can reach." },
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct listen_options),
					      listen_block_options };

static const struct mc_option otlp_options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct otlp, listens), .block = &listen_block,
	  .help = "An address to listen at; 127.0.0.1 port 4318 if there is "
		  "none." },
	{ "Interval", MC_OPT_TIME(struct otlp, interval), .default_value = "60",
	  .help = "Interval in seconds of values from senders that do not send "
		  "one.",
	  .min = 0.001, .max = 86400 },
	{ "Threads", MC_OPT_INT(struct otlp, limits.threads),
	  .default_value = "2",
	  .help = "Number of threads that answer requests, for each address.",
	  .min = 1, .max = 64 },
	{ "MaxClients", MC_OPT_INT(struct otlp, limits.clients),
	  .default_value = "16384",
	  .help = "Largest number of connections, for each address.", .min = 1,
	  .max = 65536 },
	{ "MaxClientsPerAddress",
	  MC_OPT_INT(struct otlp, limits.clients_per_address),
	  .default_value = "32",
	  .help = "Largest number of connections from one address.", .min = 1,
	  .max = 65536 },
	{ "MaxBodySize", MC_OPT_INT(struct otlp, body_max),
	  .default_value = "4194304",
	  .help = "Size in bytes of the largest request, as it is sent.",
	  .min = 65536, .max = 1 << 30 },
	{ "MaxInflatedSize", MC_OPT_INT(struct otlp, inflated_max),
	  .default_value = "16777216",
	  .help = "Size in bytes of the largest request after inflating; at "
		  "most half of MaxMemory.",
	  .min = 65536, .max = 1 << 30 },
	{ "MaxMemory", MC_OPT_INT(struct otlp, pool_max),
	  .default_value = "67108864",
	  .help = "Size in bytes of all requests together, as received and "
		  "inflated; beyond it senders are told to try again later.",
	  .min = 65536, .max = (double)((int64_t)1 << 40) },
	{ "MaxRequestsPerClient",
	  MC_OPT_INT(struct otlp, client_limits.requests),
	  .default_value = "16",
	  .help = "Largest number of requests of one client at a time; beyond "
		  "it the client is told to try again later.",
	  .min = 1, .max = 65536 },
	{ "MaxSeriesPerClient", MC_OPT_INT(struct otlp, client_limits.series),
	  .default_value = "50000",
	  .help = "Largest number of series of one client; further ones are "
		  "rejected. 0: no limit.",
	  .min = 0, .max = 1e9 },
	{ "MaxNewSeriesPerClient",
	  MC_OPT_INT(struct otlp, client_limits.new_series),
	  .default_value = "500",
	  .help = "Number of new series per second that are accepted from one "
		  "client, after a burst of up to MaxSeriesPerClient.",
	  .min = 1, .max = 1e9 },
	{ "MaxSenders", MC_OPT_INT(struct otlp, streams_max),
	  .default_value = "16384",
	  .help = "Number of senders and clients whose names and request "
		  "numbers are kept.",
	  .min = 1, .max = 1000000 },
	{ "TemplateCacheBytes", MC_OPT_INT(struct otlp, template_bytes),
	  .alias = "FormMemory", .default_value = "67108864",
	  .help = "Size in bytes of the templates of requests, with which only "
		  "times and values are read; 0: no templates.",
	  .min = 0, .max = (double)((int64_t)1 << 40) },
	{ "SilentAfter", MC_OPT_NUMBER(struct otlp, silent_after),
	  .default_value = "3",
	  .help = "Number of its own intervals without a value after which a "
		  "sender counts as silent; 0: never.",
	  .min = 0, .max = 1000000 },
	{ 0 },
};

static void otlp_check(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	const struct listen_options *listens = self->listens.items;

	for (size_t i = 0; i < self->listens.len; i++)
		check_listen(ctx, &listens[i]);
	if (self->pool_max / 4 < self->body_max ||
	    self->pool_max / 2 < self->inflated_max)
		mc_check_warn(ctx, &self->pool_max,
			      "is less than four times MaxBodySize, or twice "
			      "MaxInflatedSize: the largest requests cannot be "
			      "taken");
}

static int open_all(struct mc_ctx *ctx)
{
	static const struct listen_options here = { .host = "127.0.0.1",
						    .port = "4318" };
	struct otlp *self = ctx->self;
	const struct listen_options *options = self->listens.items;
	size_t len = self->listens.len;
	int rc = 0;

	if (len == 0) {
		options = &here;
		len = 1;
	}
	self->open = mc_alloc_array(len, sizeof(*self->open));
	for (; self->open_len < len && rc == 0; self->open_len += rc == 0)
		rc = listen_open(ctx, &self->open[self->open_len],
				 &self->server, &options[self->open_len],
				 &self->limits);
	return rc;
}

static void close_all(struct otlp *self)
{
	if (self->open_len > 0)
		pending_close(&self->server.pending, self->server.ctx);
	while (self->open_len > 0)
		listen_close(&self->open[--self->open_len]);
	free(self->open);
	self->open = NULL;
}

static void know(void *streams, const struct mc_dedup_id *receipt)
{
	stream_know(streams, receipt);
}

/* --- The file of senders -------------------------------------------------- */

static void load_senders(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	int rc;

	self->senders_path = mc_alloc_printf("%s.senders", ctx->name);
	rc = sender_load(&self->server.senders, self->senders_path);
	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s': %s", self->senders_path,
		       strerror(-rc));
}

/* Writes it if a sender has come or gone, or now and then. */
static void keep_senders(struct mc_ctx *ctx, bool now)
{
	struct otlp *self = ctx->self;
	int rc;

	if (self->senders_path == NULL ||
	    (!now && mc_now() - self->senders_saved < SAVE_INTERVAL &&
	     !sender_changed(&self->server.senders)))
		return;
	rc = sender_save(&self->server.senders, self->senders_path);
	if (rc < 0)
		mc_complain(ctx, &self->senders_once, -rc,
			    "cannot write '%s', so senders are forgotten by a "
			    "restart",
			    self->senders_path);
	else
		mc_works(ctx, &self->senders_once, "'%s' is written again",
			 self->senders_path);
	self->senders_saved = mc_now();
}

/* --- Life ----------------------------------------------------------------- */

/* A quarter of what all have; but its largest request must fit, in memory that
 * doubles as it grows. */
static size_t bytes_per_client(const struct otlp *self)
{
	int64_t bytes = self->pool_max / 4;

	return (size_t)(bytes > 2 * self->body_max ? bytes
						   : 2 * self->body_max);
}

/* All that start() has made. */
static void release(struct otlp *self)
{
	close_all(self);
	pending_done(&self->server.pending);
	sender_done(&self->server.senders);
	stream_done(&self->server.streams);
	client_done(&self->server.clients);
	template_done(&self->server.templates);
	label_done(&self->server.labels);
	watch_done(&self->server.watch);
	free(self->senders_path);
}

/* Else malloc keeps as much as the largest buffer ever freed, twice, for each
 * thread: after a few bombs, that is what they inflated to. */
static void keep_little(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

static int otlp_start(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	int rc;

	keep_little();
	self->server.ctx = ctx;
	self->server.interval = self->interval;
	self->server.body_max = (size_t)self->body_max;
	self->server.inflated_max =
		(size_t)(self->inflated_max < self->pool_max / 2
				 ? self->inflated_max
				 : self->pool_max / 2);
	self->server.pool_max = (size_t)self->pool_max;
	self->client_limits.clients = (size_t)self->streams_max;
	self->client_limits.bytes = bytes_per_client(self);
	client_init(&self->server.clients, ctx, &self->client_limits);
	template_init(&self->server.templates, (size_t)self->template_bytes);
	label_init(&self->server.labels, ctx);
	watch_init(&self->server.watch);
	stream_init(&self->server.streams, (size_t)self->streams_max);
	sender_init(&self->server.senders, (size_t)self->streams_max,
		    self->silent_after, self->interval);
	pending_init(&self->server.pending);
	load_senders(ctx);
	mc_each_dedup_id(ctx, know, &self->server.streams);
	rc = open_all(ctx);
	if (rc < 0)
		release(self);
	return rc;
}

/* Looks after what takes too long, and ends listening as soon as a stop is due:
 * what is answered 200 after that would not find a writer that takes it. */
static int otlp_run(struct mc_ctx *ctx)
{
	struct pollfd fd = { .fd = mc_stop_fd(ctx), .events = POLLIN };
	struct otlp *self = ctx->self;

	while (poll(&fd, 1, LOOK_MS) <= 0)
		watch_look(&self->server.watch);
	close_all(self);
	return 0;
}

static void put_count(struct mc_batch *out, const char *name, uint64_t count)
{
	mc_gauge(out,
		 mc_series(out, MC_ID(.type = "count", .type_instance = name)),
		 (double)count);
}

static int otlp_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct otlp *self = ctx->self;
	struct server *server = &self->server;
	struct liveness *liveness = &self->liveness;
	uint64_t duplicates;

	pthread_mutex_lock(&server->streams.lock);
	duplicates = server->streams.duplicates;
	pthread_mutex_unlock(&server->streams.lock);

	liveness_tell(ctx, out, &server->senders, liveness);
	keep_senders(ctx, false);
	label_forget(&server->labels);

	const struct {
		const char *name;
		uint64_t number;
	} rows[] = {
		{ "requests", atomic_load(&server->requests) },
		{ "refused", atomic_load(&server->refused) },
		{ "rejected_points", atomic_load(&server->rejected) },
		{ "duplicates", duplicates },
		{ "missing", liveness->missing },
		{ "dropped_by_senders", liveness->dropped },
		{ "refused_series", client_refused(&server->clients) },
		{ "refused_hosts", atomic_load(&server->refused_hosts) },
		{ "refused_connections",
		  atomic_load(&server->kept_out[ADDRESS_FULL]) },
		{ "refused_handshakes",
		  atomic_load(&server->kept_out[ADDRESS_SPENT]) },
		{ "known_forms", atomic_load(&server->templates.used) },
		{ "too_slow", atomic_load(&server->watch.ended) },
		{ "notices_withheld", liveness->withheld },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		mc_derive(out,
			  mc_series(out, MC_ID(.type = "derive",
					       .type_instance = rows[i].name)),
			  (int64_t)rows[i].number);
	put_count(out, "senders", liveness->len);
	put_count(out, "senders_silent", liveness->silent);
	return 0;
}

static int otlp_renew(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	int rc = 0;

	for (size_t i = 0; i < self->open_len && rc == 0; i++)
		rc = listen_renew(ctx, &self->open[i]);
	return rc;
}

static void otlp_stop(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	close_all(self);
	keep_senders(ctx, true);
	release(self);
}

static const char *const otlp_types[] = { "count", "derive", "duration",
					  "gauge", NULL };

MC_PLUGIN(otlp) = {
	MC_NAMED(otlp),
	.help = "Receives values and notifications, by OTLP over HTTP.",
	.self_size = sizeof(struct otlp),
	.options = otlp_options,
	.types = otlp_types,
	.check = otlp_check,
	.start = otlp_start,
	.read = otlp_read,
	.run = otlp_run,
	.renew = otlp_renew,
	.stop = otlp_stop,
	.wants_journal = true,
};
