/* SPDX-License-Identifier: MIT */
/* forward - sends all values and notifications on by OTLP over HTTP, to another
 * collector or to whatever else receives OTLP.
 *
 * One request is under way at a time, and write() returns when it is answered:
 * what it returns 0 for is where it was to go.  Facts: the OTLP specification,
 * "OTLP/HTTP".  manual.txt describes the headers of our own. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/plugin.h>
#include <collector/private/convention.h>

#include "formats/otlp/otlp.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forward.h"
#include "requests.h"
#include "send.h"

enum { SPREAD_BY_NOTHING, SPREAD_BY_HASH };

static const struct mc_option forward_options[] = {
	{ "URL", MC_OPT_STRINGS(struct forward, http.urls), .required = true,
	  .help = "URL of the receiver, without /v1/metrics; of several URLs "
		  "the first that answers is used.",
	  .sample = "http://127.0.0.1:4318" },
	MC_HTTP_OPTIONS(struct forward, http),
	{ "Spread", MC_OPT_WORD(struct forward, spread_by), .default_value = "none",
	  .words = (const char *const[]){ "none", "hash", NULL },
	  .help = "Which of several URLs gets the values of a host; none: the first that answers; "
		  "hash: one that the name of the host decides, and another one while that does "
		  "not answer." },
	MC_NAMES_OPTION(struct forward, names),
	{ "Sequence", MC_OPT_BOOL(struct forward, numbers.wanted), .default_value = "true",
	  .help = "Numbers requests, so that a collector does not store one "
		  "twice." },
	{ "MaxRequestSize", MC_OPT_INT(struct forward, size_max), .default_value = "1048576",
	  .help = "Size in bytes of the largest request, before compression.",
	  .min = MC_OTLP_SIZE_MIN, .max = 64 << 20 },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct forward, merge), .default_value = "1",
	  .help = "Seconds that values wait for others, to share a request; 0: "
		  "they do not wait.",
	  .max = 60 },
	MC_REFUSED_OPTION(struct forward, refused_max),
	{ 0 },
};

/* --- Life ---------------------------------------------------------------- */

static void check_spread(struct mc_ctx *ctx, const struct forward *self)
{
	const struct mc_strings *urls = &self->http.urls;

	if (urls->len == 1)
		mc_check_warn(ctx, &self->spread_by, "is of no use with one URL");
	if (urls->len > SPREAD_TARGETS_MAX)
		mc_check_error(ctx, &self->http.urls, "is there more than %d times with Spread",
			       SPREAD_TARGETS_MAX);
	for (size_t i = 0; i < urls->len; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(urls->items[i], urls->items[j]) == 0)
				mc_check_error(ctx, &urls->items[i], "is there twice");
}

static void forward_check(struct mc_ctx *ctx)
{
	const struct forward *self = ctx->self;

	mc_http_check(ctx, &self->http, &target_protocol);
	if (self->spread_by == SPREAD_BY_HASH)
		check_spread(ctx, self);
}

static int start_targets(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	unsigned len = self->spread_by == SPREAD_BY_HASH ? (unsigned)self->http.urls.len : 1;
	int rc = 0;

	if (len > SPREAD_TARGETS_MAX)
		return mc_fail(ctx, 0, "more than %d URLs", SPREAD_TARGETS_MAX);
	self->targets = mc_alloc_zero(len * sizeof(*self->targets));
	self->spread = (struct spread){ self->http.urls.items, len };
	for (unsigned i = 0; i < len && rc == 0; i++) {
		struct target *target = &self->targets[i];

		target->http = self->http;
		if (len > 1) {
			target->http.urls.items += i;
			target->http.urls.len = 1;
		}
		rc = target_start(ctx, target);
	}
	return rc;
}

