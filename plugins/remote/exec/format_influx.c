/* SPDX-License-Identifier: MIT */
/* The InfluxDB line protocol: each field that is a number becomes a series
 * MEASUREMENT.FIELD,TAG=VALUE,... and MEASUREMENT if the field is "value". */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>

#include "formats/influx.h"
#include "programs.h"

struct influx_run {
	struct mc_buffer line, label, name;
	struct mc_influx influx;
	struct mc_metric_label labels[MC_INFLUX_TAGS_MAX];
};

static void begin(struct program *program)
{
	if (program->own == NULL)
		program->own = mc_alloc_zero(sizeof(struct influx_run));
}

static int compare(const void *a, const void *b)
{
	const struct mc_influx_tag *first = a, *second = b;
	int order = strcmp(first->key, second->key);

	return order != 0 ? order : strcmp(first->value, second->value);
}

/* Sorted, so that one series is one; the host that they name, or NULL. */
static const char *sort_tags(struct mc_influx *influx)
{
	const char *host = NULL;

	qsort(influx->tags, influx->tags_len, sizeof(*influx->tags), compare);
	for (size_t i = 0; i < influx->tags_len; i++)
		if (strcmp(influx->tags[i].key, "host") == 0)
			host = influx->tags[i].value;
	return host;
}

static void add_text(struct mc_buffer *buffer, const char *text)
{
	mc_buffer_add(buffer, text, strlen(text));
}

static const char *make_label(struct influx_run *run, const struct mc_influx_field *field)
{
	const struct mc_influx *influx = &run->influx;
	struct mc_buffer *label = &run->label;

	mc_buffer_clear(label);
	add_text(label, influx->measurement);
	if (strcmp(field->key, "value") != 0) {
		add_text(label, ".");
		add_text(label, field->key);
	}
	for (size_t i = 0; i < influx->tags_len; i++) {
		if (strcmp(influx->tags[i].key, "host") == 0)
			continue;
		add_text(label, ",");
		add_text(label, influx->tags[i].key);
		add_text(label, "=");
		add_text(label, influx->tags[i].value);
	}
	return label->at;
}

/* As the plugin influx has it: the measurement is the scope as well, so that where the name is
 * divided can be seen. */
static struct mc_metric make_metric(const struct program *program, struct influx_run *run,
				    const struct mc_influx_field *field)
{
	const struct mc_influx *influx = &run->influx;
	enum mc_kind kind = format_kind(program);

	mc_buffer_clear(&run->name);
	add_text(&run->name, influx->measurement);
	add_text(&run->name, "_");
	add_text(&run->name, field->key);
	for (size_t i = 0; i < influx->tags_len; i++)
		run->labels[i] = (struct mc_metric_label){ .name = influx->tags[i].key,
							   .value = influx->tags[i].value };
	return (struct mc_metric){
		.name = run->name.at,
		.scope = influx->measurement,
		.kind = kind == MC_GAUGE ? MC_METRIC_GAUGE : MC_METRIC_COUNTER,
		.delta = kind == MC_ABSOLUTE,
		.integer = field->kind == MC_INFLUX_SIGNED || field->kind == MC_INFLUX_UNSIGNED,
		.labels = { run->labels, influx->tags_len },
	};
}

/* False: it is a text. */
static bool read_number(const struct mc_influx_field *field, char digits[32], double *number)
{
	digits[0] = '\0';
	switch (field->kind) {
	case MC_INFLUX_FLOAT:
		*number = field->value.number;
		return true;
	case MC_INFLUX_SIGNED:
		*number = (double)field->value.signed_number;
		snprintf(digits, 32, "%" PRId64, field->value.signed_number);
		return true;
	case MC_INFLUX_UNSIGNED:
		*number = (double)field->value.unsigned_number;
		snprintf(digits, 32, "%" PRIu64, field->value.unsigned_number);
		return true;
	case MC_INFLUX_BOOL:
		*number = field->value.truth;
		return true;
	case MC_INFLUX_TEXT:
		break;
	}
	return false;
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct influx_run *run = program->own;
	struct mc_influx *influx = &run->influx;
	struct format_value value = { .type = "gauge" };
	struct mc_influx_field field;
	struct mc_metric metric;
	char digits[32], fault[128];

	mc_buffer_clear(&run->line);
	mc_buffer_add(&run->line, line->text, line->size);
	if (!mc_influx_parse(influx, run->line.at, line->size)) {
		snprintf(fault, sizeof(fault), "prints an invalid point (%s)", influx->error);
		mc_command_say(&program->command, fault, line->text);
		return;
	}
	if (influx->measurement == NULL)
		return;
	if (!mc_influx_time(influx, 1, &value.time)) {
		mc_command_say(&program->command,
			       "prints a time that is not after " MC_INFLUX_NO_TIME, line->text);
		return;
	}
	if (format_is_ahead(program, value.time)) {
		mc_command_say(&program->command, FORMAT_AHEAD, line->text);
		return;
	}
	value.host = sort_tags(influx);
	while (mc_influx_next(influx, &field)) {
		if (!read_number(&field, digits, &value.number.number))
			continue;
		value.number.digits = digits;
		value.label = make_label(run, &field);
		metric = make_metric(program, run, &field);
		value.metric = &metric;
		if (!format_put(program, &value))
			mc_command_say(&program->command,
				       "prints a number that cannot be one of its "
				       "Type",
				       line->text);
	}
}

static void done(struct program *program)
{
	struct influx_run *run = program->own;

	if (run == NULL)
		return;
	mc_buffer_free(&run->line);
	mc_buffer_free(&run->label);
	mc_buffer_free(&run->name);
	free(run);
}

const struct format format_influx = {
	.plugin = "exec",
	.begin = begin,
	.line = take_line,
	.done = done,
};
