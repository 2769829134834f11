/* SPDX-License-Identifier: MIT */
/* remote_write - sends all values to Prometheus, Mimir, VictoriaMetrics and others by Prometheus'
 * remote write, 2.0 or 1.0.
 *
 * write() returns when all of a batch is answered, so the journal's cursor moves when all requests
 * before it are delivered, and a series is never in two requests at once. */
#include <collector/check.h>
#include <collector/journal.h>
#include <collector/kit/http_client.h>
#include <collector/plugin.h>
#include <collector/private/convention.h>
#include <collector/writer.h>

#include <stdio.h>
#include <string.h>

#include "formats/prometheus/naming.h"

#include "delivery.h"
#include "entry.h"
#include "gather.h"

struct remote_write {
	struct mc_http_settings http;
	struct delivery_options options;
	struct mc_strings external; /* Name, value, name, value... */
	int names;                  /* enum mc_names */
	mc_time merge, future_limit, late;
	int64_t future_max;
	bool report_stats;

	_Atomic uint64_t held; /* Samples of the future. */
	struct mc_http_client *client;
	struct entry_set *entries;
	struct gather gather;
	struct delivery delivery;
};

static const char *const reserved_headers[] = {
	"Content-Encoding",
	"X-Prometheus-Remote-Write-Version",
	NULL,
};

static const struct mc_http_protocol protocol = {
	.whole_urls = true,
	.reserved = reserved_headers,
	.reply_header = ANSWER_WRITTEN,
};

static const struct mc_option options[] = {
	{ "URL", MC_OPT_STRINGS(struct remote_write, http.urls), .required = true,
	  .help = "Whole URL of the receiver, with its path; of several URLs the first that "
		  "answers is used.",
	  .sample = "http://127.0.0.1:9090/api/v1/write" },
	MC_HTTP_PLAIN_OPTIONS(struct remote_write, http),
	MC_HTTP_USER_OPTIONS(struct remote_write, http),
	{ "Protocol", MC_OPT_WORD(struct remote_write, options.protocol), .default_value = "auto",
	  .words = DELIVERY_PROTOCOLS,
	  .help = "Version of remote write; auto: 2.0, and 1.0 if the receiver does not "
		  "understand that." },
	MC_NAMES_OPTION(struct remote_write, names),
	{ "MaxSamplesPerSend", MC_OPT_INT(struct remote_write, options.samples_max),
	  .default_value = "5000",
	  .help = "Largest number of values in a request; a series that has more of them is sent "
		  "as a whole.",
	  .min = 1, .max = 1000000 },
	{ "Connections", MC_OPT_INT(struct remote_write, options.connections), .default_value = "4",
	  .help = "Largest number of requests that are under way at once.", .min = 1, .max = 64 },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct remote_write, merge), .default_value = "1",
	  .help = "Seconds that values wait for others, to share a request; 0: "
		  "they do not wait.",
	  .max = 60 },
	{ "ExternalLabel", MC_OPT_STRINGS(struct remote_write, external),
	  .help = "Name and value of a label of all series that do not have it.",
	  .sample = "cluster north" },
	{ "FutureLimit", MC_OPT_TIME(struct remote_write, future_limit), .default_value = "10",
	  .help = "Seconds that the time of a sample may be ahead of this host's clock; a sample "
		  "beyond that waits in memory; 0: none waits.",
	  .max = 86400 },
	{ "FutureSamples", MC_OPT_INT(struct remote_write, future_max), .default_value = "10000",
	  .help = "Largest number of values that wait so; further ones are dropped.",
	  .max = 10000000 },
	{ "OutOfOrderWindow", MC_OPT_TIME(struct remote_write, late), .default_value = "0",
	  .help = "Seconds by which a value may come after newer ones of its series, if the "
		  "receiver takes such values; 0: none is sent.",
	  .max = 30 * 86400 },
	MC_REFUSED_OPTION(struct remote_write, options.refused_max),
	{ "ReportStats", MC_OPT_BOOL(struct remote_write, report_stats), .default_value = "false",
	  .help = "Reports values that were sent or refused, or wait for their time, and "
		  "requests with their bytes." },
	{ 0 },
};

/* --- Life ---------------------------------------------------------------- */

static void remote_write_check(struct mc_ctx *ctx)
{
	const struct remote_write *self = ctx->self;

	mc_http_check(ctx, &self->http, &protocol);
	if (self->external.len % 2 != 0)
		mc_check_error(ctx, &self->external, "ExternalLabel takes a name and a value");
	for (size_t i = 0; i + 1 < self->external.len; i += 2)
		if (!naming_is_label(self->external.items[i]))
			mc_check_error(ctx, &self->external, "invalid label '%s'",
				       self->external.items[i]);
}

