/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include <string.h>

#include <collector/control.h>
#include <collector/label.h>
#include <collector/metadata.h>
#include <collector/metric.h>
#include <collector/writer.h>

static void show_labels(FILE *out, const char *of, const struct mc_metric_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		fprintf(out, "  %s %s=\"%s\"\n", of, labels->items[i].name, labels->items[i].value);
}

static void show_metric(FILE *out, const struct mc_metric *metric)
{
	static const char *const kinds[] = { "gauge",     "counter",   "up-down",
					     "histogram", "histogram", "summary" };

	if (metric->name[0] != '\0')
		fprintf(out, "  metric %s, %s\n", metric->name, kinds[metric->kind]);
	show_labels(out, "label", &metric->labels);
	show_labels(out, "resource", &metric->resource);
}

static void show_metadata(FILE *out, const struct mc_metadata *metadata)
{
	const char *info = mc_metadata_attribute(metadata, "info");

	if (metadata->label[0] != '\0')
		fprintf(out, "  called %s\n", metadata->label);
	if (metadata->unit[0] != '\0')
		fprintf(out, "  in %s\n", metadata->unit);
	if (info != NULL)
		fprintf(out, "  is %s\n", info);
}

static void show_host_label(void *argument, const struct mc_field *label)
{
	fprintf(argument, "  host %s=\"%s\"\n", label->name, label->value);
}

static void show(struct mc_ctx *feed, struct mc_series *series, FILE *out)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, 0);
	struct mc_metric metric;

	fprintf(out, "%s\n", mc_name(series));
	if (mc_get_metric(series, &metric)) {
		show_metric(out, &metric);
		mc_release_metric(&metric);
	}
	if (metadata != NULL)
		show_metadata(out, metadata);
	mc_release_metadata(metadata);
	mc_each_label(feed, mc_host(series), show_host_label, out);
}

void describe(struct mc_ctx *feed, const char *words, FILE *out)
{
	char name[512];
	struct mc_reading *reading = mc_read_begin(feed);
	struct mc_series *series;

	snprintf(name, sizeof(name), "%s%s",
		 strchr(words, '/') == strrchr(words, '/') ? "host/" : "", words);
	series = mc_find(reading, name, strlen(name));
	if (series != NULL)
		show(feed, series, out);
	else
		fprintf(out, "* no series %s\n", name);
	mc_read_end(reading);
}
