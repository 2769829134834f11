/* SPDX-License-Identifier: MIT */
/* otlp - receives values and notifications by OTLP over HTTP: from the forward
 * plugin of other collectors, and from any other sender. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include "liveness.h"
#include "request.h"
#include "server.h"
#include "tenant.h"

#define HEAD_MAX 8192                  /* Half of what is usual: there may be many connections. */
#define SAVE_INTERVAL (60 * MC_SECOND) /* Of files without changes. */

enum { SAVING_SENDERS, SAVING_IDENTITIES, SAVINGS };

struct saving { /* Of a table to its file. */
	struct kept *kept;
	const char *what;
	char *path;
	mc_time saved; /* When; monotonic. */
	struct mc_once once;
};

struct otlp {
	struct mc_blocks listens; /* Of struct listen_options. */
	struct mc_httpd_limits limits;
	struct mc_quota_limits client_limits;
	int64_t values_max;
	int64_t streams_max, template_bytes, dictionary_bytes;
	struct mc_strings ephemeral;
	struct mc_blocks maps;    /* Of struct mc_otlp_map. */
	struct mc_blocks tenants; /* Of struct tenant_options. */
	mc_time interval;
	double silent_after;

	struct server server;
	struct mc_httpd *http; /* NULL: start() has not made the rest. */
	struct liveness liveness;
	struct saving savings[SAVINGS];
};

static const char *const hosts[] = { [LISTEN_ANY] = "any", [LISTEN_OWN] = "own", NULL };

static const struct mc_option listen_block_options[] = {
	MC_LISTEN_OPTIONS(struct listen_options, http.host, http.port, "4318"),
	MC_HTTPD_LISTEN_OPTIONS(struct listen_options, http),
	MC_HTTPD_PLAIN_OPTION(struct listen_options, http),
	{ "ClientHosts", MC_OPT_WORD(struct listen_options, hosts), .default_value = "any",
	  .words = hosts,
	  .help = "Hosts that a client may send values of: any host, or only "
		  "its own, which are those in its certificate; own needs "
		  "TLSClientCA." },
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct listen_options), listen_block_options };

static const struct mc_option map_options[] = {
	{ "", MC_OPT_STRING(struct mc_otlp_map, attribute), .required = true,
	  .help = "Attribute; the block is for resources that have it.",
	  .sample = "icinga2.host.name" },
	{ "Host", MC_OPT_STRING(struct mc_otlp_map, host),
	  .help = "Attribute of the resource that is the host." },
	{ "Plugin", MC_OPT_STRING(struct mc_otlp_map, plugin),
	  .help = "Attribute of the resource that is the plugin." },
	{ "PluginInstance", MC_OPT_STRING(struct mc_otlp_map, plugin_instance),
	  .help = "Attribute of the resource that is the plugin instance, before the name of the "
		  "metric." },
	{ "TypeInstance", MC_OPT_STRING(struct mc_otlp_map, type_instance),
	  .help = "Attribute of the data point, or of the resource, that is the type instance, "
		  "before the other attributes." },
	{ "Metric", MC_OPT_STRING(struct mc_otlp_map, metric),
	  .help = "Name of the metric that is not in the plugin instance." },
	{ "ThresholdMetric", MC_OPT_STRING(struct mc_otlp_map, threshold_metric),
	  .help = "Name of the metric whose points are the thresholds of those of Metric; they are "
		  "limits of its series, not series." },
	{ "ThresholdType", MC_OPT_STRING(struct mc_otlp_map, threshold_type),
	  .help = "Attribute of a point of ThresholdMetric that is \"warning\" or \"critical\"." },
	{ "Without", MC_OPT_STRINGS(struct mc_otlp_map, without),
	  .help = "Attributes that are in no name; all that begin with it where there is a dot at "
		  "the end." },
	{ 0 },
};
static const struct mc_block map_block = { sizeof(struct mc_otlp_map), map_options };

