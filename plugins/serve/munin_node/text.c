/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>
#include <collector/metadata.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "formats/munin/munin.h"
#include "kit/base/decimal.h"

#include "drawn.h"
#include "line.h"

enum { PIECE_STEPS = 10 }; /* Of histories. */

/* --- Lists --------------------------------------------------------------- */

void text_list(struct mc_buffer *out, const struct graphs *graphs, const struct text_client *client)
{
	bool first = true;

	for (size_t i = 0; i < graphs->len; i++) {
		const struct graphs_plugin *plugin = graphs->sorted[i];

		if (graphs_is_multigraph(plugin) && !client->multigraph)
			continue;
		line_add_text(out, first ? "" : " ");
		line_add_text(out, plugin->name);
		first = false;
	}
	line_add_text(out, "\n");
}

struct hosts {
	struct mc_buffer *out;
	char last[256];
};

static bool add_host(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct hosts *hosts = argument;

	(void)latest;
	if (strcmp(hosts->last, mc_host(series)) == 0)
		return true;
	snprintf(hosts->last, sizeof(hosts->last), "%s", mc_host(series));
	line_add_text(hosts->out, hosts->last);
	line_add_text(hosts->out, "\n");
	return true;
}

/* Series come in the order of their names. */
void text_nodes(struct mc_buffer *out, struct mc_ctx *ctx)
{
	struct hosts hosts = { .out = out };

	mc_each_series(ctx, NULL, add_host, &hosts);
	line_add_text(out, ".\n");
}

/* --- Values -------------------------------------------------------------- */

static void add_value(struct mc_buffer *out, const char *field, const struct mc_latest *latest,
		      enum mc_kind kind, unsigned source)
{
	char text[MC_DECIMAL_SIZE + 32];
	const union mc_value *value = &latest->values[source];
	double gauge = kind == MC_GAUGE ? value->gauge : latest->rates[source];
	bool is_gauge = kind == MC_GAUGE || kind == MC_ABSOLUTE;
	size_t size =
		(size_t)snprintf(text, sizeof(text), "%" PRId64 ":", latest->time / MC_SECOND);

	if (latest->missing || latest->time == 0 || (is_gauge && !isfinite(gauge)))
		size = (size_t)snprintf(text, sizeof(text), "U");
	else if (is_gauge)
		size += mc_decimal_short(text + size, gauge);
	else if (kind == MC_DERIVE)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%" PRId64,
					 value->derive);
	else
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%" PRIu64,
					 value->counter);
	text[size] = '\0';
	line_add(out, field, "value", text);
}

static void add_values(struct mc_buffer *out, struct mc_reading *reading, const struct graph *graph)
{
	const char *last = "";
	struct mc_series *series = NULL;
	struct mc_latest latest;

	for (size_t i = 0; i < graph->fields_len; i++) {
		const struct graphs_field *field = &graph->fields[i];

		if (strcmp(last, field->series) != 0) {
			last = field->series;
			series = mc_find(reading, last, strlen(last));
			if (series != NULL)
				mc_latest(reading, series, &latest);
		}
		if (series != NULL && field->source < latest.values_len)
			add_value(out, field->name, &latest,
				  mc_type(series)->sources[field->source].kind, field->source);
	}
}

/* --- Configurations ------------------------------------------------------ */

static void add_number(struct mc_buffer *out, const char *field, const char *word, double number)
{
	char text[MC_DECIMAL_SIZE];

	if (isnan(number))
		return;
	text[mc_decimal_short(text, number)] = '\0';
	line_add(out, field, word, text);
}

static void add_range(struct mc_buffer *out, const char *field, const char *word,
		      const struct mc_bounds *bounds)
{
	char text[2 * MC_DECIMAL_SIZE + 2];
	size_t size = 0;

	if (isnan(bounds->min) && isnan(bounds->max))
		return;
	if (!isnan(bounds->min))
		size += mc_decimal_short(text, bounds->min);
	text[size++] = ':';
	if (!isnan(bounds->max))
		size += mc_decimal_short(text + size, bounds->max);
	text[size] = '\0';
	line_add(out, field, word, text);
}

