/* SPDX-License-Identifier: MIT */
/* Units of metrics of others, which counts of a histogram have from its other parts.  The writer's
 * thread. */
#pragma once

#include <collector/kit/map.h>
#include <collector/metric.h>

#include "formats/otlp/otlp_unit.h"

struct units { /* All zero: none is known. */
	struct mc_map map;
};

/* The unit of that metric; "" if it is not known. */
const char *units_find(const struct units *, const struct mc_metric *);

/* The unit of a series itself, as OpenTelemetry spells it, or "". */
void units_read(char out[OTLP_UNIT_SIZE], const struct mc_series *);

/* Learns the unit of the metric from one of its series; takes over the metric. */
void units_learn(struct units *, const struct mc_series *, const struct mc_metric *);

/* Frees all. */
void units_done(struct units *);
