/* SPDX-License-Identifier: MIT */
/* A batch as it lies in the journal: an OTLP metrics request. */
#include "engine/write/durable/journal_entry.h"

#include <collector/writer.h>

#include "engine/context.h"
#include "engine/otlp/otlp_put.h"
#include "model/rate.h"
#include "model/series.h"

/* A gauge has a rate as well: none if it is out of its range. */
static void set_rates(struct mc_sample *sample, const struct mc_type *type,
		      const double *rates)
{
	union mc_value *out = sample->values + sample->values_len;

	for (unsigned i = 0; i < sample->values_len; i++)
		out[i].gauge = type->sources[i].kind == MC_GAUGE
				       ? rate_first(&type->sources[i],
						    sample->values[i], 0)
				       : rates[i];
}

static void put_sample(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = otlp_put_series(batch, otlp);
	struct mc_stamp stamp = otlp->stamp;

	if (series == NULL || !mc_otlp_is(otlp, series->type))
		return;
	if (stamp.time == 0)
		stamp.time = batch->time;
	if (stamp.interval == 0)
		stamp.interval = batch->ctx->interval;
	mc_put_at(batch, series, stamp, otlp->values, otlp->values_len);
	set_rates(batch->last, series->type, otlp->own.rates);
}

bool journal_entry_read(struct mc_batch *batch, const void *bytes, size_t size)
{
	const char *host = batch->ctx->host;
	enum mc_otlp_item item;
	struct mc_otlp otlp;

	mc_otlp_open(&otlp, bytes, size, false, host);
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_FAULT)
			return false;
		if (item == MC_OTLP_SAMPLE)
			put_sample(batch, &otlp);
	}
	return true;
}
