/* SPDX-License-Identifier: MIT */
/* write_http - posts values and notifications by HTTP: collectd's JSON and PUTVAL, KairosDB's JSON,
 * and lines of InfluxDB.
 *
 * Options as in collectd.conf(5), "Plugin write_http".
 *
 * write() returns when the nodes that keep up have taken all of a batch; with one node the journal
 * keeps the rest by its cursor, of several each that lags has its own (lagging.h). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lagging.h"
#include "node.h"

enum { NODES_MAX = 64 };

struct write_http {
	struct mc_blocks blocks; /* struct node_options */
	mc_time merge;
	int64_t refused_max;
	bool report_stats;

	struct node *nodes;
	struct lagging *lagging; /* Of each; NULL: there is one node. */
	size_t nodes_len;
	pthread_mutex_t lock;
	uint64_t taken; /* Bits of nodes that have taken the batch under way. */
};

/* --- Options -------------------------------------------------------------- */

#define FORMATS                                                                                    \
	(const char *const[])                                                                      \
	{                                                                                          \
		"Command", "JSON", "KairosDB", "Influx", NULL                                      \
	}

static const struct mc_option node_options[] = {
	{ "", MC_OPT_STRING(struct node_options, name),
	  .help = "A name for it, in statistics and for its place in the journal.",
	  .sample = "influxdb" },
	{ "URL", MC_OPT_STRINGS(struct node_options, http.urls),
	  .help = "Whole URL that is posted to; of several URLs the first that answers is used.",
	  .sample = "http://127.0.0.1:8086/write?db=collectd" },
	{ "Format", MC_OPT_WORD(struct node_options, texts.format), .default_value = "Command",
	  .words = FORMATS,
	  .help = "Command: lines of PUTVAL; JSON: collectd's; KairosDB; Influx, not in collectd: "
		  "InfluxDB's line protocol.",
	  .sample = "Influx" },
	{ "User", MC_OPT_STRING(struct node_options, http.user),
	  .help = "User at the receiver; by default none.", .sample = "collector" },
	{ "Password", MC_OPT_STRING(struct node_options, http.password),
	  .help = "Password of that user.", .secret = true, .sample = "secret" },
	{ "Token", MC_OPT_STRING(struct node_options, token), .secret = true,
	  .help = "Token of InfluxDB 2; not in collectd.", .sample = "secret" },
	{ "Header", MC_OPT_STRINGS(struct node_options, headers), .secret = true,
	  .help = "A header of each request, with its name.", .sample = "\"X-Site: north\"" },
	{ "HeaderFile", MC_OPT_STRING(struct node_options, http.header_file),
	  .help = "File with headers, one \"Name: value\" per line; it is read again when the "
		  "receiver answers 401 or 403.",
	  .sample = "/etc/collector/http.headers" },
	{ "VerifyPeer", MC_OPT_BOOL(struct node_options, verify_peer), .default_value = "true",
	  .help = "Verifies the receiver's certificate." },
	{ "VerifyHost", MC_OPT_BOOL(struct node_options, verify_host), .default_value = "true",
	  .help = "Requires that the certificate has the host of the URL." },
	{ "CACert", MC_OPT_STRING(struct node_options, http.ca),
	  .help = "File with the authorities that must have signed the receiver's certificate; by "
		  "default those of the system.",
	  .sample = "/etc/collector/ca.pem" },
	{ "CAPath", MC_OPT_STRING(struct node_options, ca_path), .no_effect = true,
	  .help = "Authorities are in one file, CACert." },
	MC_CLIENT_CERTIFICATE_OPTIONS(struct node_options, http.certificate, http.key),
	{ "ClientKeyPass", MC_OPT_STRING(struct node_options, key_password), .no_effect = true,
	  .secret = true, .help = "A key has no pass phrase, and a file its mode." },
	{ "SSLVersion", MC_OPT_STRING(struct node_options, ssl_version), .no_effect = true,
	  .help = "The version is chosen by TLS12." },
	MC_TLS12_OPTION(struct node_options, http.tls12),
	{ "Prefix", MC_OPT_STRING(struct node_options, texts.prefix), .default_value = "collectd",
	  .help = "Text before names in KairosDB, with a dot; \"\": none." },
	{ "Attribute", MC_OPT_STRINGS(struct node_options, texts.attributes),
	  .help = "Name and value of a tag of all metrics in KairosDB.", .sample = "site north" },
	{ "TTL", MC_OPT_INT(struct node_options, texts.ttl), .default_value = "0",
	  .help = "Seconds that KairosDB keeps values; 0: as it is set up.", .max = 2147483647 },
	{ "Metrics", MC_OPT_BOOL(struct node_options, metrics), .default_value = "true",
	  .help = "Sends values." },
	{ "Notifications", MC_OPT_BOOL(struct node_options, notifications),
	  .default_value = "false", .help = "Sends notifications, as JSON in any format." },
	{ "StoreRates", MC_OPT_BOOL(struct node_options, texts.store_rates),
	  .default_value = "false", .help = "Sends changes per second instead of raw counters." },
	{ "BufferSize", MC_OPT_INT(struct node_options, size_max), .default_value = "262144",
	  .help = "Bytes of values in a request; one that is larger is alone in it.", .min = 1,
	  .max = 64 << 20 },
	{ "Timeout", MC_OPT_INT(struct node_options, timeout_ms), .default_value = "30000",
	  .help = "Milliseconds that a request may take, as in collectd.", .max = 600000 },
	{ "ConnectTimeout", MC_OPT_TIME(struct node_options, http.connect_timeout),
	  .default_value = "5", .help = "Seconds that connecting may take.", .min = 0.1,
	  .max = 600 },
	{ "Proxy", MC_OPT_STRING(struct node_options, http.proxy),
	  .help = "URL of the proxy; by default that of the environment (https_proxy); empty: "
		  "none.",
	  .sample = "http://127.0.0.1:3128" },
	{ "Compression", MC_OPT_WORD(struct node_options, http.compression),
	  .default_value = "none", .words = MC_HTTP_COMPRESSIONS,
	  .help = "Compression of requests; auto: gzip, and zstd as soon as the receiver "
		  "announces it; not in collectd." },
	{ "LowSpeedLimit", MC_OPT_INT(struct node_options, low_speed_limit), .no_effect = true,
	  .help = "A slow request is ended by Timeout." },
	{ "LogHttpError", MC_OPT_BOOL(struct node_options, log_http_error), .no_effect = true,
	  .help = "A failure is logged once." },
	{ "Statistics", MC_OPT_CONFIGS(struct node_options, statistics), .no_effect = true,
	  .help = "ReportStats has the statistics of requests." },
	{ 0 }
};