/* Checks of Icinga, as its OTLPMetricsWriter sends them. */
static const char *const icinga_without[] = { "icinga2.command.name", "icinga2.custom.", "service.",
					      "unit" };
static const struct mc_otlp_map icinga_map = {
	.attribute = "icinga2.host.name",
	.host = "icinga2.host.name",
	.plugin_instance = "icinga2.service.name",
	.type_instance = "perfdata_label",
	.metric = "state_check.perfdata",
	.threshold_metric = "state_check.threshold",
	.threshold_type = "threshold_type",
	.without = { icinga_without, sizeof(icinga_without) / sizeof(*icinga_without) },
};

static const struct mc_option otlp_options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct otlp, listens), .block = &listen_block,
	  .help = "An address to listen at; 127.0.0.1 port 4318 if there is "
		  "none." },
	{ "Interval", MC_OPT_TIME(struct otlp, interval), .default_value = "60",
	  .help = "Interval in seconds of values from senders that do not send "
		  "one.",
	  .min = 0.001, .max = 86400 },
	MC_HTTPD_LIMIT_OPTIONS(struct otlp, limits, "2", "16384", "16777216", "67108864"),
	{ "HandshakesShare", MC_OPT_NUMBER(struct otlp, limits.handshakes_share),
	  .default_value = "0.5",
	  .help = "Share of the threads' time that TLS handshakes may take; beyond it they wait, "
		  "and existing connections go on.",
	  .min = 0.01, .max = 1 },
	MC_QUOTA_CLIENT_OPTIONS(struct otlp, client_limits, "50000", "500"),
	{ "MaxValuesPerClient", MC_OPT_INT(struct otlp, values_max), .default_value = "0",
	  .help = "Number of values per second that are accepted from one client, after those of "
		  "ten seconds at once; beyond it the client is asked to try again later.  0: no "
		  "limit.",
	  .max = 1e9 },
	{ "Tenant", MC_OPT_BLOCKS(struct otlp, tenants), .block = &tenant_block,
	  .help = "Clients that share their limits; their hosts have the label \"tenant\"." },
	{ "MaxSenders", MC_OPT_INT(struct otlp, streams_max), .default_value = "16384",
	  .help = "Number of senders and clients whose names and request "
		  "numbers are kept.",
	  .min = 1, .max = 1000000 },
	{ "DictionaryBytes", MC_OPT_INT(struct otlp, dictionary_bytes), .default_value = "67108864",
	  .help = "Size in bytes of the requests that are kept so that the next one of the same "
		  "collector refers to it; 0: none is.",
	  .max = (double)((int64_t)1 << 40) },
	{ "TemplateCacheBytes", MC_OPT_INT(struct otlp, template_bytes), .alias = "FormMemory",
	  .default_value = "67108864",
	  .help = "Size in bytes of the templates of requests, with which only "
		  "times and values are read; 0: no templates.",
	  .min = 0, .max = (double)((int64_t)1 << 40) },
	{ "EphemeralAttributes", MC_OPT_STRINGS(struct otlp, ephemeral),
	  .default_value = "service.instance.id container.id k8s.pod.uid "
			   "k8s.container.restart_count process.pid process.creation.time "
			   "faas.instance",
	  .help = "Attributes of a resource that change with each start of a sender; they are in "
		  "the names of its series only where another live sender has the names without "
		  "them." },
	{ "Map", MC_OPT_BLOCKS(struct otlp, maps), .block = &map_block,
	  .help = "Attributes that are parts of the names of foreign series. Without any, there is "
		  "one for Icinga." },
	{ "SilentAfter", MC_OPT_NUMBER(struct otlp, silent_after), .default_value = "3",
	  .help = "Number of its own intervals without a value after which a "
		  "sender counts as silent; 0: never, and that its series end is no alert.",
	  .min = 0, .max = 1000000 },
	{ 0 },
};

