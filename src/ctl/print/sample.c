/* SPDX-License-Identifier: MIT */
#include "ctl/print/sample.h"

#include <stdio.h>

#include "ctl/print/json.h"

void sample_source(const struct mc_otlp *otlp, unsigned source, char out[SAMPLE_SOURCE_SIZE])
{
	const struct mc_otlp_text *name = &otlp->sources[source];

	snprintf(out, SAMPLE_SOURCE_SIZE, "%.*s", name->size > 0 ? (int)name->size : 5,
		 name->size > 0 ? name->at : "value");
}

void sample_json(struct mc_json *json, const struct mc_otlp *otlp)
{
	char source[SAMPLE_SOURCE_SIZE];

	mc_json_text(json, "name", otlp->name.name);
	mc_json_seconds(json, "time", otlp->stamp.time);
	mc_json_seconds(json, "interval", otlp->stamp.interval);
	mc_json_map(json, "values");
	for (unsigned i = 0; i < otlp->values_len; i++) {
		sample_source(otlp, i, source);
		json_value(json, source, otlp->kinds[i], &otlp->values[i]);
	}
	mc_json_map_end(json);
}