static const struct mc_block node_block = { sizeof(struct node_options), node_options };

static const struct mc_option options[] = {
	{ "Node", MC_OPT_BLOCKS(struct write_http, blocks), .alias = "URL", .block = &node_block,
	  .required = true, .help = "A receiver that gets all values." },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct write_http, merge), .default_value = "1",
	  .help = "Seconds that values wait for others, to share a request; 0: they do not wait.",
	  .max = 60 },
	MC_REFUSED_OPTION(struct write_http, refused_max),
	{ "ReportStats", MC_OPT_BOOL(struct write_http, report_stats), .default_value = "false",
	  .help = "Reports values that were sent or refused, and requests with their bytes, for "
		  "each node." },
	{ 0 }
};

static void check_headers(struct mc_ctx *ctx, const struct node_options *node)
{
	for (size_t i = 0; i < node->headers.len; i++)
		if (strchr(node->headers.items[i], ':') == NULL)
			mc_check_error(ctx, &node->headers,
				       "is a name, a colon and a value, in one text");
}

/* Two nodes of one name would share a place in the journal. */
static void check_name(struct mc_ctx *ctx, const struct node_options *node)
{
	char key[512];

	snprintf(key, sizeof(key), "node of %s named %s", ctx->name,
		 node->name != NULL ? node->name : "");
	mc_check_only(ctx, &node->name, key);
}

