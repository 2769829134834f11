/* SPDX-License-Identifier: MIT */
/* Any bytes as lines of Format metrics of exec. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "metric_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct metric_line *line)
{
	char instance[METRIC_LINE_INSTANCE];

	assert(line->metric[0] != '\0' && strlen(line->metric) < MC_METRIC_NAME_SIZE);
	assert(line->kind <= MC_METRIC_UP_DOWN_COUNTER);
	assert(isfinite(line->number) && line->time >= 0);
	assert(line->labels_len <= MC_METRIC_LABELS_MAX);
	for (size_t i = 0; i < line->labels_len; i++) {
		const char *name = line->labels[i].name;

		assert(name[0] != '\0' && strcmp(name, "__name__") != 0);
		assert(strlen(line->labels[i].value) < MC_METRIC_VALUE_SIZE);
		assert(i == 0 || strcmp(line->labels[i - 1].name, name) < 0);
	}
	metric_line_instance(line, instance);
	assert(memchr(instance, '\0', sizeof(instance)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metric_line line = { 0 };
	const char *text = (const char *)data;

	for (size_t at = 0; at < size;) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t part = newline != NULL ? (size_t)(newline - text) - at : size - at;

		if (metric_line_read(&line, text + at, part) == NULL)
			look_at(&line);
		at += part + 1;
	}
	metric_line_done(&line);
	return 0;
}
