/* SPDX-License-Identifier: MIT */
/* mc_set_metadata() and mc_set_metric(): the store keeps them; judges hear of changes of metadata.
 */
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

void mc_set_metric(struct mc_batch *batch, struct mc_series *series, const struct mc_metric *metric)
{
	struct mc_series *target;

	if (series == NULL)
		return;
	judge_set_metric(batch, series, metric);
	target = judge_target(context_of(batch->ctx)->judges, series);
	if (target != series)
		judge_set_metric(batch, target, metric);
}
