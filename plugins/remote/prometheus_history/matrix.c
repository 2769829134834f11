/* SPDX-License-Identifier: MIT */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/json.h>

#define DEPTH_MAX 16
#define KEY_SIZE 16
#define NUMBER_SIZE 64

enum level { /* Of a map or list that is open. */
	     LEVEL_OTHER,
	     LEVEL_ANSWER, /* { "status": ..., "data": ... } */
	     LEVEL_DATA,   /* { "resultType": ..., "result": [...] } */
	     LEVEL_LIST,   /* [...] of series, of either kind */
	     LEVEL_SERIES, /* { "metric": {...}, "values": [...] } */
	     LEVEL_LABELS, /* { "__name__": "up", ... } */
	     LEVEL_VALUES, /* [ [1700000000, "1.5"], ... ] */
	     LEVEL_POINT,
};

struct reading {
	const struct matrix_calls *calls;
	void *argument;
	enum level levels[DEPTH_MAX + 1]; /* The first is outside of all. */
	unsigned depth;
	char key[KEY_SIZE]; /* The last one that is not of labels; longer ones mean nothing. */
	char *name;         /* The last one of labels. */
	struct matrix_labels labels;
	bool too_many; /* Labels. */
	bool wanted;   /* Points of this series. */
	double time;
	unsigned numbers; /* Of the point. */
	bool succeeded, has_data;
	char *why;
};

const char *matrix_label(const struct matrix_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return "";
}

static enum level level_of(const struct reading *reading)
{
	return reading->levels[reading->depth];
}

static bool is_key(const struct reading *reading, const char *key)
{
	return strcmp(reading->key, key) == 0;
}

/* --- Labels --------------------------------------------------------------- */

static char *copy(const char *text, size_t size)
{
	char *made = mc_alloc(size + 1);

	memcpy(made, text, size);
	made[size] = '\0';
	return made;
}

static void forget_labels(struct reading *reading)
{
	for (size_t i = 0; i < reading->labels.len; i++) {
		free(reading->labels.items[i].name);
		free(reading->labels.items[i].value);
	}
	reading->labels.len = 0;
	reading->too_many = false;
	reading->wanted = false;
}

static void add_label(struct reading *reading, const char *value, size_t size)
{
	struct matrix_labels *labels = &reading->labels;

	if (labels->len == MATRIX_LABELS_MAX) {
		reading->too_many = true;
		return;
	}
	labels->items[labels->len++] = (struct matrix_label){ reading->name, copy(value, size) };
	reading->name = NULL;
}

/* --- Items ---------------------------------------------------------------- */

static bool take_key(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;

	if (level_of(reading) == LEVEL_LABELS) {
		free(reading->name);
		reading->name = copy(text, size);
	} else if (size < KEY_SIZE) {
		memcpy(reading->key, text, size);
		reading->key[size] = '\0';
	} else {
		reading->key[0] = '\0';
	}
	return true;
}

/* "NaN" and "+Inf" are numbers, too. */
static void take_value(struct reading *reading, const char *text, size_t size)
{
	char number[NUMBER_SIZE], *end;
	double value;

	if (size == 0 || size >= sizeof(number) || reading->numbers != 1)
		return;
	memcpy(number, text, size);
	number[size] = '\0';
	value = strtod(number, &end);
	reading->numbers++;
	if (*end == '\0' && reading->wanted && reading->calls->point != NULL)
		reading->calls->point(reading->argument, reading->time, value);
}

static bool take_string(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;

	switch (level_of(reading)) {
	case LEVEL_ANSWER:
		if (is_key(reading, "status"))
			reading->succeeded = size == 7 && memcmp(text, "success", 7) == 0;
		if (is_key(reading, "error"))
			snprintf(reading->why, MATRIX_WHY, "%.*s", (int)(size < 180 ? size : 180),
				 text);
		break;
	case LEVEL_LABELS:
		if (reading->name != NULL)
			add_label(reading, text, size);
		break;
	case LEVEL_POINT:
		take_value(reading, text, size);
		break;
	default:
		break;
	}
	return true;
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	char number[NUMBER_SIZE];

	if (level_of(reading) != LEVEL_POINT || reading->numbers != 0 || size >= sizeof(number))
		return true;
	memcpy(number, text, size);
	number[size] = '\0';
	reading->time = strtod(number, NULL);
	reading->numbers = 1;
	return true;
}

/* --- Maps and lists -------------------------------------------------------- */

static bool open_level(struct reading *reading, enum level level)
{
	if (reading->depth == DEPTH_MAX)
		return false;
	reading->levels[++reading->depth] = level;
	return true;
}

static bool begin_map(void *argument)
{
	struct reading *reading = argument;

	switch (level_of(reading)) {
	case LEVEL_OTHER:
		return open_level(reading, reading->depth == 0 ? LEVEL_ANSWER : LEVEL_OTHER);
	case LEVEL_ANSWER:
		return open_level(reading, is_key(reading, "data") ? LEVEL_DATA : LEVEL_OTHER);
	case LEVEL_LIST:
		forget_labels(reading);
		/* The list of /api/v1/series has nothing but labels. */
		return open_level(reading, reading->levels[reading->depth - 1] == LEVEL_DATA
						   ? LEVEL_SERIES
						   : LEVEL_LABELS);
	case LEVEL_SERIES:
		return open_level(reading, is_key(reading, "metric") ? LEVEL_LABELS : LEVEL_OTHER);
	default:
		return open_level(reading, LEVEL_OTHER);
	}
}

static bool begin_list(void *argument)
{
	struct reading *reading = argument;
	enum level next = LEVEL_OTHER;

	switch (level_of(reading)) {
	case LEVEL_ANSWER:
		next = is_key(reading, "data") ? LEVEL_LIST : LEVEL_OTHER;
		break;
	case LEVEL_DATA:
		next = is_key(reading, "result") ? LEVEL_LIST : LEVEL_OTHER;
		break;
	case LEVEL_SERIES:
		next = is_key(reading, "values") ? LEVEL_VALUES : LEVEL_OTHER;
		break;
	case LEVEL_VALUES:
		next = LEVEL_POINT;
		reading->numbers = 0;
		break;
	default:
		break;
	}
	reading->has_data |= next == LEVEL_LIST;
	return open_level(reading, next);
}

static bool end_map(void *argument)
{
	struct reading *reading = argument;

	if (level_of(reading) == LEVEL_LABELS && !reading->too_many)
		reading->wanted = reading->calls->series(reading->argument, &reading->labels);
	reading->depth--;
	return true;
}

static bool end_list(void *argument)
{
	struct reading *reading = argument;

	reading->depth--;
	return true;
}

bool matrix_read(const void *text, size_t size, const struct matrix_calls *calls, void *argument,
		 char why[MATRIX_WHY])
{
	static const struct mc_json_calls items = {
		.number = take_number,
		.string = take_string,
		.key = take_key,
		.begin_map = begin_map,
		.end_map = end_map,
		.begin_list = begin_list,
		.end_list = end_list,
	};
	struct reading reading = { .calls = calls, .argument = argument, .why = why };
	int rc;

	snprintf(why, MATRIX_WHY, "its answer is not one of Prometheus' HTTP API");
	rc = mc_json_read(text, size, DEPTH_MAX, &items, &reading);
	forget_labels(&reading);
	free(reading.name);
	return rc == 0 && reading.succeeded && reading.has_data;
}
