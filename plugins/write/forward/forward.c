/* SPDX-License-Identifier: MIT */
/* forward - sends all values and notifications on by OTLP over HTTP, to another
 * collector or to whatever else receives OTLP.
 *
 * One request is under way at a time, and write() returns when it is answered:
 * what it returns 0 for is where it was to go.  Facts: the OTLP specification,
 * "OTLP/HTTP".  manual.txt describes the headers of our own. */
#include <collector/check.h>
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/http_client.h>
#include <collector/kit/once.h>
#include <collector/label.h>
#include <collector/plugin.h>
#include <collector/private/convention.h>
#include <collector/private/otlp.h>
#include <collector/writer.h>

#include "formats/otlp/otlp.h"
#include "kit/base/quarantine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "spread.h"
#include "target.h"

enum { SPREAD_BY_NOTHING, SPREAD_BY_HASH };

#define AGAIN (3600 * MC_SECOND) /* Until a rejection is logged again. */

struct forward {
	struct mc_http_settings http;
	mc_time merge;
	int64_t size_max, refused_max;
	int names; /* enum mc_names */
	int spread_by;

	struct spread spread;
	struct target *targets; /* One; with Spread hash one for each URL. */
	struct mc_otlp_writer *writer;
	/* Of a batch to be offered again, the shard that is sent, and the last sample of it that
	 * is done with. */
	unsigned shard;
	const struct mc_sample *sent;
	struct mc_buffer gathered; /* Notifications of a request, or values of a shard. */
	struct numbers numbers;
	struct mc_quarantine quarantine;
	char rejection[MC_OTLP_WHY_SIZE]; /* Log lines about values that were rejected, ... */
	mc_time rejection_logged;         /* ... since when; 0: never. */
};

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
	{ "RefusedRequests", MC_OPT_INT(struct forward, refused_max), .default_value = "16",
	  .help = "Number of finally refused requests that are kept as files, "
		  "the newest ones; 0: none.",
	  .max = 10000 },
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
	self->writer = mc_otlp_writer_new((size_t)self->size_max);
	mc_otlp_writer_label(self->writer, ctx, mc_each_label);
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
	mc_quarantine_done(&self->quarantine);
}

/* --- Sending ------------------------------------------------------------- */

/* Keeps what was refused for good; returns what the log says of that. */
static const char *keep(struct forward *self, const struct stream *stream,
			const struct mc_otlp_bytes *bytes)
{
	int rc = mc_quarantine_keep(&self->quarantine, mc_wall(), stream->path, bytes->at,
				    bytes->size);

	if (rc == 0)
		return ", kept in BaseDir, see RefusedRequests";
	return rc == -ENOENT ? "" : ", it cannot be kept";
}

/* Whether two reasons are the same up to the name that they quote. */
static bool is_same_reason(const char *a, const char *b)
{
	size_t size = strcspn(a, "'");

	return size == strcspn(b, "'") && strncmp(a, b, size) == 0;
}

/* Counts what the receiver did not take of a request.  It names a series as an
 * example, another one each time: the log has one of them in an hour. */
static void drop_rejected(struct mc_ctx *ctx, const struct stream *stream,
			  const struct mc_otlp_bytes *bytes)
{
	struct forward *self = ctx->self;
	uint64_t rejected = stream->rejected;

	if (rejected > bytes->samples_len)
		rejected = bytes->samples_len;
	if (mc_once_in(&self->rejection_logged, mc_now(), AGAIN) ||
	    !is_same_reason(self->rejection, stream->why))
		memcpy(self->rejection, stream->why, sizeof(self->rejection));
	mc_drop(ctx, rejected, 0, "'%s' rejects values: %s", stream->http.reply.url,
		self->rejection);
}

/* The receiver has answered. */
static void take_verdict(struct mc_ctx *ctx, const struct stream *stream,
			 const struct mc_otlp_bytes *bytes, enum mc_http_verdict verdict)
{
	struct forward *self = ctx->self;

	numbers_done(&self->numbers, verdict == MC_HTTP_DONE);
	if (verdict == MC_HTTP_NEVER) /* Other parts of the batch may do well. */
		mc_drop(ctx, bytes->samples_len, 0, "'%s' answers with status %ld%s%s%s",
			stream->http.reply.url, stream->http.reply.status,
			stream->why[0] != '\0' ? ": " : "", stream->why, keep(self, stream, bytes));
	else if (stream->rejected > 0)
		drop_rejected(ctx, stream, bytes);
}

/* Sends to the receiver of the shard, or to the next that answers. */
static int send_somewhere(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes,
			  const struct number *number)
{
	struct forward *self = ctx->self;
	struct target *first = &self->targets[spread_target(&self->spread, self->shard, 0)];

	for (unsigned i = 0; i < self->spread.targets_len; i++) {
		unsigned place = spread_target(&self->spread, self->shard, i);
		struct target *target = &self->targets[place];
		enum mc_http_verdict verdict;

		if (!mc_http_ready(target->client, &target->values.http))
			continue;
		verdict = target_send(ctx, target, &target->values, bytes, number);
		if (verdict == MC_HTTP_LATER)
			continue;
		if (self->spread.targets_len > 1)
			target_report(ctx, first, target);
		take_verdict(ctx, &target->values, bytes, verdict);
		return 0;
	}
	return target_fail(ctx, &first->values, EAGAIN);
}

