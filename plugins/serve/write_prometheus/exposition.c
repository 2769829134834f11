/* SPDX-License-Identifier: MIT */
#include "exposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/print.h>

#define NUMBER_SIZE 40

static char *room_for(struct exposition_text *text, size_t size)
{
	if (text->room - text->size < size) {
		text->room = 2 * text->room + size + 4096;
		text->at = mc_alloc_resize(text->at, text->room, 1);
	}
	return text->at + text->size;
}

void exposition_add(struct exposition_text *text, const char *bytes, size_t size)
{
	memcpy(room_for(text, size), bytes, size);
	text->size += size;
}

static void add(struct exposition_text *text, const char *string)
{
	exposition_add(text, string, strlen(string));
}

/* --- Names --------------------------------------------------------------- */

/* In a label '"' is escaped, too, and in comments of OpenMetrics. */
static void add_escaped(struct exposition_text *text, const char *string, bool quoted)
{
	char *start = room_for(text, 2 * strlen(string)), *at = start;

	for (; *string != '\0'; string++) {
		bool escaped = *string == '\\' || *string == '\n' || (quoted && *string == '"');

		if (escaped)
			*at++ = '\\';
		*at++ = escaped && *string == '\n' ? 'n' : *string;
	}
	text->size += (size_t)(at - start);
}

struct part { /* Of a text. */
	const char *at;
	size_t size;
};

/* Says the unit if the name ends with it, as OpenMetrics has it: any other is an error there. */
static void add_unit(struct exposition_text *text, struct part name, struct part unit)
{
	if (unit.size == 0 || unit.size >= name.size || name.at[name.size - unit.size - 1] != '_' ||
	    memcmp(name.at + name.size - unit.size, unit.at, unit.size) != 0)
		return;
	add(text, "# UNIT ");
	exposition_add(text, name.at, name.size);
	add(text, " ");
	exposition_add(text, unit.at, unit.size);
	add(text, "\n");
}

/* Counters are not shown by the second. */
static struct part unit_of(const struct exposition_about *about)
{
	const char *unit = about->unit != NULL ? about->unit : "";
	size_t size = strlen(unit);

	if (naming_is_counter(about->kind) && size > 2 && strcmp(unit + size - 2, "/s") == 0)
		size -= 2;
	return (struct part){ unit, size };
}

void exposition_head(struct exposition_text *text, enum exposition_format format,
		     const struct exposition_about *about)
{
	bool open_metrics = format == EXPOSITION_OPENMETRICS;
	bool unclear = open_metrics && about->unclear;
	bool counter = naming_is_counter(about->kind) && !unclear;
	size_t size = strlen(about->name);

	if (counter && open_metrics)
		size -= strlen("_total"); /* The family is without it. */
	add(text, "# HELP ");
	exposition_add(text, about->name, size);
	add(text, " ");
	add_escaped(text, about->help != NULL ? about->help : "", open_metrics);
	if (about->unit != NULL && about->unit[0] != '\0') {
		add(text, " [");
		add_escaped(text, about->unit, open_metrics);
		add(text, "]");
	}
	add(text, "\n# TYPE ");
	exposition_add(text, about->name, size);
	add(text, unclear ? " unknown\n" : counter ? " counter\n" : " gauge\n");
	if (open_metrics)
		add_unit(text, (struct part){ about->name, size }, unit_of(about));
}

void exposition_family(struct exposition_text *text, enum exposition_format format,
		       const struct exposition_family *about)
{
	static const char *const types[] = {
		[EXPOSITION_GAUGE] = " gauge\n",     [EXPOSITION_COUNTER] = " counter\n",
		[EXPOSITION_SUMMARY] = " summary\n", [EXPOSITION_HISTOGRAM] = " histogram\n",
		[EXPOSITION_UNTYPED] = " untyped\n",
	};
	bool open_metrics = format == EXPOSITION_OPENMETRICS;
	struct part name = { about->name, strlen(about->name) };

	if (open_metrics && about->type == EXPOSITION_COUNTER)
		name.size -= strlen("_total");
	add(text, "# HELP ");
	exposition_add(text, name.at, name.size);
	add(text, " ");
	add_escaped(text, about->help, open_metrics);
	add(text, "\n# TYPE ");
	exposition_add(text, name.at, name.size);
	add(text,
	    open_metrics && about->type == EXPOSITION_UNTYPED ? " unknown\n" : types[about->type]);
	if (open_metrics)
		add_unit(text, name, (struct part){ about->unit, strlen(about->unit) });
}

