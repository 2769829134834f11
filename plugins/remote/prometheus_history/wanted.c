/* SPDX-License-Identifier: MIT */
/* Facts: Prometheus' manual, "Querying Prometheus" and "Query functions".  avg_over_time() and
 * rate() drop the name, so each part of a query gets a label with its number. */
#include "wanted.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/metadata.h>
#include <collector/writer.h>

/* --- Series ---------------------------------------------------------------- */

struct adding {
	struct wanted *wanted;
	const struct mc_fetch_item *item;
	struct mc_series *series;
	mc_time interval;
};

static unsigned part_of(struct wanted *wanted, const char *name, bool counter, mc_time interval)
{
	struct wanted_part *part = wanted->parts;
	size_t i = 0;

	for (; i < wanted->parts_len; i++, part++)
		if (part->counter == counter && strcmp(part->name, name) == 0)
			break;
	if (i == wanted->parts_len) {
		MC_ARRAY_GROW(wanted->parts, wanted->parts_len, wanted->parts_room);
		part = &wanted->parts[wanted->parts_len++];
		*part = (struct wanted_part){ .counter = counter };
		snprintf(part->name, sizeof(part->name), "%s", name);
	}
	if (interval > part->interval)
		part->interval = interval;
	return (unsigned)i;
}

static double *make_points(const struct mc_history *history)
{
	double *points = mc_alloc_array(history->points_len, sizeof(*points));

	for (unsigned i = 0; i < history->points_len; i++)
		points[i] = NAN;
	return points;
}

/* Adds an output of that name, without labels yet. */
static struct wanted_output *add_output(const struct adding *adding, unsigned source,
					const char *name)
{
	struct wanted *wanted = adding->wanted;
	struct mc_history *history = adding->item->history;
	enum mc_kind kind = history->type->sources[source].kind;
	struct wanted_output *output;

	MC_ARRAY_GROW(wanted->outputs, wanted->len, wanted->room);
	output = &wanted->outputs[wanted->len++];
	*output = (struct wanted_output){
		.history = history,
		.series = adding->item->name,
		.source = source,
		.part = part_of(wanted, name, naming_is_counter(kind), adding->interval),
		.factor = 1,
	};
	for (unsigned i = 0; i < WANTED_KINDS; i++)
		output->points[i] = make_points(history);
	/* Each value is what has come since the one before. */
	if (kind == MC_ABSOLUTE)
		output->factor = (double)MC_SECOND / (double)adding->interval;
	return output;
}

static void add_label(void *argument, const char *name, const char *value)
{
	char plain[NAMING_SIZE];
	size_t size = 0;

	for (; name[size] != '\0' && size < sizeof(plain) - 1; size++)
		plain[size] = naming_character(name[size], size == 0);
	plain[size] = '\0';
	labelling_set(argument, plain, value);
}

static void add_own(const struct adding *adding)
{
	const struct mc_series *series = adding->series;
	const struct labelling_of_series parts = {
		.plugin = mc_plugin(series),
		.plugin_instance = mc_plugin_instance(series),
		.type_instance = mc_type_instance(series),
		.host = mc_host(series),
	};
	/* Both labels that depend on what the series has; the values of those that it has follow.
	 */
	const struct labelling_of_series both = {
		.plugin = parts.plugin, .plugin_instance = "-", .type_instance = "-", .host = ""
	};
	const struct mc_type *type = mc_type(series);
	char name[NAMING_SIZE];

	for (unsigned i = 0; i < type->sources_len; i++) {
		struct wanted_output *output;

		naming_collectd(name, parts.plugin, type, i);
		output = add_output(adding, i, name);
		labelling_each(&both, add_label, &output->labels);
		for (size_t j = 0; j < output->labels.len; j++)
			labelling_set(&output->labels, output->labels.items[j].name, "");
		labelling_each(&parts, add_label, &output->labels);
	}
}

static void read_unit(char out[OTLP_UNIT_SIZE], const struct mc_series *series)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, 0);

	naming_sent_unit(out, mc_type(series), metadata);
	if (naming_is_seconds(mc_type(series)))
		memcpy(out, "s", sizeof("s"));
	mc_release_metadata(metadata);
}

