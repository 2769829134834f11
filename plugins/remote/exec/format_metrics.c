/* SPDX-License-Identifier: MIT */
/* Lines of JSON, each a value of a metric with labels: it becomes the series
 * METRIC,LABEL=VALUE,... and keeps its name and labels beside.  See metric_line.h. */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "metric_line.h"
#include "programs.h"

#define LINE_MAX_SIZE ((size_t)1 << 20)

static void begin(struct program *program)
{
	if (program->own == NULL)
		program->own = mc_alloc_zero(sizeof(struct metric_line));
}

/* Only a sum that grows is a counter here, and has a whole number. */
static const char *type_of(const struct metric_line *metric)
{
	return metric->kind == MC_METRIC_COUNTER ? "derive" : "gauge";
}

static bool is_described(const struct metric_line *line)
{
	return line->unit[0] != '\0' || line->help[0] != '\0';
}

static bool put(struct program *program, const struct metric_line *line)
{
	const struct mc_attribute info = { "info", line->help };
	const struct mc_metadata metadata = {
		.unit = line->unit,
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
		.attributes = &info,
		.attributes_len = line->help[0] != '\0',
	};
	const struct mc_metric metric = {
		.name = line->metric,
		.help = line->help,
		.kind = line->kind,
		.integer = line->kind == MC_METRIC_COUNTER,
		.labels = { line->labels, line->labels_len },
	};
	char instance[METRIC_LINE_INSTANCE];

	metric_line_instance(line, instance);
	return format_put(
		program,
		&(struct format_value){
			.type = type_of(line),
			.label = instance,
			.number = { line->number, line->digits[0] != '\0' ? line->digits : NULL },
			.time = line->time,
			.metadata = is_described(line) ? &metadata : NULL,
			.metric = &metric });
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct metric_line *metric = program->own;
	const char *fault;
	char what[160];

	if (line->size == 0)
		return;
	fault = metric_line_read(metric, line->text, line->size);
	if (fault == NULL && format_is_ahead(program, metric->time))
		fault = FORMAT_AHEAD;
	if (fault == NULL && !put(program, metric))
		fault = "prints a number that cannot be one of its Type";
	if (fault == NULL && metric->left_out != NULL) {
		snprintf(what, sizeof(what), "prints %s, '%s'", metric->left_out, metric->place);
		fault = what;
	}
	if (fault != NULL)
		mc_command_say(&program->command, fault, line->text);
}

static void done(struct program *program)
{
	if (program->own != NULL)
		metric_line_done(program->own);
	free(program->own);
}

const struct format format_metrics = {
	.plugin = "exec",
	.line_max = LINE_MAX_SIZE,
	.begin = begin,
	.line = take_line,
	.done = done,
};