/* Those of the graph, or of the field. */
static void add_attributes(struct mc_buffer *out, const char *field,
			   const struct mc_metadata *metadata)
{
	for (size_t i = 0; metadata != NULL && i < metadata->attributes_len; i++) {
		const struct mc_attribute *attribute = &metadata->attributes[i];

		if (mc_attribute_is_of_graph(attribute->name) == (field == NULL))
			line_add(out, field, attribute->name, attribute->value);
	}
}

/* A node of Munin has said all that there is to say of the source. */
static bool is_told(const struct mc_series *series, const struct mc_metadata *metadata)
{
	return metadata != NULL && graphs_is_of_munin(series);
}

static void add_limits(struct mc_buffer *out, const char *field, const struct mc_metadata *metadata)
{
	char text[16];

	if (!metadata->warning_inverted) /* Munin has no such. */
		add_range(out, field, "warning", &metadata->warning);
	if (!metadata->failure_inverted)
		add_range(out, field, "critical", &metadata->failure);
	if (metadata->unknown_after == 0 || metadata->unknown_after == MC_MUNIN_UNKNOWN_LIMIT + 1)
		return;
	snprintf(text, sizeof(text), "%u", metadata->unknown_after - 1);
	line_add(out, field, "unknown_limit", text);
}

static void add_label(struct mc_buffer *out, const struct mc_series *series,
		      const struct graphs_field *field)
{
	const struct mc_type *type = mc_type(series);
	const char *instance = mc_type_instance(series);
	const char *source = type->sources[field->source].name;
	char label[300];

	snprintf(label, sizeof(label), "%s%s%s", instance,
		 *instance != '\0' && type->sources_len > 1 ? " " : "",
		 *instance == '\0' || type->sources_len > 1 ? source : "");
	line_add(out, field->name, "label", label);
}

struct config { /* Of a graph, that is being written. */
	struct mc_buffer *out;
	struct mc_reading *reading;
	const struct graph *graph;
	const struct drawn *drawn;
	bool rates;
};

static void add_field(const struct config *config, const struct mc_series *series, size_t number)
{
	/* A master would divide the last sample of an ABSOLUTE by the time since its own last
	 * question, and lose those between: it gets rates. */
	static const char *const kinds[] = {
		[MC_COUNTER] = "COUNTER",
		[MC_GAUGE] = "GAUGE",
		[MC_DERIVE] = "DERIVE",
		[MC_ABSOLUTE] = "GAUGE",
	};
	struct mc_buffer *out = config->out;
	const struct graphs_field *field = &config->graph->fields[number];
	const struct mc_source *source = &mc_type(series)->sources[field->source];
	const struct mc_metadata *metadata = mc_get_metadata(series, field->source);
	bool told = is_told(series, metadata);
	bool drawn = !told && drawn_add_field(config->drawn, out, number);

	if (!drawn && metadata != NULL && metadata->label[0] != '\0')
		line_add(out, field->name, "label", metadata->label);
	else if (!drawn)
		add_label(out, series, field);
	if (metadata != NULL)
		add_limits(out, field->name, metadata);
	add_attributes(out, field->name, metadata);
	mc_release_metadata(metadata);
	line_add(out, field->name, "type", kinds[config->rates ? MC_GAUGE : source->kind]);
	if (told)
		return;
	add_number(out, field->name, "min", source->min);
	add_number(out, field->name, "max", source->max);
}

static void add_title(struct mc_buffer *out, const struct mc_series *series)
{
	const char *instance = mc_plugin_instance(series);
	char title[600];

	snprintf(title, sizeof(title), "%s%s%s: %s", mc_plugin(series),
		 *instance != '\0' ? " " : "", instance, mc_type(series)->name);
	line_add(out, NULL, "graph_title", title);
}

/* A line that no attribute says. */
static void add_own(struct mc_buffer *out, const struct mc_metadata *metadata, const char *word,
		    const char *text)
{
	if (text != NULL && text[0] != '\0' && mc_metadata_attribute(metadata, word) == NULL)
		line_add(out, NULL, word, text);
}

static bool has_attribute(void *metadata, const char *word)
{
	return mc_metadata_attribute(metadata, word) != NULL;
}

