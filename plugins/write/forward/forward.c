/* SPDX-License-Identifier: MIT */
/* forward - sends all values and notifications on by OTLP over HTTP, to another
 * collector or to whatever else receives OTLP.
 *
 * One request is under way at a time, and write() returns when it is answered:
 * what it returns 0 for is where it was to go.  Facts: the OTLP specification,
 * "OTLP/HTTP".  manual.txt describes the headers of our own. */
#include <collector/journal.h>
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
#include <stdio.h>
#include <string.h>

#include "numbers.h"

#define METRICS "/v1/metrics"
#define LOGS "/v1/logs"
#define LONGEST (60 * MC_SECOND) /* Between two tries. */
#define AGAIN (3600 * MC_SECOND) /* Until a rejection is logged again. */

struct stream { /* Values or notifications, which are accepted or rejected
		 * independently. */
	const char *path;
	struct mc_http_stream http;
	uint64_t rejected;          /* As the last reply says; ... */
	char why[MC_OTLP_WHY_SIZE]; /* ... and why. */
};

struct forward {
	struct mc_http_settings http;
	mc_time merge;
	int64_t size_max, refused_max;
	int names; /* enum mc_names */

	struct mc_http_client *client;
	struct mc_otlp_writer *writer;
	struct stream values, notifications;
	const struct mc_sample *sent; /* Of a batch to be offered again, the
				       * last one that is done with. */
	struct mc_buffer gathered;    /* Notifications of a request. */
	struct numbers numbers;
	struct mc_quarantine quarantine;
	char rejection[MC_OTLP_WHY_SIZE]; /* Log lines about values that were rejected, ... */
	mc_time rejection_logged;         /* ... since when; 0: never. */
};

static const char *const reserved_headers[] = {
	"Collector-Gap", "X-Body-CRC32C", "X-Sender", "X-Seq", "X-Stream", NULL,
};

static const struct mc_http_protocol protocol = { .reserved = reserved_headers };

