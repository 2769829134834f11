/* SPDX-License-Identifier: MIT */
/* Any lines as those of a spool file. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/perfdata/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_in(const char *text, const char *line, size_t size)
{
	size_t len = strlen(text);

	assert(text < line || text > line + size || (size_t)(text - line) + len <= size);
}

static void read_line(char *line, size_t size)
{
	struct event event;

	if (event_read(&event, line, size) != EVENT_GOOD)
		return;
	assert(event.time > 0);
	assert(event.host[0] != '\0' && event.service[0] != '\0');
	is_in(event.host, line, size);
	is_in(event.service, line, size);
	is_in(event.data, line, size);
	is_in(event.command, line, size);
	is_in(event.state, line, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *end, *newline;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	assert(event_first_time(text, size) >= 0);
	end = text + size;
	*end = '\0';
	for (char *at = text; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (newline == NULL)
			newline = end;
		*newline = '\0';
		read_line(at, (size_t)(newline - at));
	}
	free(text);
	return 0;
}