/* --- Labels -------------------------------------------------------------- */

static void add_label(void *argument, const char *name, const char *value)
{
	struct exposition_text *text = argument;
	char *start = room_for(text, strlen(name) + 3), *at = start;

	if (text->at[text->size - 1] != '{')
		*at++ = ',';
	for (bool first = true; *name != '\0'; name++, first = false)
		*at++ = naming_character(*name, first);
	*at++ = '=';
	*at++ = '"';
	text->size += (size_t)(at - start);
	add_escaped(text, value, true);
	exposition_add(text, "\"", 1);
}

void exposition_add_label(struct exposition_text *text, const char *name, const char *value)
{
	add(text, text->size == 0 ? "{" : ",");
	add(text, name);
	add(text, "=\"");
	add_escaped(text, value, true);
	add(text, "\"");
}

void exposition_labels(struct exposition_text *text, const struct labelling_of_series *labels)
{
	add(text, "{");
	labelling_each(labels, add_label, text);
	add(text, "}");
}

/* --- Samples ------------------------------------------------------------- */

static size_t print_gauge(char *out, double value)
{
	if (isnan(value))
		return (size_t)snprintf(out, NUMBER_SIZE, "NaN");
	if (isinf(value))
		return (size_t)snprintf(out, NUMBER_SIZE, value > 0 ? "+Inf" : "-Inf");
	if (value == floor(value) && fabs(value) < 1e15)
		return mc_print_i64(out, (int64_t)value);
	return (size_t)snprintf(out, NUMBER_SIZE, "%.15g", value);
}

static size_t print_value(char *out, enum mc_kind kind, union mc_value value)
{
	switch (kind) {
	case MC_GAUGE:
		return print_gauge(out, value.gauge);
	case MC_DERIVE:
		return mc_print_i64(out, value.derive);
	case MC_COUNTER:
	case MC_ABSOLUTE:
		break;
	}
	return mc_print_u64(out, value.counter);
}

/* Milliseconds; in OpenMetrics seconds. */
static size_t print_time(char *out, enum exposition_format format, mc_time time)
{
	int64_t milliseconds = time / MC_MILLISECOND;
	size_t size;

	if (format == EXPOSITION_TEXT)
		return mc_print_i64(out, milliseconds);
	size = mc_print_i64(out, milliseconds / 1000);
	out[size++] = '.';
	out[size++] = (char)('0' + milliseconds / 100 % 10);
	memcpy(out + size, mc_print_pairs + milliseconds % 100 * 2, 2);
	return size + 2;
}

void exposition_sample(struct exposition_text *text, enum exposition_format format,
		       const struct exposition_sample *sample)
{
	size_t name = strlen(sample->name);
	char *start = room_for(text, name + sample->labels_size + 2 * NUMBER_SIZE + 3);
	char *at = start;

	memcpy(at, sample->name, name);
	at += name;
	memcpy(at, sample->labels, sample->labels_size);
	at += sample->labels_size;
	*at++ = ' ';
	at += print_value(at, sample->kind, sample->value);
	if (sample->time != 0) {
		*at++ = ' ';
		at += print_time(at, format, sample->time);
	}
	*at++ = '\n';
	text->size += (size_t)(at - start);
}

void exposition_end(struct exposition_text *text, enum exposition_format format)
{
	if (format == EXPOSITION_OPENMETRICS)
		add(text, "# EOF\n");
}