static void check_node(struct mc_ctx *ctx, const struct node_options *node)
{
	static const struct mc_http_protocol protocol = { .whole_urls = true };

	if (node->http.urls.len == 0 && (node->name == NULL || strstr(node->name, "://") == NULL))
		mc_check_error(ctx, &node->http.urls, "is missing");
	mc_http_check(ctx, &node->http, &protocol);
	mc_check_password(ctx, &node->http.password);
	mc_check_password(ctx, &node->token);
	check_headers(ctx, node);
	if (node->texts.attributes.len % 2 != 0)
		mc_check_error(ctx, &node->texts.attributes, "Attribute takes a name and a value");
}

static void write_http_check(struct mc_ctx *ctx)
{
	const struct write_http *self = ctx->self;
	const struct node_options *nodes = self->blocks.items;

	if (self->blocks.len > NODES_MAX)
		mc_check_error(ctx, &self->blocks, "is there more than %d times", NODES_MAX);
	for (size_t i = 0; i < self->blocks.len; i++) {
		check_node(ctx, &nodes[i]);
		if (self->blocks.len > 1)
			check_name(ctx, &nodes[i]);
	}
}

/* --- Life ----------------------------------------------------------------- */

static int write_http_start(struct mc_ctx *ctx)
{
	struct write_http *self = ctx->self;
	const struct node_options *nodes = self->blocks.items;
	size_t len = self->blocks.len;
	int rc;

	pthread_mutex_init(&self->lock, NULL);
	if (len > NODES_MAX)
		return mc_fail(ctx, 0, "more than %d nodes", NODES_MAX);
	self->nodes = mc_alloc_zero(len * sizeof(*self->nodes));
	for (; self->nodes_len < len; self->nodes_len++) {
		struct node *node = &self->nodes[self->nodes_len];

		node->number = self->nodes_len;
		node->len = len;
		rc = node_init(node, ctx, &nodes[node->number], (size_t)self->refused_max);
		if (rc < 0) {
			node_done(node);
			return rc;
		}
	}
	mc_linger(ctx, self->merge);
	if (len < 2)
		return 0;
	self->lagging = mc_alloc_zero(len * sizeof(*self->lagging));
	for (size_t i = 0; i < len; i++)
		lagging_init(&self->lagging[i], &self->nodes[i], &self->lock);
	return 0;
}

static void write_http_stop(struct mc_ctx *ctx)
{
	struct write_http *self = ctx->self;

	for (size_t i = 0; i < self->nodes_len; i++) {
		if (self->lagging != NULL)
			lagging_done(&self->lagging[i]);
		node_done(&self->nodes[i]);
	}
	free(self->lagging);
	free(self->nodes);
	pthread_mutex_destroy(&self->lock);
}

static int write_http_renew(struct mc_ctx *ctx)
{
	struct write_http *self = ctx->self;

	for (size_t i = 0; i < self->nodes_len; i++)
		node_renew(&self->nodes[i]);
	return 0;
}

/* --- Sending -------------------------------------------------------------- */

/* A batch that is not taken is offered again, before any other; but at the stop. */
static bool send_batch(struct node *node, const struct mc_batch *batch)
{
	if (!node->options->metrics)
		return true;
	if (!node_goes_on(node) || mc_stopping(node->ctx))
		node_begin(node, batch);
	return node_go_on(node, true);
}

static int write_one(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_http *self = ctx->self;
	struct node *node = &self->nodes[0];

	if (send_batch(node, batch))
		return 0;
	return node_fail(node, &node->values, EAGAIN);
}

/* Sends the batch to a node that keeps up and has not taken it.  False if it still has not. */
static bool write_to(struct write_http *self, size_t number, const struct mc_batch *batch)
{
	struct lagging *lagging = &self->lagging[number];

	if ((self->taken & UINT64_C(1) << number) != 0 || lagging_leave(lagging))
		return true;
	if (!send_batch(&self->nodes[number], batch))
		return lagging_begin(lagging);
	lagging_keeps_up(lagging);
	self->taken |= UINT64_C(1) << number;
	return true;
}

