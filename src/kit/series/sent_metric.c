/* SPDX-License-Identifier: MIT */
#include "kit/series/sent_metric.h"

#include <string.h>

#include <collector/writer.h>

void mc_sent_metric_add_tags(struct mc_sent_metric *sent, char *tags, const char separators[2])
{
	while (tags != NULL && sent->labels_len < MC_METRIC_LABELS_MAX) {
		char *next = strchr(tags, separators[0]), *value;

		if (next != NULL)
			*next++ = '\0';
		value = strchr(tags, separators[1]);
		if (value != NULL)
			*value++ = '\0';
		if (tags[0] != '\0')
			sent->labels[sent->labels_len++] = (struct mc_metric_label){
				.name = tags,
				.value = value != NULL ? value : "true",
			};
		tags = next;
	}
}

void mc_sent_metric_set(struct mc_batch *batch, struct mc_series *series,
			const struct mc_sent_metric *sent)
{
	struct mc_metric_label host = { .name = "host.name" };
	struct mc_metric metric = {
		.name = sent->name,
		.scope = sent->scope,
		.integer = sent->integer,
		.labels = { sent->labels, sent->labels_len },
		.resource = { &host, sent->of_host },
	};
	enum mc_kind kind;

	if (series == NULL || strlen(sent->name) >= MC_METRIC_NAME_SIZE)
		return;
	kind = mc_type(series)->sources[0].kind;
	host.value = mc_host(series);
	metric.kind = kind == MC_GAUGE ? MC_METRIC_GAUGE : MC_METRIC_COUNTER;
	metric.delta = kind == MC_ABSOLUTE;
	mc_set_metric(batch, series, &metric);
}
