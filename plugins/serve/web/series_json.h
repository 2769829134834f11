/* SPDX-License-Identifier: MIT */
/* The values of a series as JSON, as collectorctl --json prints them. */
#pragma once

#include <collector/kit/json.h>
#include <collector/writer.h>

/* Maps "values" and "rates", by source. */
void series_json_values(struct mc_json *, const struct mc_type *, const union mc_value *values,
			unsigned len);
void series_json_rates(struct mc_json *, const struct mc_type *, const double *rates, unsigned len);

/* A map: a sample of a batch. */
void series_json_sample(struct mc_json *, const struct mc_sample *);

/* A map "metric": the series as its sender knows it; left out if that calls it nothing else. */
void series_json_metric(struct mc_json *, const struct mc_series *);
