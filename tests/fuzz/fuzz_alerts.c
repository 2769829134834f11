/* SPDX-License-Identifier: MIT */
/* Any lines as those of the file of alerts: each that is taken is written back, and read again as
 * the same. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/alerts/alerts_line.h"
#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct alerts_line *line)
{
	char text[ALERTS_LINE_SIZE];
	size_t size = alerts_line_print(line, text);
	struct alerts_line again;

	if (size == 0)
		return;
	assert(text[size - 1] == '\n');
	text[size - 1] = '\0';
	assert(alerts_line_parse(text, &again));
	assert(again.kind == line->kind && again.first == line->first &&
	       again.second == line->second);
	assert(strcmp(again.name, line->name) == 0 && strcmp(again.text, line->text) == 0 &&
	       strcmp(again.more, line->more) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines lines;
	struct alerts_line line;

	lines_open(&lines, data, size);
	for (char *text = lines_take(&lines); *text != '\0'; text = lines_take(&lines))
		if (alerts_line_parse(text, &line))
			check(&line);
	free(lines.text);
	return 0;
}
