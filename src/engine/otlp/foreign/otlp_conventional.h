/* SPDX-License-Identifier: MIT */
/* The resource of a host whose series are written by OpenTelemetry's conventions: its name and its
 * labels.  One thread. */
#pragma once

#include <collector/label.h>
#include <collector/metric.h>
#include <collector/writer.h>

#include "formats/otlp/otlp_message.h"

struct otlp_labels;

struct otlp_conventional {
	char host[OTLP_PART_MAX + 1]; /* The last one; "": none yet. */
	char texts[MC_LABELS_MAX][2][MC_LABEL_SIZE];
	struct mc_metric_label items[1 + MC_LABELS_MAX];
	struct mc_metric_labels resource;
};

/* Forgets the host: it may have other labels now.  NULL is fine. */
void otlp_conventional_begin(struct otlp_conventional *);

/* The resource of the sample's host, until it is asked for another one. */
const struct mc_metric_labels *otlp_conventional_resource(struct otlp_conventional *,
							  const struct otlp_labels *,
							  const struct mc_sample *);