static void add_own_lines(const struct config *config, const struct mc_metadata *metadata,
			  const struct mc_series *series)
{
	struct mc_buffer *out = config->out;
	const struct mc_type *type = mc_type(series);

	if (!drawn_add_graph(config->drawn, out, has_attribute, (void *)metadata)) {
		if (mc_metadata_attribute(metadata, "graph_title") == NULL)
			add_title(out, series);
		add_own(out, metadata, "graph_category", mc_plugin(series));
		add_own(out, metadata, "graph_vlabel",
			metadata != NULL && metadata->unit[0] != '\0' ? metadata->unit
								      : type->unit);
	}
	add_own(out, metadata, "graph_info", type->help);
}

static bool says_of_graph(const struct mc_metadata *metadata)
{
	for (size_t i = 0; i < metadata->attributes_len; i++)
		if (mc_attribute_is_of_graph(metadata->attributes[i].name))
			return true;
	return false;
}

/* Of the first field that says something of its graph, or else of the first
 * that says anything; NULL: none does. */
static const struct mc_metadata *metadata_of(struct mc_reading *reading, const struct graph *graph)
{
	const struct mc_metadata *first = NULL;

	for (size_t i = 0; i < graph->fields_len; i++) {
		const struct graphs_field *field = &graph->fields[i];
		const struct mc_series *series =
			mc_find(reading, field->series, strlen(field->series));
		const struct mc_metadata *metadata =
			series != NULL ? mc_get_metadata(series, field->source) : NULL;

		if (metadata == NULL)
			continue;
		if (first == NULL || says_of_graph(metadata)) {
			mc_release_metadata(first);
			first = metadata;
		} else {
			mc_release_metadata(metadata);
		}
		if (says_of_graph(first))
			break;
	}
	return first;
}

static void add_graph(const struct config *config, const struct mc_series *series)
{
	const struct mc_metadata *metadata = metadata_of(config->reading, config->graph);

	if (!is_told(series, metadata))
		add_own_lines(config, metadata, series);
	add_attributes(config->out, NULL, metadata);
	mc_release_metadata(metadata);
}

/* "graph no": it is not drawn. */
static bool is_hidden(struct mc_series *series, unsigned source)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	const char *drawn = mc_metadata_attribute(metadata, "graph");
	bool hidden = drawn != NULL && strcmp(drawn, "no") == 0;

	mc_release_metadata(metadata);
	return hidden;
}

/* Of all fields: such a graph would be empty. */
static bool are_hidden(struct mc_reading *reading, const struct graph *graph)
{
	for (size_t i = 0; i < graph->fields_len; i++) {
		const struct graphs_field *field = &graph->fields[i];
		struct mc_series *series = mc_find(reading, field->series, strlen(field->series));

		if (series != NULL && !is_hidden(series, field->source))
			return false;
	}
	return true;
}

static void add_fields(const struct config *config)
{
	const struct graph *graph = config->graph;
	bool first = true, hidden = are_hidden(config->reading, graph);

	for (size_t i = 0; i < graph->fields_len; i++) {
		const char *name = graph->fields[i].series;
		struct mc_series *series = mc_find(config->reading, name, strlen(name));

		if (series == NULL)
			continue; /* It has ended. */
		if (first)
			add_graph(config, series);
		if (first && hidden)
			line_add(config->out, NULL, "graph", "no");
		first = false;
		add_field(config, series, i);
	}
}

static void add_config(struct mc_buffer *out, struct mc_ctx *ctx, struct mc_reading *reading,
		       const struct graph *graph, bool rates)
{
	struct drawn *drawn = drawn_new(ctx, reading, graph);

	add_fields(&(struct config){ out, reading, graph, drawn, rates });
	drawn_free(drawn);
}

/* --- The spool ----------------------------------------------------------- */

static void add_point(struct mc_buffer *out, const char *field, mc_time time, double average)
{
	char text[MC_DECIMAL_SIZE + 32];
	size_t size = (size_t)snprintf(text, sizeof(text), "%" PRId64 ":", time / MC_SECOND);

	size += mc_decimal_short(text + size, average);
	text[size] = '\0';
	line_add(out, field, "value", text);
}

/* The average of a step, from points that are shorter, or as long; NaN: not half of it is known. */
static double average_of(const struct mc_history *history, unsigned source, mc_time end,
			 mc_time step)
{
	const struct mc_history_point *points =
		mc_history_points((struct mc_history *)history, source);
	double sum = 0, known = 0;

	for (unsigned i = 0; i < history->points_len; i++) {
		mc_time point = history->start + (i + 1) * history->step;

		if (point <= end - step || point > end || !isfinite(points[i].average))
			continue;
		sum += points[i].average * points[i].seconds;
		known += points[i].seconds;
	}
	return 2 * known * MC_SECOND < step ? NAN : sum / known;
}

