/* SPDX-License-Identifier: MIT */
#include "series_json.h"

#include <collector/metadata.h>
#include <collector/metric.h>

#include "report_json.h"

static void add_value(struct mc_json *json, const struct mc_source *source,
		      const union mc_value *value)
{
	switch (source->kind) {
	case MC_GAUGE:
		mc_json_number(json, source->name, value->gauge);
		return;
	case MC_DERIVE:
		mc_json_signed(json, source->name, value->derive);
		return;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		mc_json_unsigned(json, source->name, value->counter);
		return;
	}
}

void series_json_values(struct mc_json *json, const struct mc_type *type,
			const union mc_value *values, unsigned len)
{
	mc_json_map(json, "values");
	for (unsigned i = 0; i < len; i++)
		add_value(json, &type->sources[i], &values[i]);
	mc_json_map_end(json);
}

void series_json_rates(struct mc_json *json, const struct mc_type *type, const double *rates,
		       unsigned len)
{
	mc_json_map(json, "rates");
	for (unsigned i = 0; i < len; i++)
		mc_json_number(json, type->sources[i].name, rates[i]);
	mc_json_map_end(json);
}

void series_json_sample(struct mc_json *json, const struct mc_sample *sample)
{
	const struct mc_type *type = mc_type(sample->series);
	double rates[MC_SOURCES_MAX];

	for (unsigned i = 0; i < sample->values_len; i++)
		rates[i] = mc_rate(sample, i);
	mc_json_map(json, NULL);
	mc_json_text(json, "name", mc_name(sample->series));
	mc_json_seconds(json, "time", sample->time);
	mc_json_seconds(json, "interval", sample->interval);
	series_json_values(json, type, sample->values, sample->values_len);
	series_json_rates(json, type, rates, sample->values_len);
	mc_json_map_end(json);
}

/* --- As the sender calls it ------------------------------------------------- */

static void add_unit(struct mc_json *json, const struct mc_series *series)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, 0);
	const char *unit = mc_type(series)->unit;

	if (metadata != NULL && metadata->unit[0] != '\0')
		unit = metadata->unit;
	mc_json_text(json, "unit", unit);
	mc_release_metadata(metadata);
}

static void add_labels(struct mc_json *json, const char *key, const struct mc_metric_labels *labels)
{
	mc_json_map(json, key);
	for (size_t i = 0; i < labels->len; i++)
		mc_json_text(json, labels->items[i].name, labels->items[i].value);
	mc_json_map_end(json);
}

void series_json_metric(struct mc_json *json, const struct mc_series *series)
{
	struct report_json report = report_json(json);
	struct mc_metric metric;

	if (!mc_get_metric(series, &metric))
		return;
	mc_json_map(json, "metric");
	mc_report_metric_of(&report.base, &metric);
	add_unit(json, series);
	add_labels(json, "labels", &metric.labels);
	add_labels(json, "resource", &metric.resource);
	mc_json_map_end(json);
	mc_release_metric(&metric);
}
