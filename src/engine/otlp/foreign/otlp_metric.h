/* SPDX-License-Identifier: MIT */
/* A foreign metric as it was sent, for collector/metric.h: its name, kind and labels. */
#pragma once

#include <collector/metric.h>

#include "base/arena.h"
#include "formats/otlp/otlp_message.h"

/* A hash of all that otlp_metric_read() finds and that is not in the name of the series. */
uint64_t otlp_metric_sum(const struct mc_otlp *);

/* Describes the metric of the sample that was read last, which is foreign.  Texts and labels are
 * in the arena; labels beyond MC_METRIC_LABELS_MAX + 1 are left out. */
void otlp_metric_read(const struct mc_otlp *, struct arena *, struct mc_metric *);

/* The same for a data point of ours: it has no other name than that of its series, but may have
 * labels. */
void otlp_metric_read_labels(struct mc_otlp_span point, struct arena *, struct mc_metric *);