/* Fields of one series stand one after the other. */
static size_t same_series(const struct graph *graph, size_t first)
{
	size_t end = first + 1;

	while (end < graph->fields_len &&
	       strcmp(graph->fields[end].series, graph->fields[first].series) == 0)
		end++;
	return end;
}

/* A value of Munin stands at the end of its time. */
static void add_points(struct mc_buffer *out, const struct graph *graph, size_t first,
		       const struct mc_history *history, const struct text_span *span)
{
	size_t last = same_series(graph, first);

	for (mc_time end = span->from + span->step; end <= span->to; end += span->step)
		for (size_t i = first; i < last; i++) {
			const struct graphs_field *field = &graph->fields[i];
			double average =
				field->source < history->type->sources_len
					? average_of(history, field->source, end, span->step)
					: NAN;

			if (isfinite(average))
				add_point(out, field->name, end, average);
		}
}

/* A series that is measured more rarely than the step has its last value later than others have: it
 * is looked for further back, where it may come twice.  False: it is no more. */
static bool fit_span(struct mc_ctx *ctx, const char *series, struct text_span *span)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *found = mc_find(reading, series, strlen(series));
	struct mc_latest latest;

	if (found != NULL)
		mc_latest(reading, found, &latest);
	mc_read_end(reading);
	if (found == NULL)
		return false;
	if (latest.interval > span->step) {
		span->step = (latest.interval + span->step - 1) / span->step * span->step;
		span->from -= span->from % span->step + span->step;
		span->to -= span->to % span->step;
	}
	return true;
}

/* In pieces: of a short one the writers have more exact rows. */
static void add_series(struct mc_buffer *out, struct mc_ctx *ctx, const struct graph *graph,
		       size_t first, const struct text_span *whole)
{
	const char *series = graph->fields[first].series;
	struct text_span span = *whole, piece;
	char why[MC_HISTORY_WHY];

	if (!fit_span(ctx, series, &span))
		return;
	for (piece = span; piece.from < span.to; piece.from = piece.to) {
		struct mc_history *history = NULL;

		piece.to = piece.from + PIECE_STEPS * span.step;
		if (piece.to > span.to)
			piece.to = span.to;
		mc_history(ctx, series, (struct mc_span){ .from = piece.from, .to = piece.to },
			   &history, why);
		if (history != NULL)
			add_points(out, graph, first, history, &piece);
		mc_history_free(history);
	}
}

size_t text_spool(struct mc_buffer *out, struct mc_ctx *ctx, const struct graph *graph,
		  size_t first, const struct text_span *span)
{
	if (first == 0) {
		struct mc_reading *reading = mc_read_begin(ctx);

		line_add(out, NULL, "multigraph", graph->service);
		add_config(out, ctx, reading, graph, true);
		mc_read_end(reading);
	}
	add_series(out, ctx, graph, first, span);
	return same_series(graph, first);
}

/* --- Answers ------------------------------------------------------------- */

static void answer(struct mc_buffer *out, struct mc_ctx *ctx, const struct graphs_plugin *plugin,
		   bool config, bool values)
{
	struct mc_reading *reading = mc_read_begin(ctx);

	for (size_t i = 0; i < plugin->items_len; i++) {
		const struct graph *graph = &plugin->items[i];

		if (graphs_is_multigraph(plugin))
			line_add(out, NULL, "multigraph", graph->service);
		if (config)
			add_config(out, ctx, reading, graph, false);
		if (values)
			add_values(out, reading, graph);
	}
	mc_read_end(reading);
	line_add_text(out, ".\n");
}

void text_config(struct mc_buffer *out, struct mc_ctx *ctx, const struct graphs_plugin *plugin,
		 const struct text_client *client)
{
	answer(out, ctx, plugin, true, client->dirtyconfig);
}

void text_fetch(struct mc_buffer *out, struct mc_ctx *ctx, const struct graphs_plugin *plugin)
{
	answer(out, ctx, plugin, false, true);
}
