/* SPDX-License-Identifier: MIT */
/* A batch as it lies in the journal: an OTLP metrics request. */
#include "engine/record.h"

#include "engine/house.h"
#include "model/series.h"

bool record_read(struct mc_batch *batch, const void *bytes, size_t size)
{
	struct mc_stamp stamp = { batch->time, batch->ctx->interval };
	const char *host = instance_of(batch->ctx)->engine->host;
	struct mc_otlp_result result;

	if (!mc_otlp_put(batch, stamp, host, bytes, size, &result))
		return false;
	for (struct mc_sample *s = batch->first; s != NULL; s = s->next)
		for (unsigned i = 0; i < s->values_len; i++) {
			const struct mc_type *type = s->series->type;
			bool gauge = type->sources[i].kind == MC_GAUGE;

			s->values[s->values_len + i].gauge =
				gauge ? s->values[i].gauge : NAN;
		}
	return true;
}
