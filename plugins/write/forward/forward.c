/* SPDX-License-Identifier: MIT */
/* forward - sends all values and notifications on by OTLP over HTTP, to another
 * collector or to whatever else receives OTLP.
 *
 * One request is under way at a time, and write() returns when it is answered:
 * what it returns 0 for is where it was to go.  Facts: the OTLP specification,
 * "OTLP/HTTP".  manual.txt describes the headers of our own. */
#include <collector/certificate.h>
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/otlp.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "buffer.h"
#include "numbers.h"
#include "post.h"
#include "quarantine.h"
#include "retry.h"
#include "url.h"

#define METRICS "/v1/metrics"
#define LOGS "/v1/logs"
/* Of what is larger, otlp takes no more than fifty times the size on the wire.
 */
#define SUSPECT_SIZE 65536
#define SUSPECT_RATIO 40
#define HOME (60 * MC_SECOND) /* After this the first URL is tried again. */

struct stream { /* Values or notifications, which are accepted or rejected
		 * independently. */
	const char *path;
	struct retry retry;
	const char *url;         /* Of the last request, as shown, */
	struct post_reply reply; /* and its answer. */
};

struct forward {
	struct mc_strings urls, header_words;
	const char *header_file, *proxy;
	const char *ca, *certificate, *key;
	bool tls12;
	int compression;
	mc_time timeout, connect_timeout, merge;
	int64_t size_max, refused_max;

	char (*shown)[URL_SIZE]; /* Of each URL, what may be seen. */
	struct headers headers;
	struct post_options options;
	struct post *post;
	atomic_bool renew; /* Files are to be read anew before a request. */
	struct mc_otlp_writer *writer;
	struct stream values, notifications;
	const struct mc_sample *sent;  /* Of a batch to be offered again, the
					* last one that is done with. */
	struct buffer gathered;        /* Notifications of a request. */
	enum pack_encoding *encodings; /* One for each URL. */
	size_t url;                    /* The one in use. */
	mc_time away;                  /* Since when that is not the first. */
	struct numbers numbers;
	struct quarantine quarantine;
};

enum { AUTO = PACK_ZSTD + 1 }; /* The others are those of pack.h. */
static const char *const compressions[] = { "none", "gzip", "zstd", "auto",
					    NULL };

static const struct mc_option forward_options[] = {
	{ "URL", MC_OPT_STRINGS(struct forward, urls), .required = true,
	  .help = "Where to send to, without /v1/metrics; if there are "
		  "several, to the first that answers.",
	  .sample = "http://127.0.0.1:4318" },
	{ "Header", MC_OPT_STRINGS(struct forward, header_words),
	  .help = "Name and value of a header that each request has, such as "
		  "Authorization.",
	  .sample = "\"X-Scope-OrgID\" \"hosts\"" },
	{ "HeaderFile", MC_OPT_STRING(struct forward, header_file),
	  .help = "File with such headers, a \"Name: value\" in each line; it "
		  "is read again when the receiver answers 401 or 403.",
	  .sample = "/etc/collector/forward.headers" },
	{ "Proxy", MC_OPT_STRING(struct forward, proxy),
	  .help = "URL of the proxy to go through; that of the environment "
		  "(https_proxy) if it is not given, and none if it is empty.",
	  .sample = "http://127.0.0.1:3128" },
	{ "CACert", MC_OPT_STRING(struct forward, ca),
	  .help = "File with the certificates that the receiver's must come "
		  "from; those of the system if it is not given.",
	  .sample = "/etc/collector/ca.pem" },
	{ "ClientCert", MC_OPT_STRING(struct forward, certificate),
	  .help = "File with the certificate that is shown to the receiver.",
	  .sample = "/etc/collector/agent.pem" },
	{ "ClientKey", MC_OPT_STRING(struct forward, key),
	  .help = "File with the key of that certificate.",
	  .sample = "/etc/collector/agent.key" },
	{ "AllowTLS12", MC_OPT_BOOL(struct forward, tls12),
	  .default_value = "false",
	  .help = "Also speaks TLS 1.2, not only 1.3." },
	{ "Compression", MC_OPT_WORD(struct forward, compression),
	  .default_value = "auto", .words = compressions,
	  .help = "How requests are compressed; with auto in gzip, and in zstd "
		  "as soon as the receiver says that it takes it." },
	{ "Sequence", MC_OPT_BOOL(struct forward, numbers.wanted),
	  .default_value = "true",
	  .help = "Numbers requests, so that a collector does not take one "
		  "twice." },
	{ "MaxRequestSize", MC_OPT_INT(struct forward, size_max),
	  .default_value = "1048576",
	  .help = "Bytes of the largest request, before compression.",
	  .min = MC_OTLP_SIZE_MIN, .max = 64 << 20 },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct forward, merge),
	  .default_value = "1",
	  .help = "Seconds that values wait for others, which are then sent in "
		  "the same request; 0: not at all.",
	  .max = 60 },
	{ "RefusedRequests", MC_OPT_INT(struct forward, refused_max),
	  .default_value = "16",
	  .help = "How many requests that were refused for good are kept as "
		  "files, the newest of them; 0: none.",
	  .max = 10000 },
	{ "Timeout", MC_OPT_TIME(struct forward, timeout),
	  .default_value = "30", .help = "Seconds that a request may take.",
	  .min = 0.1, .max = 600 },
	{ "ConnectTimeout", MC_OPT_TIME(struct forward, connect_timeout),
	  .default_value = "5", .help = "Seconds that connecting may take.",
	  .min = 0.1, .max = 600 },
	{ 0 },
};

