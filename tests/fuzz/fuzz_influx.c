/* SPDX-License-Identifier: MIT */
/* Any text as lines of the InfluxDB line protocol. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/influx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_line(char *line, size_t size)
{
	struct mc_influx influx;
	struct mc_influx_field field;
	unsigned fields = 0;

	if (!mc_influx_parse(&influx, line, size)) {
		assert(influx.error != NULL && influx.measurement == NULL);
		assert(!mc_influx_next(&influx, &field));
		return;
	}
	if (influx.measurement == NULL)
		return;
	assert(influx.measurement[0] != '\0');
	assert(influx.tags_len <= MC_INFLUX_TAGS_MAX);
	for (size_t i = 0; i < influx.tags_len; i++)
		assert(strlen(influx.tags[i].key) > 0 && strlen(influx.tags[i].value) > 0);
	while (mc_influx_next(&influx, &field)) {
		fields++;
		assert(strlen(field.key) > 0);
		assert(field.kind != MC_INFLUX_FLOAT || isfinite(field.value.number));
		assert(field.kind != MC_INFLUX_TEXT || strlen(field.value.text) < size);
	}
	assert(fields > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;

	while (data < end) {
		const uint8_t *newline = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((newline != NULL ? newline : end) - data);
		char *line = malloc(len + 1); /* Exactly a line. */

		assert(line != NULL);
		memcpy(line, data, len);
		line[len] = '\0';
		take_line(line, len);
		free(line);
		data += len + 1;
	}
	return 0;
}