static void otlp_check(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	const struct listen_options *listens = self->listens.items;

	for (size_t i = 0; i < self->listens.len; i++) {
		if (listens[i].hosts == LISTEN_OWN && listens[i].http.ca == NULL)
			mc_check_error(ctx, &listens[i].hosts,
				       "needs TLSClientCA: nobody else says "
				       "whose host it is");
		mc_httpd_check(ctx, &listens[i].http);
	}
	mc_httpd_check_limits(ctx, &self->limits);
}

static int listen_all(struct mc_ctx *ctx)
{
	static const struct listen_options here = {
		.http = { .host = "127.0.0.1", .port = "4318" },
	};
	struct otlp *self = ctx->self;
	const struct listen_options *listens = self->listens.items;
	size_t len = self->listens.len;
	int rc = 0;

	if (len == 0) {
		listens = &here;
		len = 1;
	}
	for (size_t i = 0; i < len && rc == 0; i++) {
		if (listens[i].hosts == LISTEN_OWN && listens[i].http.ca == NULL)
			return mc_fail(ctx, 0,
				       "ClientHosts own at '%s' needs "
				       "TLSClientCA",
				       listens[i].http.host);
		rc = mc_httpd_listen(self->http, &listens[i].http);
	}
	return rc;
}

static void know(void *streams, const struct mc_dedup_id *receipt)
{
	stream_know(streams, receipt);
}

/* --- Files of senders and identities -------------------------------------- */

static void load(struct mc_ctx *ctx, struct saving *saving)
{
	int rc = kept_load(saving->kept, saving->path);

	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s': %s", saving->path, strerror(-rc));
}

static void load_files(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	self->savings[SAVING_SENDERS] = (struct saving){
		.kept = &self->server.senders.kept,
		.what = "senders",
		.path = mc_alloc_printf("%s.senders", ctx->name),
	};
	self->savings[SAVING_IDENTITIES] = (struct saving){
		.kept = &self->server.identities.kept,
		.what = "instances of senders",
		.path = mc_alloc_printf("%s.identities", ctx->name),
	};
	for (size_t i = 0; i < SAVINGS; i++)
		load(ctx, &self->savings[i]);
}

static void save(struct mc_ctx *ctx, struct saving *saving)
{
	int rc = kept_save(saving->kept, saving->path);

	if (rc < 0)
		mc_complain(ctx, &saving->once, -rc,
			    "cannot write '%s', so %s are forgotten by a restart", saving->path,
			    saving->what);
	else
		mc_works(ctx, &saving->once, "'%s' is written again", saving->path);
	saving->saved = mc_now();
}

/* Writes each of them if it has changed, or now and then. */
static void save_files(struct mc_ctx *ctx, bool now)
{
	struct otlp *self = ctx->self;

	for (size_t i = 0; i < SAVINGS; i++) {
		struct saving *saving = &self->savings[i];

		if (saving->path != NULL && (now || kept_changed(saving->kept) ||
					     mc_now() - saving->saved >= SAVE_INTERVAL))
			save(ctx, saving);
	}
}

/* --- Life ----------------------------------------------------------------- */

static void *make_client(void *server, const char *name)
{
	return client_new(&((struct server *)server)->clients, name);
}

static void free_client(void *server, void *client)
{
	client_free(&((struct server *)server)->clients, client);
}

static void cancel_commits(void *server)
{
	mc_commit_cancel(((struct server *)server)->ctx);
}

static struct mc_httpd *make_http(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;
	struct mc_httpd_options options = {
		.limits = self->limits,
		.routes = request_routes,
		.argument = &self->server,
		.refuse = request_refuse,
		.client_new = make_client,
		.client_free = free_client,
		.cancel = cancel_commits,
		.dictionary_bytes = (size_t)self->dictionary_bytes,
	};

	options.limits.clients_len = (size_t)self->streams_max;
	options.limits.head_max = HEAD_MAX;
	mc_httpd_derive_limits(&options.limits);
	return mc_httpd_new(ctx, &options);
}