/* --- Life ---------------------------------------------------------------- */

static bool is_https(const char *url)
{
	return strncasecmp(url, "https://", 8) == 0;
}

static void forward_check(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	bool https = false;

	for (size_t i = 0; i < self->urls.len; i++) {
		const char *url = self->urls.items[i];
		size_t size = strlen(url);

		https |= is_https(url);
		if (!mc_check_url(ctx, &self->urls.items[i]))
			continue;
		if (url[size - 1] == '/')
			mc_check_error(ctx, &self->urls.items[i],
				       "must not end with '/': a path is "
				       "appended");
		else if (!url_valid(url))
			mc_check_error(ctx, &self->urls.items[i],
				       "is no URL that a path can be appended "
				       "to");
	}
	if (self->key != NULL && self->certificate == NULL)
		mc_check_error(ctx, &self->key,
			       "is without ClientCert: it would not be used");
	if (!https && self->ca != NULL)
		mc_check_error(ctx, &self->ca,
			       "is without a URL that begins with 'https://'");
	if (!https && self->certificate != NULL)
		mc_check_error(ctx, &self->certificate,
			       "is without a URL that begins with 'https://'");
	if (self->header_words.len % 2 != 0)
		mc_check_error(ctx, &self->header_words.items[0],
			       "takes a name and a value");
	mc_check_secret(ctx, &self->header_file);
	mc_check_certificates(ctx, &self->ca);
	mc_check_key_pair(ctx, &self->certificate,
			  self->key != NULL ? &self->key : &self->certificate);
}

static int check_urls(struct mc_ctx *ctx, struct forward *self)
{
	self->shown = mc_alloc_array(self->urls.len, sizeof(*self->shown));
	for (size_t i = 0; i < self->urls.len; i++) {
		const char *url = self->urls.items[i];

		url_show(url, self->shown[i]);
		if (!url_valid(url))
			return mc_fail(ctx, 0,
				       "'%s' is not of the form "
				       "https://host:port",
				       self->shown[i]);
	}
	return 0;
}

static int read_headers(struct mc_ctx *ctx, struct headers *headers)
{
	const struct forward *self = ctx->self;
	const struct mc_strings *words = &self->header_words;
	unsigned line;
	int rc = 0;

	if (words->len % 2 != 0)
		return mc_fail(ctx, 0, "Header takes a name and a value");
	for (size_t i = 0; i < words->len && rc == 0; i += 2) {
		rc = header_add(headers, words->items[i], words->items[i + 1]);
		if (rc < 0)
			return mc_fail(ctx, -rc, "cannot send header '%.100s'",
				       words->items[i]);
	}
	if (self->header_file == NULL)
		return 0;
	rc = header_read(headers, self->header_file, &line);
	if (rc < 0 && line > 0)
		return mc_fail(ctx, -rc, "cannot use line %u of '%s'", line,
			       self->header_file);
	return rc < 0 ? mc_fail(ctx, -rc, "cannot read '%s'", self->header_file)
		      : 0;
}

/* A token may have been renewed; if the file cannot be used the old one is. */
static void renew_headers(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	struct headers renewed = { 0 };

	if (self->header_file == NULL)
		return;
	if (read_headers(ctx, &renewed) < 0) {
		header_free(&renewed);
		return;
	}
	header_free(&self->headers);
	self->headers = renewed;
}

static enum pack_encoding *make_encodings(const struct forward *self)
{
	enum pack_encoding *encodings =
		mc_alloc_array(self->urls.len, sizeof(*encodings));

