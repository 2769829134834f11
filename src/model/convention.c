/* SPDX-License-Identifier: MIT */
/* Names, attributes and units: the OpenTelemetry semantic conventions, "System Metrics"; and for
 * what these leave out the receiver "hostmetrics" of the OpenTelemetry Collector. */
#include "model/convention.h"

#include <collector/writer.h>

#include "model/series.h"

static const struct convention rows[] = {
#include "model/own_conventions.inc"
};

#define ROWS_LEN (sizeof(rows) / sizeof(rows[0]))

const struct convention *convention_row(size_t index)
{
	return index < ROWS_LEN ? &rows[index] : NULL;
}

static bool is_of(const struct convention *row, const struct mc_series *series, const char *source)
{
	return strcmp(row->plugin, mc_plugin(series)) == 0 &&
	       strcmp(row->type, mc_type(series)->name) == 0 && strcmp(row->source, source) == 0 &&
	       (strcmp(row->type_instance, mc_type_instance(series)) == 0 ||
		(strcmp(row->type_instance, "*") == 0 && mc_type_instance(series)[0] != '\0'));
}

const struct convention *convention_find(const struct mc_series *series, unsigned source)
{
	const char *name = mc_type(series)->sources[source].name;

	for (size_t i = 0; i < ROWS_LEN; i++)
		if (is_of(&rows[i], series, name))
			return &rows[i];
	return NULL;
}
