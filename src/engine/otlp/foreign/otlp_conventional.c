/* SPDX-License-Identifier: MIT */
#include "engine/otlp/foreign/otlp_conventional.h"

#include <stdio.h>

#include "engine/otlp/otlp_labels.h"

static void add_label(void *argument, const struct mc_field *label)
{
	struct otlp_conventional *known = argument;
	size_t at = known->resource.len - 1; /* Without the host. */

	if (at >= MC_LABELS_MAX)
		return;
	snprintf(known->texts[at][0], MC_LABEL_SIZE, "%s", label->name);
	snprintf(known->texts[at][1], MC_LABEL_SIZE, "%s", label->value);
	known->items[known->resource.len++] = (struct mc_metric_label){
		.name = known->texts[at][0],
		.value = known->texts[at][1],
	};
}

void otlp_conventional_begin(struct otlp_conventional *known)
{
	if (known != NULL)
		known->host[0] = '\0';
}

const struct mc_metric_labels *otlp_conventional_resource(struct otlp_conventional *known,
							  const struct otlp_labels *labels,
							  const struct mc_sample *sample)
{
	const char *host = mc_host(sample->series);

	if (strcmp(known->host, host) == 0)
		return &known->resource;
	snprintf(known->host, sizeof(known->host), "%s", host);
	known->items[0] = (struct mc_metric_label){ .name = OTLP_KEY_HOST, .value = known->host };
	known->resource = (struct mc_metric_labels){ known->items, 1 };
	if (labels->ctx != NULL)
		labels->each(labels->ctx, known->host, add_label, known);
	return &known->resource;
}
