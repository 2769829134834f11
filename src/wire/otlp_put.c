/* SPDX-License-Identifier: MIT */
/* A request into a batch. */
#include "wire/otlp.h"

static void note_stamp(struct mc_otlp_result *result,
		       const struct mc_otlp *otlp)
{
	if (otlp->stamp.time > result->newest)
		result->newest = otlp->stamp.time;
	if (otlp->stamp.interval > 0 &&
	    (result->interval == 0 || otlp->stamp.interval < result->interval))
		result->interval = otlp->stamp.interval;
}

static const char *put_sample(struct mc_batch *batch,
			      const struct mc_otlp *otlp, struct mc_stamp stamp)
{
	struct mc_series *series = mc_series_named(batch, &otlp->name);

	if (series == NULL)
		return "name, type or number of series is not accepted";
	if (!mc_otlp_is(otlp, mc_type(series)))
		return "type has other sources here";
	if (otlp->stamp.time != 0)
		stamp.time = otlp->stamp.time;
	if (otlp->stamp.interval != 0)
		stamp.interval = otlp->stamp.interval;
	mc_put_at(batch, series, stamp, otlp->values, otlp->values_len);
	return NULL;
}

bool mc_otlp_put(struct mc_batch *batch, struct mc_stamp stamp,
		 const char *host, const void *bytes, size_t size,
		 struct mc_otlp_result *result)
{
	struct mc_otlp otlp;
	enum mc_otlp_item item;
	const char *why;

	*result = (struct mc_otlp_result){ 0 };
	mc_otlp_open(&otlp, bytes, size, false, host);
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_FAULT) {
			result->why = otlp.why;
			return false;
		}
		if (item == MC_OTLP_REJECT) {
			why = otlp.why;
		} else {
			why = put_sample(batch, &otlp, stamp);
			otlp.rejected = otlp.values_len;
		}
		if (why == NULL) {
			result->samples++;
			note_stamp(result, &otlp);
			continue;
		}
		result->rejected += otlp.rejected;
		if (result->why == NULL)
			result->why = why;
	}
	return true;
}
