/* SPDX-License-Identifier: MIT */
#pragma once

#include <collector/writer.h>

#include "formats/collectd/value_list.h"

/* Of a sample, whose names and values it points to. */
static inline struct mc_value_list mc_value_list_of(const struct mc_sample *sample)
{
	const struct mc_series *series = sample->series;

	return (struct mc_value_list){
		.name = mc_name(series),
		.id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
			mc_type(series)->name, mc_type_instance(series) },
		.type = mc_type(series),
		.time = sample->time,
		.interval = sample->interval,
		.values = sample->values,
	};
}
