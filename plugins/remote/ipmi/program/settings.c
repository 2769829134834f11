/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Not by stdio, which would also read bytes after the empty line. */
static bool read_line(int fd, char *line, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		if (read(fd, line + at, 1) != 1)
			return false;
		if (line[at] == '\n') {
			line[at] = '\0';
			return true;
		}
	}
	return false;
}

static bool set(struct settings *settings, const char *name, const char *value)
{
	const struct {
		const char *name;
		char *text;
	} texts[] = {
		{ "address", settings->address },   { "port", settings->port },
		{ "user", settings->user },         { "auth", settings->auth },
		{ "password", settings->password },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(name, texts[i].name) == 0)
			return snprintf(texts[i].text, SETTINGS_TEXT, "%s", value) < SETTINGS_TEXT;
	if (strcmp(name, "events") == 0)
		settings->events = true;
	else if (strcmp(name, "clear") == 0)
		settings->clear = true;
	else
		return false;
	return true;
}

bool settings_read(int fd, struct settings *settings)
{
	char line[2 * SETTINGS_TEXT];

	while (read_line(fd, line, sizeof(line))) {
		char *value = strchr(line, ' ');

		if (line[0] == '\0')
			return true;
		if (value == NULL)
			return false;
		*value++ = '\0';
		if (!set(settings, line, value))
			return false;
	}
	return false;
}
