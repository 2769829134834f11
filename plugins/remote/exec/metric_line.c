/* SPDX-License-Identifier: MIT */
#include "metric_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

#define DEPTH_MAX 8
#define SUM_SIZE 17 /* ",0123456789abcdef" */

enum key { METRIC, VALUE, LABELS, UNIT, KIND, HELP, TIME, KEYS };

static const char *const keys[KEYS] = {
	[METRIC] = "metric", [VALUE] = "value", [LABELS] = "labels", [UNIT] = "unit",
	[KIND] = "kind",     [HELP] = "help",   [TIME] = "time",
};

struct reading {
	struct metric_line *line;
	unsigned depth; /* 1: in the map, 2: in what is in it. */
	enum key key;   /* The last one of the map. */
	const char *label;
	bool has_value, has_metric;
};

static void leave_out(struct metric_line *line, const char *why, const char *place)
{
	if (line->left_out != NULL)
		return; /* The first is enough to look at. */
	line->left_out = why;
	snprintf(line->place, sizeof(line->place), "%s", place);
}

/* Texts of a line, with a '\0' each, are never longer than the line, with two quotes each. */
static const char *keep(struct metric_line *line, const char *text, size_t size)
{
	char *copy = line->texts + line->texts_size;

	memcpy(copy, text, size);
	copy[size] = '\0';
	line->texts_size += size + 1;
	return copy;
}

/* --- Labels --------------------------------------------------------------- */

static void add_label(struct reading *reading, const char *text, size_t size)
{
	struct metric_line *line = reading->line;
	const struct mc_metric_labels all = { line->labels, line->labels_len };
	const char *name = reading->label, *why = NULL;

	if (name[0] == '\0' || strcmp(name, "__name__") == 0)
		why = "a label that cannot be called so";
	else if (strlen(name) >= MC_METRIC_NAME_SIZE || size >= MC_METRIC_VALUE_SIZE)
		why = "a label that is too long";
	else if (line->labels_len == MC_METRIC_LABELS_MAX)
		why = "too many labels";
	else if (mc_metric_label(&all, name) != NULL)
		why = "a label twice";
	if (why != NULL) {
		leave_out(line, why, name);
		return;
	}
	line->labels[line->labels_len++] =
		(struct mc_metric_label){ .name = name, .value = keep(line, text, size) };
}

static int compare(const void *a, const void *b)
{
	const struct mc_metric_label *first = a, *second = b;

	return strcmp(first->name, second->name);
}

/* --- Items ---------------------------------------------------------------- */

static void take_kind(struct metric_line *line, const char *text, size_t size)
{
	static const char *const kinds[] = {
		[MC_METRIC_GAUGE] = "gauge",
		[MC_METRIC_COUNTER] = "counter",
		[MC_METRIC_UP_DOWN_COUNTER] = "up_down_counter",
	};
	const char *kind = keep(line, text, size);

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i]) == 0) {
			line->kind = (enum mc_metric_kind)i;
			return;
		}
	leave_out(line, "an unknown kind", kind);
}

static bool take_string(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	struct metric_line *line = reading->line;

	if (reading->depth == 2 && reading->key == LABELS)
		add_label(reading, text, size);
	else if (reading->depth == 1 && reading->key == METRIC)
		line->metric = keep(line, text, size);
	else if (reading->depth == 1 && reading->key == UNIT)
		line->unit = keep(line, text, size);
	else if (reading->depth == 1 && reading->key == HELP)
		line->help = keep(line, text, size);
	else if (reading->depth == 1 && reading->key == KIND)
		take_kind(line, text, size);
	else if (reading->depth == 1 && reading->key < KEYS)
		leave_out(line, "a text that should be a number or labels", keys[reading->key]);
	return true;
}

static void take_time(struct metric_line *line, double seconds, const char *digits)
{
	if (seconds > 0 && seconds < 9e9)
		line->time = (mc_time)(seconds * 1000) * MC_MILLISECOND;
	else
		leave_out(line, "a time that cannot be", digits);
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	struct metric_line *line = reading->line;
	char digits[METRIC_LINE_DIGITS];
	double number;

	if (reading->depth == 2 && reading->key == LABELS) {
		add_label(reading, text, size);
		return true;
	}
	if (reading->depth != 1 || (reading->key != VALUE && reading->key != TIME))
		return true;
	if (size >= sizeof(digits))
		return false;
	memcpy(digits, text, size);
	digits[size] = '\0';
	if (!mc_number_double(digits, &number))
		return false;
	if (reading->key == TIME) {
		take_time(line, number, digits);
		return true;
	}
	line->number = number;
	memcpy(line->digits, digits, sizeof(digits));
	reading->has_value = true;
	return true;
}

static bool take_bool(void *argument, bool truth)
{
	struct reading *reading = argument;
	const char *text = truth ? "true" : "false";

	if (reading->depth == 2 && reading->key == LABELS) {
		add_label(reading, text, strlen(text));
	} else if (reading->depth == 1 && reading->key == VALUE) {
		reading->line->number = truth;
		reading->has_value = true;
	}
	return true;
}

