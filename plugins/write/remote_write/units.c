/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>
#include <collector/writer.h>

#include "formats/prometheus/naming.h"

#define UNITS_MAX 10000

struct unit {
	struct mc_map_node node; /* By 'key'. */
	struct unit_key {
		const void *name, *resource; /* Each kept once. */
	} key;
	struct mc_metric metric; /* Is got, so that the key stays its own. */
	char text[OTLP_UNIT_SIZE];
};

static struct unit_key key_of(const struct mc_metric *metric)
{
	return (struct unit_key){ metric->name, metric->resource.items };
}

const char *units_find(const struct units *units, const struct mc_metric *metric)
{
	const struct unit_key key = key_of(metric);
	const struct unit *unit = (const struct unit *)mc_map_find(&units->map, &key, sizeof(key));

	return unit != NULL ? unit->text : "";
}

void units_read(char out[OTLP_UNIT_SIZE], const struct mc_series *series)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, 0);

	naming_sent_unit(out, mc_type(series), metadata);
	if (naming_is_seconds(mc_type(series)))
		memcpy(out, "s", sizeof("s"));
	mc_release_metadata(metadata);
}

void units_learn(struct units *units, const struct mc_series *series,
		 const struct mc_metric *metric)
{
	const struct unit_key key = key_of(metric);
	char text[OTLP_UNIT_SIZE];
	struct unit *unit;

	units_read(text, series);
	if (text[0] == '\0' || mc_map_find(&units->map, &key, sizeof(key)) != NULL) {
		mc_release_metric(metric);
		return;
	}
	if (units->map.len >= UNITS_MAX)
		units_done(units);
	unit = mc_alloc_zero(sizeof(*unit));
	unit->key = key;
	unit->metric = *metric;
	memcpy(unit->text, text, sizeof(text));
	unit->node.key = &unit->key;
	unit->node.key_size = sizeof(unit->key);
	mc_map_add(&units->map, &unit->node);
}

void units_done(struct units *units)
{
	struct mc_map_node *node = mc_map_next(&units->map, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&units->map, node);
		mc_map_remove(&units->map, node);
		mc_release_metric(&((struct unit *)node)->metric);
		free(node);
	}
	mc_map_done(&units->map);
	*units = (struct units){ 0 };
}
