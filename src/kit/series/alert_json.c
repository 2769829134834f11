/* SPDX-License-Identifier: MIT */
#include "kit/series/alert_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

/* Escapes the characters that a string of JSON cannot have. */
static void add_inner(struct mc_buffer *out, const char *text)
{
	char escape[8];

	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			add(out, "\\");
			mc_buffer_add(out, text, 1);
		} else if (c < ' ') {
			snprintf(escape, sizeof(escape), c == '\n' ? "\\n" : "\\u%04X", c);
			add(out, escape);
		} else {
			mc_buffer_add(out, text, 1);
		}
	}
}

/* "key":"value", after a comma unless it is the first. */
static void add_member(struct mc_buffer *out, const char *key, const char *value)
{
	if (out->at[out->size - 1] != '{')
		add(out, ",");
	add(out, "\"");
	add_inner(out, key);
	add(out, "\":\"");
	add_inner(out, value);
	add(out, "\"");
}

/* A part may be NULL. */
static const char *part(const char *text)
{
	return text != NULL ? text : "";
}

/* "collectd_df_complex": the plugin is not there twice. */
static void add_name(struct mc_buffer *out, const char *plugin, const char *type)
{
	add(out, "\"alertname\":\"collectd_");
	if (strncmp(plugin, type, strlen(plugin)) != 0) {
		add_inner(out, plugin);
		add(out, "_");
	}
	add_inner(out, type);
	add(out, "\"");
}

static void add_labels(struct mc_buffer *out, const struct mc_notification *notification)
{
	static const char *const severities[] = {
		[MC_OKAY] = "OKAY",
		[MC_WARNING] = "WARNING",
		[MC_FAILURE] = "FAILURE",
	};
	const struct mc_id *id = &notification->id;
	const char *plugin = part(id->plugin), *instance = part(id->plugin_instance);
	const char *type_instance = part(id->type_instance);

	add_name(out, plugin, part(id->type));
	add_member(out, "instance", part(id->host));
	if (*instance != '\0')
		add_member(out, plugin, instance);
	if (*type_instance != '\0')
		add_member(out, *instance != '\0' ? "type" : plugin, type_instance);
	add_member(out, "severity", severities[notification->severity]);
	add_member(out, "service", "collectd");
}

static void add_time(struct mc_buffer *out, mc_time time)
{
	time_t seconds = (time_t)(time / MC_SECOND);
	char text[64];
	struct tm at;
	size_t size;

	if (gmtime_r(&seconds, &at) == NULL)
		return;
	size = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &at);
	snprintf(text + size, sizeof(text) - size, ".%09" PRId64 "Z", time % MC_SECOND);
	add_member(out, "startsAt", text);
}

void mc_alert_json(struct mc_buffer *out, const struct mc_notification *notification, mc_time now)
{
	add(out, "[{\"labels\":{");
	add_labels(out, notification);
	add(out, "},\"annotations\":{");
	add_member(out, "summary", part(notification->message));
	for (unsigned i = 0; i < notification->fields_len; i++)
		add_member(out, notification->fields[i].name, notification->fields[i].value);
	add(out, "}");
	add_time(out, notification->time != 0 ? notification->time : now);
	add(out, "}]");
}
