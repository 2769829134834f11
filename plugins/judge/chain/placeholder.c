/* SPDX-License-Identifier: MIT */
/* Texts with placeholders. */
#include "placeholder.h"

#include <collector/plugin.h>

#include <stdio.h>
#include <string.h>

#define VALUE_SIZE 256

static void add(char *out, size_t size, size_t *used, const char *text, size_t text_size)
{
	if (text_size > size - 1 - *used)
		text_size = size - 1 - *used;
	memcpy(out + *used, text, text_size);
	*used += text_size;
}

void placeholder_fill(const char *text, placeholder_value *value, const void *argument, char *out,
		      size_t size)
{
	size_t used = 0;

	while (*text != '\0') {
		const char *end = strncmp(text, "%{", 2) == 0 ? strchr(text, '}') : NULL;
		char found[VALUE_SIZE];

		if (end != NULL &&
		    value(argument, text + 2, end - text - 2, found, sizeof(found))) {
			add(out, size, &used, found, strlen(found));
			text = end + 1;
		} else {
			add(out, size, &used, text++, 1);
		}
	}
	out[used] = '\0';
}

bool placeholder_part(const void *argument, const char *name, size_t size, char *out,
		      size_t out_size)
{
	const struct mc_id *id = argument;
	const struct {
		const char *name, *value;
	} parts[] = {
		{ "host", id->host },
		{ "plugin", id->plugin },
		{ "plugin_instance", id->plugin_instance },
		{ "type", id->type },
		{ "type_instance", id->type_instance },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].name) == size && memcmp(parts[i].name, name, size) == 0) {
			snprintf(out, out_size, "%s", parts[i].value);
			return true;
		}
	return false;
}
