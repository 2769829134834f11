/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <stdio.h>

#include <collector/kit/once.h>

#include "formats/prometheus/refusal.h"

#include "send.h"

#define AGAIN (3600 * MC_SECOND) /* Until a refusal of the same kind is logged again. */

static void suspect_all(struct mc_ctx *ctx, const struct mc_bisection_range *range, bool refused)
{
	struct forward *self = ctx->self;
	size_t len;
	const struct mc_sample *const *samples = division_samples(&self->division, range, &len);

	for (size_t i = 0; i < len; i++)
		shards_suspect(&self->shards, samples[i]->series, refused);
}

/* Whether an earlier request with it may have been stored, so that this one is refused. */
static bool may_be_there(const struct forward *self, const struct mc_bisection_range *range)
{
	size_t len;
	const struct mc_sample *const *samples = division_samples(&self->division, range, &len);

	return range->why == REFUSAL_THERE && (range->doubtful || samples[0]->time < self->start);
}

/* Refuses a range for good, nearly always a point. */
static void refuse(struct mc_ctx *ctx, const struct mc_bisection_range *range)
{
	struct forward *self = ctx->self;
	const struct mc_http_reply *reply = &self->answer->http.reply;
	struct mc_otlp_bytes bytes;
	size_t len;
	const struct mc_sample *const *samples = division_samples(&self->division, range, &len);

	if (mc_once_in(&self->refusal_logged, mc_now(), AGAIN) || range->why != self->refusal_why ||
	    self->refusal[0] == '\0') {
		snprintf(self->refusal, sizeof(self->refusal), "%s%s, as of '%.150s'",
			 self->answer->why[0] != '\0' ? ": " : "", self->answer->why,
			 mc_name(samples[0]->series));
		self->refusal_why = range->why;
	}
	mc_otlp_write_samples(self->writer, samples, len, &bytes);
	mc_drop(ctx, len, 0, "'%s' answers with status %ld%s%s", reply->url, reply->status,
		self->refusal, send_keep(self, self->answer, &bytes));
}

/* The range on top is refused. */
static void divide(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	struct division *division = &self->division;
	struct mc_bisection_range range = mc_bisection_pop(&division->bisection);

	if (range.len > 1 && !division_is_old(division, &range) &&
	    mc_bisection_halve(&division->bisection, &range))
		return;
	if (may_be_there(self, &range))
		return;
	if (range.len == 1 && range.why == REFUSAL_OLD)
		division_learn_old(division, &range);
	else if (range.len == 1)
		suspect_all(ctx, &range, true);
	refuse(ctx, &range);
}

static int send_range(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	struct division *division = &self->division;
	struct mc_bisection_range range = mc_bisection_pop(&division->bisection);
	struct mc_otlp_bytes bytes;
	size_t len;
	const struct mc_sample *const *samples = division_samples(division, &range, &len);
	int rc;

	mc_otlp_write_samples(self->writer, samples, len, &bytes);
	rc = send_values(ctx, &bytes, division->final && !division_goes_on(division));
	if (rc < 0) {
		range.doubtful |= refusal_may_be_stored(self->answer->http.reply.status);
		mc_bisection_push(&division->bisection, &range);
		mc_bisection_wait(&division->bisection);
		return rc;
	}
	if (rc == SEND_REFUSED) {
		mc_bisection_refused(&division->bisection, &range, refusal_why(self->answer->why));
		return 0;
	}
	if (range.suspect)
		suspect_all(ctx, &range, false);
	mc_bisection_taken(&division->bisection, &range);
	return 0;
}

int refused_go_on(struct mc_ctx *ctx)
{
	struct forward *self = ctx->self;
	struct mc_bisection_range *next;
	int rc = 0;

	while (rc == 0 && (next = mc_bisection_next(&self->division.bisection)) != NULL) {
		if (next->refused)
			divide(ctx);
		else
			rc = send_range(ctx);
	}
	if (rc == 0)
		self->sent = self->division.last;
	return rc;
}
