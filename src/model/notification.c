/* SPDX-License-Identifier: MIT */
/* The text of a notification.  The form is that of collectd 5.12, found by
 * running it: sites have parsers for these lines. */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <stdio.h>

const char *mc_severity_name(enum mc_severity severity)
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

void mc_notification_text(const struct mc_notification *notification, char *out, size_t size)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{ "host", notification->id.host },
		{ "plugin", notification->id.plugin },
		{ "plugin_instance", notification->id.plugin_instance },
		{ "type", notification->id.type },
		{ "type_instance", notification->id.type_instance },
		{ "message", notification->message },
	};
	size_t used = (size_t)snprintf(out, size, "Notification: severity = %s",
				       mc_severity_name(notification->severity));

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].value == NULL || parts[i].value[0] == '\0')
			continue;
		if (used >= size)
			return;
		used += (size_t)snprintf(out + used, size - used, ", %s = %s", parts[i].name,
					 parts[i].value);
	}
}