/* The name of the stream of numbers: a receiver that stands in gets the same numbers of several
 * shards. */
static void name_stream(const struct mc_ctx *ctx, char *out, size_t size)
{
	const struct forward *self = ctx->self;
	const struct spread *spread = &self->spread;

	if (spread->targets_len == 1)
		snprintf(out, size, "%s", ctx->name);
	else
		snprintf(out, size, "%s %s %s", ctx->name,
			 spread->urls[spread_target(spread, self->shard, 0)],
			 spread->urls[spread_target(spread, self->shard, 1)]);
}

/* 'last': no other request of the batch, or of its shard, follows. */
static int send_part(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes, bool last)
{
	struct forward *self = ctx->self;
	char stream[1024];
	struct numbers_request request = {
		.instance = stream,
		.last = last,
		.crc = mc_otlp_crc(bytes->at, bytes->size),
		.missed = mc_dropped_before(ctx),
	};
	struct number number;

	name_stream(ctx, stream, sizeof(stream));
	mc_records(ctx, &request.records);
	number = numbers_next(&self->numbers, &request);
	return send_somewhere(ctx, bytes, &number);
}

/* While write() or notify() may run. */
static int forward_renew(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	for (unsigned i = 0; i < self->spread.targets_len; i++)
		mc_http_client_renew(self->targets[i].client);
	return 0;
}

static int write_all(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	const struct mc_sample *last;
	struct mc_otlp_bytes bytes;
	int rc;

	while ((last = mc_otlp_write(self->writer, batch, self->sent, &bytes)) != NULL) {
		rc = send_part(ctx, &bytes, mc_next(batch, last) == NULL);
		if (rc < 0)
			return rc;
		self->sent = last;
	}
	self->sent = NULL;
	return 0;
}

/* --- Shards ---------------------------------------------------------------- */

/* Kept in the slot of the series, from 1 on. */
static unsigned shard_of(const struct mc_ctx *ctx, const struct mc_series *series)
{
	const struct forward *self = ctx->self;
	void **slot = mc_slot(ctx, series);

	if (*slot == NULL)
		*slot = (void *)(uintptr_t)(1 + spread_shard(&self->spread, mc_host(series)));
	return (unsigned)((uintptr_t)*slot - 1);
}

/* The first sample of the shard after 'last'; NULL: it has no more. */
static const struct mc_sample *next_of_shard(const struct mc_ctx *ctx, const struct mc_batch *batch,
					     const struct mc_sample *last, unsigned shard,
					     const struct mc_sample **before)
{
	const struct mc_sample *next = mc_next(batch, last);

	for (*before = last; next != NULL && shard_of(ctx, next->series) != shard;
	     next = mc_next(batch, next))
		*before = next;
	return next;
}

/* Gathers a request of the shard, of the samples after 'last', host by host.  Returns the last one
 * that is in it; NULL: none is left. */
static const struct mc_sample *gather_shard(struct mc_ctx *ctx, const struct mc_batch *batch,
					    const struct mc_sample *last,
					    struct mc_otlp_bytes *request)
{
	struct forward *self = ctx->self;
	const struct mc_sample *before, *end = NULL;
	struct mc_otlp_bytes bytes;

	mc_buffer_clear(&self->gathered);
	request->samples_len = 0;
	while (next_of_shard(ctx, batch, last, self->shard, &before) != NULL) {
		last = mc_otlp_write_host(self->writer, batch, before, &bytes);
		if (end != NULL && self->gathered.size + bytes.size > (size_t)self->size_max)
			break;
		mc_buffer_add(&self->gathered, bytes.at, bytes.size);
		request->samples_len += bytes.samples_len;
		end = last;
	}
	request->at = (const unsigned char *)self->gathered.at;
	request->size = self->gathered.size;
	return end;
}

static int write_shard(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	const struct mc_sample *last, *before;
	struct mc_otlp_bytes request;
	int rc;

	while ((last = gather_shard(ctx, batch, self->sent, &request)) != NULL) {
		rc = send_part(ctx, &request,
			       next_of_shard(ctx, batch, last, self->shard, &before) == NULL);
		if (rc < 0)
			return rc;
		self->sent = last;
	}
	self->sent = NULL;
	return 0;
}

/* One after the other: a shard that is done is not sent again. */
static int write_shards(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	int rc;

	for (; self->shard < spread_shards_len(&self->spread); self->shard++) {
		rc = write_shard(ctx, batch);
		if (rc < 0)
			return rc;
	}
	self->shard = 0;
	return 0;
}

static bool any_is_ready(struct forward *self)
{
	bool any = false;

	for (unsigned i = 0; i < self->spread.targets_len; i++)
		any |= mc_http_ready(self->targets[i].client, &self->targets[i].values.http);
	return any;
}

/* A batch that is not taken is offered again, before any other: it goes on after the requests that
 * are done. */
static int forward_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;

	if (!any_is_ready(self))
		return target_fail(ctx, &self->targets[0].values, EAGAIN);
	return self->spread.targets_len == 1 ? write_all(ctx, batch) : write_shards(ctx, batch);
}

/* The number of a shard is no memory. */
static void forward_forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx, (void)slot;
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
		keep(self, stream, &bytes);
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
	.write = forward_write,
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
