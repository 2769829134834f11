/* SPDX-License-Identifier: MIT */
/* mc_set_metadata(): the store keeps the metadata of a series, and judges hear of changes. */
#include "engine/context.h"
#include "engine/judge/judge.h"
#include "model/batch.h"
#include "model/series.h"

void mc_set_metadata(struct mc_batch *batch, struct mc_series *series, unsigned source,
		     const struct mc_metadata *metadata)
{
	struct mc_series *target;

	if (series == NULL || source >= series->type->sources_len)
		return;
	judge_describe(batch, series, source, metadata);
	target = judge_target(context_of(batch->ctx)->judges, series);
	if (target != series)
		judge_describe(batch, target, source, metadata);
}
