/* SPDX-License-Identifier: MIT */
#include "foreign_path.h"

#include <collector/print.h>

static const char *const suffixes[] = {
	[MC_METRIC_VALUE] = "",    [MC_METRIC_COUNT] = "_count", [MC_METRIC_SUM] = "_sum",
	[MC_METRIC_MIN] = "_min",  [MC_METRIC_MAX] = "_max",     [MC_METRIC_BUCKET] = "_bucket",
	[MC_METRIC_QUANTILE] = "",
};

/* With 'forbidden' characters, blanks and controls replaced. */
static void add_text(struct mc_buffer *out, const struct mc_graphite_options *options,
		     const char *text, const char *forbidden)
{
	for (; *text != '\0'; text++) {
		bool bad = (*text > '\0' && *text <= ' ') || *text == '\x7f' ||
			   strchr(forbidden, *text) != NULL;

		mc_buffer_add(out, bad ? options->escape : text, 1);
	}
}

/* An empty value cannot be sent, nor one that begins with '~'. */
static void add_tag(struct mc_buffer *out, const struct mc_graphite_options *options,
		    const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	mc_buffer_add(out, ";", 1);
	add_text(out, options, name, ";!^=");
	mc_buffer_add(out, "=", 1);
	if (*value == '~') {
		mc_buffer_add(out, options->escape, 1);
		value++;
	}
	add_text(out, options, value, ";");
}

/* Where names of its kind may be the same. */
static void add_resource(struct mc_buffer *out, const struct mc_graphite_options *options,
			 const struct mc_metric *metric)
{
	static const struct {
		const char *name, *tag;
	} parts[] = {
		{ "host.name", "host" },
		{ "service.namespace", "service.namespace" },
		{ "service.name", "service.name" },
		{ "service.instance.id", "service.instance.id" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (mc_metric_label(&metric->labels, parts[i].tag) == NULL)
			add_tag(out, options, parts[i].tag,
				mc_metric_label(&metric->resource, parts[i].name));
}

static void add_bound(struct mc_buffer *out, const struct mc_graphite_options *options,
		      const struct mc_metric *metric)
{
	char text[MC_PRINT_DOUBLE_SIZE + 1];

	if (metric->part != MC_METRIC_BUCKET && metric->part != MC_METRIC_QUANTILE)
		return;
	text[mc_print_double(text, metric->bound)] = '\0';
	add_tag(out, options, metric->part == MC_METRIC_BUCKET ? "le" : "quantile", text);
}

void foreign_path(struct mc_buffer *out, const struct mc_graphite_options *options,
		  const struct mc_series *series, const struct mc_metric *metric)
{
	const struct mc_metric_labels *labels = &metric->labels;

	add_text(out, options, metric->name, ";");
	add_text(out, options, suffixes[metric->part], "");
	for (size_t i = 0; i < labels->len; i++)
		add_tag(out, options, labels->items[i].name, labels->items[i].value);
	add_resource(out, options, metric);
	if (metric->resource.len > 0 && mc_metric_label(labels, "host") == NULL &&
	    mc_metric_label(&metric->resource, "host.name") == NULL)
		add_tag(out, options, "host", mc_host(series));
	add_bound(out, options, metric);
}
