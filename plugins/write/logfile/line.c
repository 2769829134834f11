/* SPDX-License-Identifier: MIT */
/* The form is that of collectd 5.12, found by running it: sites have parsers
 * for these lines. */
#include "line.h"

#include <stdio.h>
#include <string.h>

size_t line_format(char *out, const struct tm *time, const char *severity,
		   const char *text)
{
	size_t size = 0, room;

	if (time != NULL)
		size += strftime(out, LINE_SIZE, "[%Y-%m-%d %H:%M:%S] ", time);
	if (severity != NULL)
		size += (size_t)snprintf(out + size, LINE_SIZE - size, "[%s] ",
					 severity);
	room = LINE_SIZE - size - sizeof("\n");
	for (; *text != '\0' && room > 0; text++, room--) {
		unsigned char c = (unsigned char)*text;

		out[size++] = c < ' ' || c == 0x7f ? ' ' : *text;
	}
	out[size++] = '\n';
	out[size] = '\0';
	return size;
}

static const char *severity_name(enum mc_severity severity)
{
	switch (severity) {
	case MC_FAILURE:
		return "FAILURE";
	case MC_WARNING:
		return "WARNING";
	case MC_OKAY:
		return "OKAY";
	}
	return "UNKNOWN";
}

void line_notice(char *out, size_t size, const struct mc_notice *notice)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{ "host", notice->id.host },
		{ "plugin", notice->id.plugin },
		{ "plugin_instance", notice->id.plugin_instance },
		{ "type", notice->id.type },
		{ "type_instance", notice->id.type_instance },
		{ "message", notice->message },
	};
	size_t used = (size_t)snprintf(out, size, "Notification: severity = %s",
				       severity_name(notice->severity));

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].value == NULL || parts[i].value[0] == '\0')
			continue;
		if (used >= size)
			return;
		used += (size_t)snprintf(out + used, size - used, ", %s = %s",
					 parts[i].name, parts[i].value);
	}
}
