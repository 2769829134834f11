/* SPDX-License-Identifier: MIT */
/* mc_set_metadata(): what is known of a series is kept in the store, and judges
 * hear of what has changed. */
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