/* One with a name of its sender's. */
static void add_foreign(const struct adding *adding, const struct mc_metric *metric)
{
	char name[NAMING_SIZE], whole[NAMING_SIZE + 16], bound[NAMING_BOUND_SIZE];
	char unit[OTLP_UNIT_SIZE] = "";
	struct wanted_output *output;

	if (!naming_is_of_count(metric->part) || metric->kind == MC_METRIC_COUNTER)
		read_unit(unit, adding->series);
	naming_metric(name, metric, unit);
	snprintf(whole, sizeof(whole), "%s%s", name, naming_suffix(metric->part));
	whole[NAMING_SIZE - 1] = '\0';
	output = add_output(adding, 0, whole);
	labelling_of_metric(&output->labels, metric, mc_host(adding->series));
	if (metric->part == MC_METRIC_BUCKET || metric->part == MC_METRIC_QUANTILE) {
		naming_bound(bound, metric->bound);
		labelling_set(&output->labels, metric->part == MC_METRIC_BUCKET ? "le" : "quantile",
			      bound);
	}
	output->exact = true;
	if (naming_is_seconds(mc_type(adding->series)))
		output->factor *= 1000;
}

void wanted_add(struct wanted *wanted, struct mc_ctx *ctx, struct mc_reading *reading,
		const struct mc_fetch_item *item)
{
	struct adding adding = { .wanted = wanted, .item = item };
	struct mc_metric metric;
	struct mc_latest latest;
	bool has_metric;

	adding.series = mc_find(reading, item->name, strlen(item->name));
	if (adding.series == NULL)
		return;
	mc_latest(reading, adding.series, &latest);
	adding.interval = latest.interval > 0 ? latest.interval : ctx->interval;
	has_metric = mc_get_metric(adding.series, &metric);
	if (has_metric && metric.name[0] != '\0' && mc_type(adding.series)->sources_len == 1 &&
	    naming_has_name(&metric))
		add_foreign(&adding, &metric);
	else
		add_own(&adding);
	if (has_metric)
		mc_release_metric(&metric);
}

void wanted_free(struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->len; i++) {
		labelling_done(&wanted->outputs[i].labels);
		for (unsigned kind = 0; kind < WANTED_KINDS; kind++)
			free(wanted->outputs[i].points[kind]);
	}
	free(wanted->outputs);
	free(wanted->parts);
}

/* --- Queries --------------------------------------------------------------- */

