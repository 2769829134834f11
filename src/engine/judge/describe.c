/* SPDX-License-Identifier: MIT */
/* mc_set_metadata(): what is known of a series is kept in the store, and judges
 * hear of what has changed. */
#include "engine/context.h"
#include "engine/judge/judge.h"
#include "engine/log_once.h"
#include "engine/store/metadata.h"
#include "model/series.h"

static void set(struct context *context, struct mc_series *series,
		unsigned source, const struct mc_metadata *metadata)
{
	switch (metadata_set(series, source, metadata)) {
	case METADATA_SAME:
		return;
	case METADATA_CHANGED:
		judge_described(context->judges, series);
		return;
	case METADATA_FULL:
		log_once_hint(
			&context->refusals, context->ctx.name, "metadata",
			"more than %d sources have metadata, or more than "
			"%d MiB of them",
			METADATA_SOURCES_MAX, METADATA_BYTES_MAX >> 20);
		return;
	}
}

void mc_set_metadata(struct mc_ctx *ctx, struct mc_series *series,
		     unsigned source, const struct mc_metadata *metadata)
{
	struct context *context = context_of(ctx);
	struct mc_series *target;

	if (series == NULL || source >= series->type->sources_len)
		return;
	set(context, series, source, metadata);
	target = judge_target(context->judges, series);
	if (target != series)
		set(context, target, source, metadata);
}
