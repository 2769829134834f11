/* SPDX-License-Identifier: MIT */
/* Descriptions of metrics become metadata of their series: the description becomes the attribute
 * "info", and the unit is kept where the type has another one.  A foreign metric is kept as it was
 * sent (collector/metric.h).
 *
 * It comes with each request and is nearly always the same.  So a sum of it is
 * kept with the series, and texts are looked at only when that is another one:
 * once in an hour, too, as another text may have the same sum, and as there may
 * have been too many metadata. */
#pragma once

#include "formats/otlp/otlp.h"

#include "model/batch.h"
#include "model/series.h"

#define OTLP_TELL_AGAIN (3600 * MC_SECOND)

/* The sums of the metrics of a request: zeros at first, and valid as long as
 * the bytes of the request. */
struct otlp_tell_sums {
	struct mc_otlp_said said; /* The last one that was summed up, */
	uint64_t sum;             /* and its sum. */
};

/* A sum of the description of the sample that was read last, and of its metric if that is foreign,
 * or else of its labels; 0: neither. */
uint64_t otlp_tell_sum(struct otlp_tell_sums *, const struct mc_otlp *);

/* Whether there is something that the type of the series does not say. */
bool otlp_tell_is_due(const struct mc_series *, const struct mc_otlp_said *);

/* Makes the value of the sample that was read last, a threshold, one of the series of its name, if
 * that exists. */
void otlp_tell_threshold(struct mc_batch *, const struct mc_otlp *);

/* Sets the metric of the series to that of the sample that was read last, which is foreign. */
void otlp_tell_metric(struct mc_batch *, struct mc_series *, const struct mc_otlp *);

/* The same for a sample of ours: sets its labels to those of its data point, or takes away those
 * that were sent before if that has none. */
void otlp_tell_labels(struct mc_batch *, struct mc_series *, struct mc_otlp_span point);

/* The slow path of otlp_tell(). */
void otlp_tell_all(struct mc_batch *, struct mc_series *, const struct mc_otlp_said *);

static inline uint16_t otlp_tell_now(const struct mc_batch *batch, uint64_t sum)
{
	return (uint16_t)(sum + (uint64_t)batch->time / OTLP_TELL_AGAIN);
}

/* Whether the metadata of a series, whose sum that is, are known and not due again. */
static inline bool otlp_tell_is_told(const struct mc_batch *batch, const struct mc_series *series,
				     uint64_t sum)
{
	return atomic_load_explicit(&series->told, memory_order_relaxed) ==
	       otlp_tell_now(batch, sum);
}

/* Sets the metadata of each source of a series, whose sum that is.  False if that was not due. */
static inline bool otlp_tell(struct mc_batch *batch, struct mc_series *series,
			     const struct mc_otlp_said *said, uint64_t sum)
{
	if (otlp_tell_is_told(batch, series, sum))
		return false;
	otlp_tell_all(batch, series, said);
	atomic_store_explicit(&series->told, otlp_tell_now(batch, sum), memory_order_relaxed);
	return true;
}