static void add_text(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

static void add_print(struct mc_buffer *out, const char *fmt, ...) MC_PRINTF(2, 3);
static void add_print(struct mc_buffer *out, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	add_text(out, text);
}

/* Within quotes: a value, or a part of a regular expression. */
static void add_value(struct mc_buffer *out, const char *value, bool as_expression)
{
	for (; *value != '\0'; value++) {
		if (as_expression && strchr("\\.+*?()|[]{}^$", *value) != NULL)
			add_text(out, "\\\\");
		if (*value == '\\' || *value == '"')
			add_text(out, "\\");
		if (*value == '\n')
			add_text(out, "\\n");
		else
			mc_buffer_add(out, value, 1);
	}
}

void wanted_match(struct mc_buffer *out, const char *begin, const struct mc_strings *external)
{
	add_text(out, begin);
	for (size_t i = 0; i + 1 < external->len; i += 2) {
		add_print(out, ",%.100s=\"", external->items[i]);
		add_value(out, external->items[i + 1], false);
		add_text(out, "\"");
	}
	add_text(out, "}");
}

static const char *value_of(const struct labelling *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return "";
}

/* Whether an output of that part, with a smaller number, has the same value of a label. */
static bool is_before(const struct wanted *wanted, size_t number, const char *label)
{
	const struct wanted_output *output = &wanted->outputs[number];
	const char *value = value_of(&output->labels, label);

	for (size_t i = 0; i < number; i++)
		if (wanted->outputs[i].part == output->part &&
		    strcmp(value_of(&wanted->outputs[i].labels, label), value) == 0)
			return true;
	return false;
}

/* name="value", or name=~"value|value". */
static void add_matcher(const struct wanted *wanted, unsigned part, const char *label,
			struct mc_buffer *out)
{
	size_t values = 0, done = 0;

	for (size_t i = 0; i < wanted->len; i++)
		values += wanted->outputs[i].part == part && !is_before(wanted, i, label);
	add_print(out, ",%.100s%s\"", label, values > 1 ? "=~" : "=");
	for (size_t i = 0; i < wanted->len; i++) {
		if (wanted->outputs[i].part != part || is_before(wanted, i, label))
			continue;
		add_text(out, done++ > 0 ? "|" : "");
		add_value(out, value_of(&wanted->outputs[i].labels, label), values > 1);
	}
	add_text(out, "\"");
}

/* Whether an output of that part before has the label. */
static bool is_listed(const struct wanted *wanted, size_t number, const char *label)
{
	for (size_t i = 0; i < number; i++) {
		const struct wanted_output *output = &wanted->outputs[i];

		if (output->part != wanted->outputs[number].part)
			continue;
		for (size_t j = 0; j < output->labels.len; j++)
			if (strcmp(output->labels.items[j].name, label) == 0)
				return true;
	}
	return false;
}

static void add_selector(const struct wanted *wanted, unsigned part, struct mc_buffer *out)
{
	add_text(out, "{__name__=\"");
	add_value(out, wanted->parts[part].name, false);
	add_text(out, "\"");
	for (size_t i = 0; i < wanted->len; i++) {
		const struct labelling *labels = &wanted->outputs[i].labels;

		for (size_t j = 0; wanted->outputs[i].part == part && j < labels->len; j++)
			if (!is_listed(wanted, i, labels->items[j].name))
				add_matcher(wanted, part, labels->items[j].name, out);
	}
	wanted_match(out, "", wanted->external);
}

static void add_window(struct mc_buffer *out, mc_time window)
{
	add_print(out, "[%lldms]", (long long)(window / MC_MILLISECOND));
}

/* The rate of a counter: of points that are longer than its interval, that from the value before
 * the point to the last one in it; else that between the last two values. */
static void add_rate(const struct wanted *wanted, unsigned part, mc_time step,
		     struct mc_buffer *out)
{
	mc_time interval = wanted->parts[part].interval;
	bool is_long = step >= 2 * interval;

	add_text(out, is_long ? "rate(" : "irate(");
	add_selector(wanted, part, out);
	add_window(out, is_long ? step + interval : 4 * interval);
	add_text(out, ")");
}

/* 'function' is that of the values of a step. */
static void add_extremes(const struct wanted *wanted, unsigned part, mc_time step,
			 const char *function, struct mc_buffer *out)
{
	mc_time interval = wanted->parts[part].interval;

	add_text(out, function);
	if (!wanted->parts[part].counter) {
		add_selector(wanted, part, out);
		add_window(out, step);
	} else {
		add_rate(wanted, part, interval, out);
		add_print(out, "[%lldms:%lldms]", (long long)(step / MC_MILLISECOND),
			  (long long)(interval / MC_MILLISECOND));
	}
	add_text(out, ")");
}

static void add_averages(const struct wanted *wanted, unsigned part, mc_time step,
			 struct mc_buffer *out)
{
	if (wanted->parts[part].counter) {
		add_rate(wanted, part, step, out);
		return;
	}
	add_text(out, "avg_over_time(");
	add_selector(wanted, part, out);
	add_window(out, step);
	add_text(out, ")");
}

void wanted_query(const struct wanted *wanted, mc_time step, enum wanted_kind kind,
		  struct mc_buffer *out)
{
	for (unsigned i = 0; i < wanted->parts_len; i++) {
		add_text(out, i > 0 ? " or label_replace(" : "label_replace(");
		if (kind == WANTED_AVERAGES)
			add_averages(wanted, i, step, out);
		else
			add_extremes(wanted, i, step,
				     kind == WANTED_MAXIMA ? "max_over_time(" : "min_over_time(",
				     out);
		add_print(out, ",\"" WANTED_PART "\",\"%u\",\"\",\"\")", i);
	}
}

/* --- Answers --------------------------------------------------------------- */

static bool is_external(const struct wanted *wanted, const char *name)
{
	for (size_t i = 0; i + 1 < wanted->external->len; i += 2)
		if (strcmp(wanted->external->items[i], name) == 0)
			return true;
	return strcmp(name, WANTED_PART) == 0 || strcmp(name, "__name__") == 0 ||
	       strcmp(name, LABELLING_SERIES) == 0;
}

static bool has_more(const struct wanted *wanted, const struct wanted_output *output,
		     const struct matrix_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		if (!is_external(wanted, labels->items[i].name) &&
		    value_of(&output->labels, labels->items[i].name)[0] == '\0')
			return true;
	return false;
}

static bool is_of(const struct wanted *wanted, const struct wanted_output *output,
		  const struct matrix_labels *labels)
{
	const char *series = matrix_label(labels, LABELLING_SERIES);

	for (size_t i = 0; i < output->labels.len; i++)
		if (strcmp(matrix_label(labels, output->labels.items[i].name),
			   output->labels.items[i].value) != 0)
			return false;
	if (series[0] != '\0' && strcmp(series, output->series) != 0)
		return false;
	return !output->exact || !has_more(wanted, output, labels);
}

struct wanted_output *wanted_find(const struct wanted *wanted, const struct matrix_labels *labels)
{
	const char *text = matrix_label(labels, WANTED_PART);
	char *end;
	unsigned long part = strtoul(text, &end, 10);

	for (size_t i = 0; *text != '\0' && *end == '\0' && i < wanted->len; i++)
		if (wanted->outputs[i].part == part && is_of(wanted, &wanted->outputs[i], labels))
			return &wanted->outputs[i];
	return NULL;
}