/* All that start() has made. */
static void release(struct otlp *self)
{
	mc_httpd_free(self->http);
	self->http = NULL;
	sender_done(&self->server.senders);
	stream_done(&self->server.streams);
	client_done(&self->server.clients);
	mc_otlp_templates_done(&self->server.templates);
	mc_host_labels_done(&self->server.labels);
	identity_done(&self->server.identities);
	for (size_t i = 0; i < SAVINGS; i++)
		free(self->savings[i].path);
}

static int otlp_start(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	self->server.ctx = ctx;
	self->server.interval = self->interval;
	client_init(&self->server.clients, ctx, &self->client_limits, self->values_max);
	client_set_tenants(&self->server.clients, &self->tenants);
	mc_otlp_templates_init(&self->server.templates, (size_t)self->template_bytes);
	mc_host_labels_init(&self->server.labels, ctx);
	stream_init(&self->server.streams, (size_t)self->streams_max);
	sender_init(&self->server.senders, (size_t)self->streams_max, self->silent_after,
		    self->interval);
	identity_init(&self->server.identities, (size_t)self->streams_max, self->interval);
	self->server.naming = (struct mc_otlp_naming){
		.ephemeral = self->ephemeral.items,
		.ephemeral_len = self->ephemeral.len,
		.maps = self->maps.len > 0 ? self->maps.items : &icinga_map,
		.maps_len = self->maps.len > 0 ? self->maps.len : 1,
		.claim = identity_claim,
		.argument = &self->server.identities,
	};
	load_files(ctx);
	mc_each_dedup_id(ctx, know, &self->server.streams);
	self->http = make_http(ctx);
	return listen_all(ctx);
}

/* A request answered 200 after a stop is due would not find a writer: then this listens no more. */
static int otlp_run(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	mc_httpd_run(self->http);
	return 0;
}

static void put_count(struct mc_batch *out, const char *name, uint64_t count)
{
	mc_put_gauge(out, (double)count, .type = "count", .type_instance = name);
}

static int otlp_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct otlp *self = ctx->self;
	struct server *server = &self->server;
	struct liveness *liveness = &self->liveness;
	struct mc_httpd_dictionaries dictionaries = mc_httpd_dictionaries(self->http);
	struct mc_httpd_handshakes handshakes = mc_httpd_handshakes(self->http);
	uint64_t duplicates;

	pthread_mutex_lock(&server->streams.lock);
	duplicates = server->streams.duplicates;
	pthread_mutex_unlock(&server->streams.lock);

	liveness_tell(ctx, out, &server->senders, liveness);
	save_files(ctx, false);
	mc_host_labels_forget(&server->labels);

	const struct {
		const char *name;
		uint64_t number;
	} rows[] = {
		{ "requests", atomic_load(&server->requests) },
		{ "rejected_points", atomic_load(&server->rejected) },
		{ "duplicates", duplicates },
		{ "missing", liveness->missing },
		{ "dropped_by_senders", liveness->dropped },
		{ "refused_series", client_refused(&server->clients) },
		{ "refused_hosts", atomic_load(&server->refused_hosts) },
		{ "known_forms", atomic_load(&server->templates.used) },
		{ "notices_withheld", liveness->withheld },
		{ "dictionaries", dictionaries.used },
		{ "dictionaries_missed", dictionaries.missed },
		{ "handshakes", handshakes.full },
		{ "handshakes_resumed", handshakes.resumed },
		{ "handshakes_queued", handshakes.queued },
		{ "handshakes_left", handshakes.left },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		mc_put_derive(out, (int64_t)rows[i].number, .type = "derive",
			      .type_instance = rows[i].name);
	mc_httpd_report(self->http, out);
	put_count(out, "senders", liveness->len);
	put_count(out, "senders_silent", liveness->silent);
	return 0;
}

static int otlp_renew(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	return mc_httpd_renew(self->http);
}

static void otlp_stop(struct mc_ctx *ctx)
{
	struct otlp *self = ctx->self;

	if (self->http == NULL)
		return;
	mc_httpd_close(self->http);
	save_files(ctx, true);
	release(self);
}

static const char *const otlp_types[] = { "count", "derive", "duration", "errors", "gauge", NULL };

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