	for (size_t i = 0; i < self->urls.len; i++)
		encodings[i] = self->compression == AUTO
				       ? PACK_GZIP
				       : (enum pack_encoding)self->compression;
	return encodings;
}

static int forward_start(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	uint64_t random;
	int rc = check_urls(ctx, self);

	if (rc == 0)
		rc = read_headers(ctx, &self->headers);
	if (rc < 0) {
		free(self->shown);
		header_free(&self->headers);
		return rc;
	}
	if (getrandom(&random, sizeof(random), 0) != sizeof(random) ||
	    numbers_start(&self->numbers) < 0)
		return mc_fail(ctx, errno, "cannot get random numbers");
	quarantine_init(&self->quarantine, ctx->name,
			(size_t)self->refused_max);
	self->options = (struct post_options){
		.sender = ctx->host,
		.ca = self->ca,
		.certificate = self->certificate,
		.key = self->key,
		.tls12 = self->tls12,
		.proxy = self->proxy,
		.headers = &self->headers,
		.timeout = self->timeout,
		.connect_timeout = self->connect_timeout,
	};
	self->encodings = make_encodings(self);
	self->post = post_new(ctx, &self->options);
	if (self->post == NULL)
		return mc_fail(ctx, ENOMEM, "cannot set libcurl up");
	mc_linger(ctx, self->merge);
	self->writer = mc_otlp_writer_new((size_t)self->size_max);
	mc_otlp_writer_label(self->writer, ctx, mc_each_label);
	self->values.path = METRICS;
	self->notifications.path = LOGS;
	self->values.retry.random = self->notifications.retry.random =
		random | 1;
	self->values.retry.longest = self->notifications.retry.longest =
		RETRY_LONGEST;
	if (ctx->interval < RETRY_LONGEST)
		self->notifications.retry.longest = ctx->interval;
	return 0;
}

static void forward_stop(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	post_free(self->post);
	free(self->encodings);
	free(self->shown);
	header_free(&self->headers);
	mc_otlp_writer_free(self->writer);
	buffer_free(&self->gathered);
	quarantine_done(&self->quarantine);
}

/* --- Sending ------------------------------------------------------------- */

/* Whether a receiver could take it for one that inflates without end: values
 * that hardly differ are packed a hundredfold, by zstd more than by gzip, which
 * is why that is tried before it goes as it is. */
static bool is_suspect(size_t size, size_t packed_size)
{
	return size > SUSPECT_SIZE && packed_size < size / SUSPECT_RATIO;
}

/* Sends to the URL in use, in the form that it understands; as it is, what is
 * refused as too large when it is inflated. */
static enum retry_verdict send_here(struct forward *self, struct stream *stream,
				    const struct mc_otlp_bytes *bytes,
				    const struct post_number *number)
{
	enum pack_encoding *known = &self->encodings[self->url],
			   encoding = *known;
	struct post_body body;

	stream->url = self->shown[self->url];
	for (;;) {
		if (!post_prepare(self->post, bytes->at, bytes->size, encoding,
				  &body)) {
			stream->reply =
				(struct post_reply){ .why = "cannot compress" };
			return RETRY_LATER;
		}
		if (is_suspect(bytes->size, body.size)) {
			encoding = pack_simpler(encoding);
			continue;
		}
		post_send(self->post, self->urls.items[self->url], stream->path,
			  &body, number, &stream->reply);
		if (encoding == PACK_NONE)
			break;
		if (stream->reply.status == 415)
			encoding = *known = pack_simpler(encoding);
		else if (stream->reply.status == 413)
			encoding = PACK_NONE;
		else
			break;
	}
	if (self->compression == AUTO && stream->reply.takes_zstd)
		*known = PACK_ZSTD;
	return retry_verdict(stream->reply.status);
}

/* Sends to the URL in use, or else to the next that answers. */
static enum retry_verdict send_somewhere(struct forward *self,
					 struct stream *stream,
					 const struct mc_otlp_bytes *bytes,
					 const struct post_number *number)
{
	enum retry_verdict verdict = RETRY_LATER;

	if (self->url > 0 && mc_now() - self->away > HOME)
		self->url = 0;
	for (size_t i = 0; i < self->urls.len; i++) {
		verdict = send_here(self, stream, bytes, number);
		if (verdict != RETRY_LATER)
			break;
		self->url = (self->url + 1) % self->urls.len;
		self->away = mc_now();
	}
	if (verdict == RETRY_LATER)
		retry_failed(&stream->retry, mc_now(),
			     stream->reply.retry_after);
	else
		retry_done(&stream->retry);
	return verdict;
}