/* Without a journal a batch is done with when one node has taken it. */
static int write_several(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_http *self = ctx->self;
	struct node *failed = NULL;

	for (size_t i = 0; i < self->nodes_len; i++)
		if (!write_to(self, i, batch))
			failed = &self->nodes[i];
	if (failed != NULL && self->taken == 0)
		return node_fail(failed, &failed->values, EAGAIN);
	for (size_t i = 0; i < self->nodes_len; i++)
		if (failed != NULL && (self->taken & UINT64_C(1) << i) == 0)
			mc_bisection_clear(&self->nodes[i].bisection);
	self->taken = 0;
	return 0;
}

static int write_http_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	const struct write_http *self = ctx->self;

	return self->nodes_len == 1 ? write_one(ctx, batch) : write_several(ctx, batch);
}

static bool any_step(struct write_http *self)
{
	bool any = false;

	for (size_t i = 0; i < self->nodes_len; i++)
		any |= lagging_step(&self->lagging[i]);
	return any;
}

static int write_http_run(struct mc_ctx *ctx)
{
	struct write_http *self = ctx->self;
	mc_time until;
	int rc;

	do {
		until = INT64_MAX;
		if (self->lagging != NULL)
			until = any_step(self) ? 0 : mc_now() + MC_SECOND;
		rc = mc_wait(ctx, NULL, 0, until);
	} while (rc >= 0);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
}

/* One that lags gets no notifications: they would be old. */
static int write_http_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct write_http *self = ctx->self;
	int rc = 0;

	for (size_t i = 0; i < self->nodes_len; i++) {
		struct node *node = &self->nodes[i];

		if (!node->options->notifications ||
		    (self->lagging != NULL && lagging_lags(&self->lagging[i])))
			continue;
		if (!node_notify(node, notification))
			rc = node_fail(node, &node->notices, self->nodes_len == 1 ? EAGAIN : EIO);
	}
	return rc;
}

static void write_http_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct write_http *self = ctx->self;

	(void)name;
	if (self->nodes_len > 0)
		snprintf(out, size, "%s%s", mc_http_client_url(self->nodes[0].client),
			 self->nodes_len > 1 ? " and others" : "");
}

static void write_http_forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	node_forget(slot);
}

/* --- Statistics ----------------------------------------------------------- */

static void report(struct mc_batch *out, const struct node *node, const char *type,
		   const char *what, uint64_t count)
{
	const union mc_value value = { .derive = (int64_t)count };

	mc_put(out,
	       mc_series(out, MC_ID(.plugin_instance = node->options->name, .type = type,
				    .type_instance = what)),
	       &value, 1);
}

static int write_http_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct write_http *self = ctx->self;

	for (size_t i = 0; i < self->nodes_len && self->report_stats; i++) {
		const struct node *node = &self->nodes[i];

		report(out, node, "total_values", "sent", node->counts.sent);
		report(out, node, "total_values", "refused", node->counts.refused);
		report(out, node, "total_requests", NULL, node->counts.requests);
		report(out, node, "total_bytes", NULL, node->counts.bytes);
	}
	return 0;
}

static const struct mc_writer writer = {
	.write = write_http_write,
	.notify = write_http_notify,
	.where = write_http_where,
	.forget = write_http_forget,
	.durable = true,
	.repeatable = true,
};

MC_PLUGIN(write_http) = {
	MC_NAMED(write_http),
	.help = "Posts values by HTTP: collectd's JSON and PUTVAL, KairosDB, lines of InfluxDB.",
	.self_size = sizeof(struct write_http),
	.options = options,
	.types = (const char *const[]){ "total_bytes", "total_requests", "total_values", NULL },
	.check = write_http_check,
	.start = write_http_start,
	.read = write_http_read,
	.writer = &writer,
	.run = write_http_run,
	.renew = write_http_renew,
	.stop = write_http_stop,
	.wants_journal = true,
	.lenient = true,
};
