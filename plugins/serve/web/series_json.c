/* SPDX-License-Identifier: MIT */
#include "series_json.h"

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
