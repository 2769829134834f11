/* SPDX-License-Identifier: MIT */
#include "requests.h"

#include <errno.h>

#include "formats/prometheus/refusal.h"

#include "refused.h"
#include "send.h"

/* --- Shards ---------------------------------------------------------------- */

/* The first sample of the shard after 'last'; NULL: it has no more. */
static const struct mc_sample *next_of_shard(struct mc_ctx *ctx, const struct mc_batch *batch,
					     const struct mc_sample *last,
					     const struct mc_sample **before)
{
	struct forward *self = ctx->self;
	const struct mc_sample *next = mc_next(batch, last);

	for (*before = last; next != NULL && shards_of(&self->shards, next->series) != self->shard;
	     next = mc_next(batch, next))
		*before = next;
	return next;
}

/* --- Batches --------------------------------------------------------------- */

/* Adds the samples of a request, after the last one that is done with, to the division: the
 * suspect ones, or the others.  Returns how many. */
static size_t add_some(struct mc_ctx *ctx, const struct mc_batch *batch,
		       const struct mc_sample *last, bool suspects)
{
	struct forward *self = ctx->self;
	const struct mc_sample *sample = self->sent;
	size_t len = 0;

	while (sample != last) {
		sample = mc_next(batch, sample);
		if (shards_is_suspect(&self->shards, sample->series) != suspects ||
		    (shards_are_several(&self->shards) &&
		     shards_of(&self->shards, sample->series) != self->shard))
			continue;
		division_add(&self->division, sample, suspects);
		len++;
	}
	return len;
}

/* Whether there are suspect series in the request, which then is sent in two parts. */
static bool has_suspects(struct mc_ctx *ctx, const struct mc_batch *batch,
			 const struct mc_sample *last)
{
	struct forward *self = ctx->self;

	if (self->shards.suspects_len == 0)
		return false;
	division_clear(&self->division);
	add_some(ctx, batch, last, false);
	return add_some(ctx, batch, last, true) > 0;
}

/* Sends a request of the samples up to 'last'. */
static int deliver(struct mc_ctx *ctx, const struct mc_batch *batch, const struct mc_sample *last,
		   const struct mc_otlp_bytes *bytes, bool final)
{
	struct forward *self = ctx->self;
	struct division *division = &self->division;
	int rc;

	division->last = last;
	division->final = final;
	if (has_suspects(ctx, batch, last)) {
		division_begin(division, false, 0);
		return refused_go_on(ctx);
	}
	rc = send_values(ctx, bytes, final);
	if (rc < 0) {
		self->doubtful |= refusal_may_be_stored(self->answer->http.reply.status);
		return rc;
	}
	if (rc == SEND_REFUSED) {
		division_clear(division);
		add_some(ctx, batch, last, false);
		division_begin(division, true, refusal_why(self->answer->why));
		mc_bisection_next(&division->bisection)->doubtful = self->doubtful;
		rc = refused_go_on(ctx);
	}
	self->doubtful = false;
	if (rc == 0)
		self->sent = last;
	return rc;
}

/* Goes on with a request that was refused. */
static int go_on(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;

	return division_goes_on(&self->division) ? refused_go_on(ctx) : 0;
}

static int write_all(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	const struct mc_sample *last;
	struct mc_otlp_bytes bytes;
	int rc = go_on(ctx);

	while (rc == 0 && (last = mc_otlp_write(self->writer, batch, self->sent, &bytes)) != NULL)
		rc = deliver(ctx, batch, last, &bytes, mc_next(batch, last) == NULL);
	if (rc == 0)
		self->sent = NULL;
	return rc;
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
	while (next_of_shard(ctx, batch, last, &before) != NULL) {
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
	int rc = go_on(ctx);

	while (rc == 0 && (last = gather_shard(ctx, batch, self->sent, &request)) != NULL)
		rc = deliver(ctx, batch, last, &request,
			     next_of_shard(ctx, batch, last, &before) == NULL);
	if (rc == 0)
		self->sent = NULL;
	return rc;
}

/* One after the other: a shard that is done is not sent again. */
static int write_shards(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;
	int rc;

	if (self->shard == NULL)
		self->shard = shards_begin(&self->shards, batch);
	for (; self->shard != NULL; self->shard = self->shard->next) {
		rc = write_shard(ctx, batch);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool any_is_ready(struct forward *self)
{
	bool any = false;

	for (unsigned i = 0; i < self->spread.targets_len; i++)
		any |= mc_http_ready(self->targets[i].client, &self->targets[i].values.http);
	return any;
}

int requests_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct forward *self = ctx->self;

	if (!any_is_ready(self))
		return target_fail(ctx, &self->targets[0].values, EAGAIN);
	if (shards_are_several(&self->shards))
		return write_shards(ctx, batch);
	self->shard = &self->whole;
	return write_all(ctx, batch);
}
