/* SPDX-License-Identifier: MIT */
/* mc_set_metadata(), mc_set_limit() and mc_set_metric(): the store keeps them; judges hear of
 * changes of metadata. */
#include <math.h>
#include <stdio.h>

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

/* The attributes with that one of them set; 'out' has room for all. */
static size_t set_attribute(struct mc_attribute out[MC_ATTRIBUTES_MAX + 1],
			    const struct mc_metadata *before, const struct mc_attribute *one)
{
	size_t len = 0;

	for (size_t i = 0; before != NULL && i < before->attributes_len; i++)
		if (len < MC_ATTRIBUTES_MAX && strcmp(before->attributes[i].name, one->name) != 0)
			out[len++] = before->attributes[i];
	out[len++] = *one;
	return len;
}

void mc_set_limit(struct mc_batch *batch, struct mc_series *series, unsigned source,
		  enum mc_limit limit, double value)
{
	struct mc_metadata metadata = { .warning = { NAN, NAN }, .failure = { NAN, NAN } };
	struct mc_attribute attributes[MC_ATTRIBUTES_MAX + 1];
	const struct mc_metadata *before;
	char text[32];

	if (series == NULL || limit == MC_LIMIT_NONE)
		return;
	before = mc_get_metadata(series, source);
	if (before != NULL)
		metadata = *before;
	if (limit == MC_LIMIT_WARNING || limit == MC_LIMIT_FAILURE) {
		double *max =
			limit == MC_LIMIT_WARNING ? &metadata.warning.max : &metadata.failure.max;

		*max = value;
	} else {
		const struct mc_attribute one = { limit == MC_LIMIT_MIN ? "min" : "max", text };

		snprintf(text, sizeof(text), "%.15g", value);
		metadata.attributes_len = set_attribute(attributes, before, &one);
		metadata.attributes = attributes;
	}
	mc_set_metadata(batch, series, source, &metadata);
	mc_release_metadata(before);
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