static int remote_write_start(struct mc_ctx *ctx)
{
	struct remote_write *self = ctx->self;
	int rc = mc_http_client_new(ctx, &self->http, &protocol, &self->client);

	if (rc < 0)
		return rc;
	self->gather.by_tenant = mc_http_client_by_tenant(self->client);
	self->entries = entry_set_new(ctx, &self->external, (enum mc_names)self->names,
				      self->gather.by_tenant);
	self->gather.future_limit = self->future_limit;
	self->gather.future_max = (size_t)self->future_max;
	delivery_init(&self->delivery, ctx, &self->options, self->client,
		      entry_set_symbols(self->entries));
	mc_linger(ctx, self->merge);
	mc_accept_late(ctx, self->late);
	return 0;
}

static void remote_write_stop(struct mc_ctx *ctx)
{
	struct remote_write *self = ctx->self;

	if (self->gather.future.len > 0)
		mc_drop(ctx, self->gather.future.len, 0,
			"samples of the future are not sent: the collector stops");
	gather_done(&self->gather);
	delivery_done(&self->delivery);
	mc_http_client_free(self->client);
	entry_set_close(self->entries);
}

/* While write() may run. */
static int remote_write_renew(struct mc_ctx *ctx)
{
	struct remote_write *self = ctx->self;

	mc_http_client_renew(self->client);
	return 0;
}

/* --- Sending ------------------------------------------------------------- */

static void begin(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct remote_write *self = ctx->self;

	gather_batch(&self->gather, self->entries, batch);
	if (self->gather.skipped > 0)
		mc_drop(ctx, self->gather.skipped, 0,
			"samples are ahead of this host's clock, and more than FutureSamples");
	self->held = self->gather.future.len;
	delivery_begin(&self->delivery, self->gather.samples, self->gather.len);
}

/* A batch that is not taken is offered again, before any other: it goes on after the requests that
 * are done. */
static int remote_write_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct remote_write *self = ctx->self;
	int rc;

	if (!delivery_goes_on(&self->delivery))
		begin(ctx, batch);
	rc = delivery_go_on(&self->delivery);
	if (rc == 0)
		gather_clear(&self->gather);
	return rc;
}

static void remote_write_ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	struct remote_write *self = ctx->self;
	struct entry *entry = *mc_slot(ctx, series);

	if (entry != NULL && silent > 0)
		gather_end(&self->gather, entry, NULL);
}

static void remote_write_forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	entry_forget(slot);
}

static void remote_write_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct remote_write *self = ctx->self;

	(void)name;
	snprintf(out, size, "%s", mc_http_client_url(self->client));
}

/* --- Statistics ---------------------------------------------------------- */

static void report(struct mc_ctx *ctx, struct mc_batch *out, const char *type, const char *what,
		   union mc_value value)
{
	const char *dot = strchr(ctx->name, '.');

	mc_put(out,
	       mc_series(out, MC_ID(.plugin_instance = dot != NULL ? dot + 1 : NULL, .type = type,
				    .type_instance = what)),
	       &value, 1);
}

static void report_count(struct mc_ctx *ctx, struct mc_batch *out, const char *type,
			 const char *what, uint64_t count)
{
	report(ctx, out, type, what, (union mc_value){ .derive = (int64_t)count });
}

static int remote_write_report(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct remote_write *self = ctx->self;
	const struct delivery_counts *counts = &self->delivery.counts;

	if (!self->report_stats)
		return 0;
	report_count(ctx, out, "total_values", "sent", counts->sent);
	report_count(ctx, out, "total_values", "refused", counts->refused);
	report_count(ctx, out, "total_requests", NULL, counts->requests);
	report_count(ctx, out, "total_bytes", NULL, counts->bytes);
	report(ctx, out, "queue_length", "future", (union mc_value){ .gauge = (double)self->held });
	return 0;
}

static const struct mc_writer writer = {
	.write = remote_write_write,
	.where = remote_write_where,
	.ended = remote_write_ended,
	.forget = remote_write_forget,
	.durable = true,
	.repeatable = true,
};

MC_PLUGIN(remote_write) = {
	MC_NAMED(remote_write),
	.help = "Sends values to Prometheus, Mimir, VictoriaMetrics and others, by Prometheus' "
		"remote write.",
	.self_size = sizeof(struct remote_write),
	.options = options,
	.types = (const char *const[]){ "queue_length", "total_bytes", "total_requests",
					"total_values", NULL },
	.check = remote_write_check,
	.start = remote_write_start,
	.read = remote_write_report,
	.writer = &writer,
	.renew = remote_write_renew,
	.stop = remote_write_stop,
	.wants_journal = true,
};