static const struct mc_option forward_options[] = {
	{ "URL", MC_OPT_STRINGS(struct forward, http.urls), .required = true,
	  .help = "URL of the receiver, without /v1/metrics; of several URLs "
		  "the first that answers is used.",
	  .sample = "http://127.0.0.1:4318" },
	MC_HTTP_OPTIONS(struct forward, http),
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

static void forward_check(struct mc_ctx *ctx)
{
	const struct forward *self = ctx->self;

	mc_http_check(ctx, &self->http, &protocol);
}

static int forward_start(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	int rc = mc_http_client_new(ctx, &self->http, &protocol, &self->client);

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
	self->values.path = METRICS;
	self->notifications.path = LOGS;
	self->values.http.backoff.longest = self->notifications.http.backoff.longest = LONGEST;
	if (ctx->interval < LONGEST)
		self->notifications.http.backoff.longest = ctx->interval;
	return 0;
}

static void forward_stop(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	mc_http_client_free(self->client);
	mc_otlp_writer_free(self->writer);
	mc_buffer_free(&self->gathered);
	mc_quarantine_done(&self->quarantine);
}

/* --- Sending ------------------------------------------------------------- */

struct request {
	const char *sender;
	const struct number *number;
};

/* Whether the name of this host can be in a header as it is. */
static bool is_plain(const char *name)
{
	for (; *name > ' ' && *name <= '~'; name++)
		;
	return *name == '\0';
}

static void add_headers(void *argument, const void *body, size_t size,
			struct mc_http_headers *headers)
{
	const struct request *request = argument;
	const struct number *number = request->number;

	if (is_plain(request->sender))
		mc_http_header(headers, "X-Sender: %.127s", request->sender);
	mc_http_header(headers, "X-Body-CRC32C: %08" PRIx32, mc_otlp_crc(body, size));
	if (number->gap > 0)
		mc_http_header(headers, "Collector-Gap: %" PRIu64, number->gap);
	if (number->last == 0)
		return;
	mc_http_header(headers, "X-Stream: %s", number->stream);
	if (number->first == number->last)
		mc_http_header(headers, "X-Seq: %" PRIu64, number->last);
	else
		mc_http_header(headers, "X-Seq: %" PRIu64 "-%" PRIu64, number->first, number->last);
}

static enum mc_http_verdict send_request(struct mc_ctx *ctx, struct stream *stream,
					 const struct mc_otlp_bytes *bytes,
					 const struct number *number)
{
	struct forward *self = ctx->self;
	struct request ours = { .sender = ctx->host, .number = number };
	const struct mc_http_request request = {
		.path = stream->path,
		.content_type = "application/x-protobuf",
		.body = bytes->at,
		.size = bytes->size,
		.add_headers = add_headers,
		.argument = &ours,
	};
	enum mc_http_verdict verdict = mc_http_send(self->client, &stream->http, &request);
	const struct mc_http_reply *reply = &stream->http.reply;

	stream->rejected = 0;
	stream->why[0] = '\0';
	if (reply->status != 0)
		mc_otlp_reply_read(reply->body, reply->size, reply->status == 200,
				   &stream->rejected, stream->why);
	return verdict;
}

/* Says what the last reply was. */
static int fail(struct mc_ctx *ctx, const struct stream *stream, int errnum)
{
	return mc_http_fail(ctx, errnum, &stream->http.reply, stream->why);
}

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
static void drop_rejected(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes)
{
	struct forward *self = ctx->self;
	const struct stream *stream = &self->values;
	uint64_t rejected = stream->rejected;

	if (rejected > bytes->samples_len)
		rejected = bytes->samples_len;
	if (mc_once_in(&self->rejection_logged, mc_now(), AGAIN) ||
	    !is_same_reason(self->rejection, stream->why))
		memcpy(self->rejection, stream->why, sizeof(self->rejection));
	mc_drop(ctx, rejected, 0, "'%s' rejects values: %s", stream->http.reply.url,
		self->rejection);
}

/* 'last': no other request of the batch follows. */
static int send_part(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes, bool last)
{
	struct forward *self = ctx->self;
	struct stream *stream = &self->values;
	struct numbers_request request = {
		.instance = ctx->name,
		.last = last,
		.crc = mc_otlp_crc(bytes->at, bytes->size),
		.missed = mc_dropped_before(ctx),
	};
	enum mc_http_verdict verdict;
	struct number number;

	mc_records(ctx, &request.records);
	number = numbers_next(&self->numbers, &request);
	verdict = send_request(ctx, stream, bytes, &number);
	if (verdict == MC_HTTP_LATER)
		return fail(ctx, stream, EAGAIN);
	numbers_done(&self->numbers, verdict == MC_HTTP_DONE);
	if (verdict == MC_HTTP_NEVER) /* Other parts of the batch may do well. */
		mc_drop(ctx, bytes->samples_len, 0, "'%s' answers with status %ld%s%s%s",
			stream->http.reply.url, stream->http.reply.status,
			stream->why[0] != '\0' ? ": " : "", stream->why, keep(self, stream, bytes));
	else if (stream->rejected > 0)
		drop_rejected(ctx, bytes);
	return 0;
}

/* While write() or notify() may run. */
static int forward_renew(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	mc_http_client_renew(self->client);
	return 0;
}

/* A batch that is not taken is offered again, before any other: it goes on after the requests that
 * are done. */
static int forward_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	const struct mc_sample *last;
	struct mc_otlp_bytes bytes;
	int rc;

	if (!mc_http_ready(self->client, &self->values.http))
		return fail(ctx, &self->values, EAGAIN);
	while ((last = mc_otlp_write(self->writer, batch, self->sent, &bytes)) != NULL) {
		rc = send_part(ctx, &bytes, mc_next(batch, last) == NULL);
		if (rc < 0)
			return rc;
		self->sent = last;
	}
	self->sent = NULL;
	return 0;
}

/* Whether one more has room, be it the longest. */
static bool has_room(const struct forward *self)
{
	return self->gathered.size + MC_OTLP_SIZE_MIN / 2 < (size_t)self->size_max;
}

static int forward_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct forward *self = ctx->self;
	struct stream *stream = &self->notifications;
	const struct number none = { .last = 0 };
	struct mc_otlp_bytes bytes;

	if (!mc_http_ready(self->client, &stream->http))
		return fail(ctx, stream, EAGAIN);
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
	switch (send_request(ctx, stream, &bytes, &none)) {
	case MC_HTTP_LATER:
		return fail(ctx, stream, EAGAIN);
	case MC_HTTP_NEVER:
		keep(self, stream, &bytes);
		return fail(ctx, stream, EPROTO);
	default:
		return 0;
	}
}

static void forward_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct forward *self = ctx->self;

	(void)name;
	snprintf(out, size, "%s" METRICS, mc_http_client_url(self->client));
}

static const struct mc_writer writer = {
	.write = forward_write,
	.notify = forward_notify,
	.where = forward_where,
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
