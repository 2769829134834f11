/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_subject.h"

#include <collector/writer.h>

#include <string.h>

struct graph_subject graph_subject_of(const struct mc_series *series, unsigned source,
				      const struct mc_metadata *metadata)
{
	const struct mc_type *type = mc_type(series);
	struct graph_subject subject = {
		.host = mc_host(series),
		.plugin = mc_plugin(series),
		.plugin_instance = mc_plugin_instance(series),
		.type = type->name,
		.type_instance = mc_type_instance(series),
		.metadata = metadata,
	};

	subject.unit = metadata != NULL && metadata->unit[0] != '\0' ? metadata->unit : type->unit;
	if (strcmp(subject.unit, "any") == 0) /* Of a type that can have any: it is unknown. */
		subject.unit = "";
	graph_match_field(&subject, type, source);
	return subject;
}
