/* SPDX-License-Identifier: MIT */
#include "send.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/journal.h>
#include <collector/kit/once.h>

#include "formats/prometheus/refusal.h"

#define AGAIN (3600 * MC_SECOND) /* Until a rejection is logged again. */

const char *send_keep(struct forward *self, const struct stream *stream,
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

/* Whether the answer may be due to some of the samples alone. */
static bool is_about_some(const struct stream *stream)
{
	long status = stream->http.reply.status;

	return status == 400 || status == 413 || status == 422 ||
	       (status >= 500 && refusal_why(stream->why) != REFUSAL_OTHER);
}

/* The receiver has answered: 0, or SEND_REFUSED. */
static int take_verdict(struct mc_ctx *ctx, const struct stream *stream,
			const struct mc_otlp_bytes *bytes, enum mc_http_verdict verdict)
{
	struct forward *self = ctx->self;

	numbers_done(&self->numbers, verdict == MC_HTTP_DONE);
	self->answer = stream;
	if (verdict == MC_HTTP_NEVER && is_about_some(stream))
		return SEND_REFUSED;
	if (verdict == MC_HTTP_NEVER) /* Other parts of the batch may do well. */
		mc_drop(ctx, bytes->samples_len, 0, "'%s' answers with status %ld%s%s%s",
			stream->http.reply.url, stream->http.reply.status,
			stream->why[0] != '\0' ? ": " : "", stream->why,
			send_keep(self, stream, bytes));
	else if (stream->rejected > 0)
		drop_rejected(ctx, stream, bytes);
	return 0;
}

/* Sends to the receiver of the shard, or to the next that answers: 0, SEND_REFUSED, or -EAGAIN. */
static int send_somewhere(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes,
			  const struct number *number)
{
	struct forward *self = ctx->self;
	struct target *first = &self->targets[spread_target(&self->spread, self->shard->place, 0)];

	for (unsigned i = 0; i < self->spread.targets_len; i++) {
		unsigned place = spread_target(&self->spread, self->shard->place, i);
		struct target *target = &self->targets[place];
		enum mc_http_verdict verdict;

		if (!mc_http_ready(target->client, &target->values.http))
			continue;
		target->values.tenant = self->shard->tenant;
		verdict = target_send(ctx, target, &target->values, bytes, number);
		if (verdict == MC_HTTP_LATER)
			continue;
		if (self->spread.targets_len > 1)
			target_report(ctx, first, target);
		return take_verdict(ctx, &target->values, bytes, verdict);
	}
	self->answer = &first->values;
	return target_fail(ctx, &first->values, EAGAIN);
}

/* The name of the stream of numbers: a receiver that stands in gets the same numbers of several
 * shards. */
static void name_stream(const struct mc_ctx *ctx, char *out, size_t size)
{
	const struct forward *self = ctx->self;
	const struct spread *spread = &self->spread;
	const struct shard *shard = self->shard;
	const char *space = shard->tenant[0] != '\0' ? " " : "";

	if (spread->targets_len == 1)
		snprintf(out, size, "%s%s%s", ctx->name, space, shard->tenant);
	else
		snprintf(out, size, "%s %s %s%s%s", ctx->name,
			 spread->urls[spread_target(spread, shard->place, 0)],
			 spread->urls[spread_target(spread, shard->place, 1)], space,
			 shard->tenant);
}

int send_values(struct mc_ctx *ctx, const struct mc_otlp_bytes *bytes, bool last)
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