static bool take_null(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == 2 && reading->key == LABELS)
		leave_out(reading->line, "a label without a value", reading->label);
	return true;
}

static bool take_key(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	const char *key;

	if (reading->depth > 2 || (reading->depth == 2 && reading->key != LABELS))
		return true;
	key = keep(reading->line, text, size);
	if (reading->depth == 2) {
		reading->label = key;
		return true;
	}
	for (reading->key = 0; reading->key < KEYS; reading->key++)
		if (strcmp(key, keys[reading->key]) == 0)
			return true;
	leave_out(reading->line, "an unknown key", key);
	return true;
}

static bool begin_map(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == 2 && reading->key == LABELS)
		leave_out(reading->line, "a label whose value is no text", reading->label);
	reading->depth++;
	return true;
}

static bool end_map(void *argument)
{
	((struct reading *)argument)->depth--;
	return true;
}

/* A list is as deep as a map, but never the map itself. */
static bool begin_list(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == 0)
		return false;
	if (reading->depth == 2 && reading->key == LABELS)
		leave_out(reading->line, "a label whose value is no text", reading->label);
	if (reading->depth == 1 && reading->key == LABELS) {
		leave_out(reading->line, "labels that are no map", keys[LABELS]);
		reading->key = KEYS;
	}
	reading->depth++;
	return true;
}

/* --- The line ------------------------------------------------------------- */

static int read_json(struct reading *reading, const char *text, size_t size)
{
	static const struct mc_json_calls calls = {
		.null = take_null,
		.boolean = take_bool,
		.number = take_number,
		.string = take_string,
		.key = take_key,
		.begin_map = begin_map,
		.end_map = end_map,
		.begin_list = begin_list,
		.end_list = end_map,
	};
	struct metric_line *line = reading->line;

	*line = (struct metric_line){ .metric = "", .unit = "", .help = "", .texts = line->texts };
	*reading = (struct reading){ .line = line, .key = KEYS };
	return mc_json_read(text, size, DEPTH_MAX, &calls, reading);
}

/* Bytes that are no UTF-8 are no JSON either: all that are not ASCII become '?'. */
static int read_as_ascii(struct reading *reading, const char *text, size_t size)
{
	char *ascii = mc_alloc_bytes(text, size);
	int rc;

	for (size_t i = 0; i < size; i++)
		if ((unsigned char)ascii[i] >= 0x80)
			ascii[i] = '?';
	rc = read_json(reading, ascii, size);
	free(ascii);
	if (rc == 0)
		leave_out(reading->line, "characters that are not UTF-8", reading->line->metric);
	return rc;
}

const char *metric_line_read(struct metric_line *line, const char *text, size_t size)
{
	struct reading reading = { .line = line };

	line->texts = mc_alloc_resize(line->texts, size + 1, 1);
	if (read_json(&reading, text, size) < 0 && read_as_ascii(&reading, text, size) < 0)
		return "prints a line that is no JSON of a metric";
	if (!reading.has_value)
		return "prints a metric without a number as its value";
	if (line->metric[0] == '\0')
		return "prints a value without a metric";
	if (strlen(line->metric) >= MC_METRIC_NAME_SIZE)
		return "prints a metric whose name is too long";
	if (line->labels_len > 0)
		qsort(line->labels, line->labels_len, sizeof(line->labels[0]), compare);
	return NULL;
}

/* --- Its series ----------------------------------------------------------- */

struct instance {
	char *out;
	size_t size;   /* Of all of it. */
	uint64_t hash; /* Of the same. */
};

static void append(struct instance *instance, const char *text)
{
	size_t size = strlen(text), left = METRIC_LINE_INSTANCE - 1;

	left -= instance->size < left ? instance->size : left;
	memcpy(instance->out + (METRIC_LINE_INSTANCE - 1 - left), text, size < left ? size : left);
	instance->size += size;
	instance->hash = mc_hash_text(instance->hash, text);
}

void metric_line_instance(const struct metric_line *line, char out[METRIC_LINE_INSTANCE])
{
	struct instance instance = { .out = out, .hash = mc_hash_start() };

	append(&instance, line->metric);
	for (size_t i = 0; i < line->labels_len; i++) {
		append(&instance, ",");
		append(&instance, line->labels[i].name);
		append(&instance, "=");
		append(&instance, line->labels[i].value);
	}
	out[instance.size < METRIC_LINE_INSTANCE ? instance.size : METRIC_LINE_INSTANCE - 1] = '\0';
	if (instance.size >= METRIC_LINE_INSTANCE)
		snprintf(out + METRIC_LINE_INSTANCE - 1 - SUM_SIZE, SUM_SIZE + 1, ",%016" PRIx64,
			 instance.hash);
}

void metric_line_done(struct metric_line *line)
{
	free(line->texts);
	*line = (struct metric_line){ 0 };
}
