/* SPDX-License-Identifier: MIT */
/* Any text as lines of upsd's answer, and as where a UPS is. */
#include <assert.h>
#include <string.h>

#include "answer.h"
#include "lines.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_place(const char *text)
{
	struct place place;

	if (!place_read(text, &place))
		return;
	assert(place.name[0] != '\0' && place.host[0] != '\0' && place.port[0] != '\0');
	assert(strchr(place.name, '@') == NULL);
	assert(strlen(place.name) <= strlen(text));
	place_free(&place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer_variable variable;
	struct lines lines;

	lines_open(&lines, data, size);
	while (*lines.next != '\0') {
		char *line = lines_take(&lines);
		size_t len = strlen(line);

		look_at_place(line);
		if (answer_read(line, "rack", &variable) != ANSWER_VARIABLE)
			continue;
		assert(variable.name == line + strlen("VAR rack ") && *variable.name != '\0');
		assert(variable.value > variable.name && variable.value < line + len);
		assert(variable.value + strlen(variable.value) < line + len);
	}
	lines_close(&lines);
	return 0;
}
