/* SPDX-License-Identifier: MIT */
/* Any text as the output of a check plugin. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nagios.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_data(const char *data)
{
	enum nagios_found found;
	struct nagios_item item;
	const char *before;

	do {
		before = data;
		found = nagios_next(&data, &item);
		assert(found == NAGIOS_END || data > before);
		if (found != NAGIOS_ITEM)
			continue;
		assert(isfinite(item.value));
		assert(strlen(item.label) > 0);
		assert(strlen(item.label) < NAGIOS_LABEL_SIZE);
		assert(item.type != NULL);
	} while (found != NAGIOS_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nagios_output output = { 0 };
	char *text = calloc(1, size + 1), *rest = text, *line;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *found = nagios_line(&output, line);

		assert(strlen(output.text) < NAGIOS_TEXT_SIZE);
		if (found != NULL)
			read_data(found);
	}
	free(text);
	return 0;
}