static int forward_start(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	int rc = start_targets(ctx);

	if (rc < 0)
		return rc;
	if (numbers_start(&self->numbers) < 0)
		return mc_fail(ctx, errno, "cannot get random numbers");
	mc_quarantine_init(&self->quarantine, ctx->name, ".otlp", (size_t)self->refused_max);
	mc_linger(ctx, self->merge);
	self->start = mc_wall();
	self->whole.tenant = "";
	shards_init(&self->shards, ctx, &self->spread,
		    mc_http_client_by_tenant(self->targets[0].client));
	self->writer = mc_otlp_writer_new((size_t)self->size_max);
	mc_otlp_writer_label(self->writer, ctx,
			     self->names == MC_NAMES_OTEL ? mc_each_label : mc_each_sent_label);
	if (self->names == MC_NAMES_OTEL)
		mc_otlp_writer_conventions(self->writer);
	return 0;
}

static void forward_stop(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	for (unsigned i = 0; i < self->spread.targets_len; i++)
		mc_http_client_free(self->targets[i].client);
	free(self->targets);
	mc_otlp_writer_free(self->writer);
	mc_buffer_free(&self->gathered);
	division_done(&self->division);
	shards_done(&self->shards);
	mc_quarantine_done(&self->quarantine);
}

/* While write() or notify() may run. */
static int forward_renew(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	for (unsigned i = 0; i < self->spread.targets_len; i++)
		mc_http_client_renew(self->targets[i].client);
	return 0;
}

/* Also after stop(). */
static void forward_forget(struct mc_ctx *ctx, void *slot)
{
	struct forward *self = ctx->self;

	shards_forget(&self->shards, slot);
}

/* --- Notifications --------------------------------------------------------- */

/* Whether one more has room, be it the longest. */
static bool has_room(const struct forward *self)
{
	return self->gathered.size + MC_OTLP_SIZE_MIN / 2 < (size_t)self->size_max;
}

/* The first that is ready, of those for this host. */
static struct target *target_of_notifications(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	unsigned shard = spread_shard(&self->spread, ctx->host);

	for (unsigned i = 0; i < self->spread.targets_len; i++) {
		unsigned place = spread_target(&self->spread, shard, i);
		struct target *target = &self->targets[place];

		if (mc_http_ready(target->client, &target->notifications.http))
			return target;
	}
	return NULL;
}

static int forward_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct forward *self = ctx->self;
	struct target *target = target_of_notifications(ctx);
	const struct number none = { .last = 0 };
	struct mc_otlp_bytes bytes;
	struct stream *stream;

	if (target == NULL)
		return target_fail(ctx, &self->targets[0].notifications, EAGAIN);
	stream = &target->notifications;
	mc_buffer_clear(&self->gathered);
	while (notification != NULL) {
		mc_otlp_write_notification(self->writer, notification, &bytes);
		mc_buffer_add(&self->gathered, bytes.at, bytes.size);
		notification = has_room(self) ? mc_next_notification(ctx) : NULL;
	}
	bytes = (struct mc_otlp_bytes){
		.at = (const unsigned char *)self->gathered.at,
		.size = self->gathered.size,
	};
	switch (target_send(ctx, target, stream, &bytes, &none)) {
	case MC_HTTP_LATER:
		return target_fail(ctx, stream, EAGAIN);
	case MC_HTTP_NEVER:
		send_keep(self, stream, &bytes);
		return target_fail(ctx, stream, EPROTO);
	default:
		return 0;
	}
}

static void forward_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct forward *self = ctx->self;
	const struct spread *spread = &self->spread;
	char host[256];
	unsigned target;

	snprintf(host, sizeof(host), "%.*s", (int)strcspn(name, "/"), name);
	target = spread_target(spread, spread_shard(spread, host), 0);
	snprintf(out, size, "%s" TARGET_METRICS, mc_http_client_url(self->targets[target].client));
}

static const struct mc_writer writer = {
	.write = requests_write,
	.notify = forward_notify,
	.where = forward_where,
	.forget = forward_forget,
	.durable = true,
};

MC_PLUGIN(forward) = {
	MC_NAMED(forward),
	.help = "Sends values and notifications on, by OTLP over HTTP.",
	.self_size = sizeof(struct forward),
	.options = forward_options,
	.check = forward_check,
	.start = forward_start,
	.writer = &writer,
	.renew = forward_renew,
	.stop = forward_stop,
	.wants_journal = true,
};