/* Says what the last reply was. */
static int fail(struct mc_ctx *ctx, const struct stream *stream, int errnum)
{
	const struct post_reply *reply = &stream->reply;

	if (reply->status == 0)
		return mc_fail(ctx, errnum, "cannot send to '%s': %s",
			       stream->url, reply->why);
	return mc_fail(ctx, errnum, "'%s' answers with status %ld%s%s",
		       stream->url, reply->status,
		       reply->why[0] != '\0' ? ": " : "", reply->why);
}

static int try_later(struct mc_ctx *ctx, const struct stream *stream)
{
	if (stream->reply.status == 401 || stream->reply.status == 403)
		renew_headers(ctx);
	return fail(ctx, stream, EAGAIN);
}

/* Keeps what was refused for good; returns what the log says of that. */
static const char *keep(struct forward *self, const struct stream *stream,
			const struct mc_otlp_bytes *bytes)
{
	int rc = quarantine_keep(&self->quarantine, mc_wall(), stream->path,
				 bytes->at, bytes->size);

	if (rc == 0)
		return "; kept in BaseDir, see RefusedRequests";
	return rc == -ENOENT ? "" : "; it cannot be kept";
}

/* 'last': no other request of the batch follows. */
static int send_part(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes,
		     bool last)
{
	struct forward *self = ctx->self;
	struct stream *stream = &self->values;
	struct numbers_request request = {
		.instance = ctx->name,
		.last = last,
		.crc = mc_otlp_crc(bytes->at, bytes->size),
		.missed = mc_dropped_before(ctx),
	};
	enum retry_verdict verdict;
	struct post_number number;

	mc_records(ctx, &request.records);
	number = numbers_next(&self->numbers, &request);
	verdict = send_somewhere(self, stream, bytes, &number);
	if (verdict == RETRY_LATER)
		return try_later(ctx, stream);
	numbers_done(&self->numbers, verdict == RETRY_DONE);
	if (verdict == RETRY_NEVER) /* Other parts of the batch may do well. */
		mc_drop(ctx, bytes->samples_len, 0,
			"'%s' answers with status %ld: %s%s", stream->url,
			stream->reply.status, stream->reply.why,
			keep(self, stream, bytes));
	else if (stream->reply.rejected > 0)
		mc_drop(ctx,
			stream->reply.rejected < bytes->samples_len
				? stream->reply.rejected
				: bytes->samples_len,
			0, "'%s' rejects values: %s", stream->url,
			stream->reply.why);
	return 0;
}

/* What has failed because of the files of before is tried again at once. */
static void read_anew(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	if (!atomic_exchange(&self->renew, false))
		return;
	renew_headers(ctx);
	post_renew(self->post);
	self->values.retry.until = self->notifications.retry.until = 0;
}

/* While write() or notify() may run. */
static int forward_renew(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	atomic_store(&self->renew, true);
	return 0;
}

/* What is not taken is offered again, and nothing else before that: it goes on
 * behind the requests that are done with. */
static int forward_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	const struct mc_sample *last;
	struct mc_otlp_bytes bytes;
	int rc;

	read_anew(ctx);
	if (mc_now() < self->values.retry.until)
		return fail(ctx, &self->values, EAGAIN);
	while ((last = mc_otlp_write(self->writer, batch, self->sent,
				     &bytes)) != NULL) {
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
	return self->gathered.size + MC_OTLP_SIZE_MIN / 2 <
	       (size_t)self->size_max;
}

static int forward_notify(struct mc_ctx *ctx,
			  const struct mc_notification *notification)
{
	struct forward *self = ctx->self;
	struct stream *stream = &self->notifications;
	const struct post_number none = { .last = 0 };
	struct mc_otlp_bytes bytes;

	read_anew(ctx);
	if (mc_now() < stream->retry.until)
		return fail(ctx, stream, EAGAIN);
	buffer_clear(&self->gathered);
	while (notification != NULL) {
		mc_otlp_write_notification(self->writer, notification, &bytes);
		buffer_add(&self->gathered, &bytes);
		notification =
			has_room(self) ? mc_next_notification(ctx) : NULL;
	}
	bytes = buffer_bytes(&self->gathered);
	switch (send_somewhere(self, stream, &bytes, &none)) {
	case RETRY_LATER:
		return try_later(ctx, stream);
	case RETRY_NEVER:
		keep(self, stream, &bytes);
		return fail(ctx, stream, EPROTO);
	default:
		return 0;
	}
}

static void forward_where(struct mc_ctx *ctx, const char *name, char *out,
			  size_t size)
{
	const struct forward *self = ctx->self;

	(void)name;
	snprintf(out, size, "%s" METRICS, self->shown[0]);
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
