/* SPDX-License-Identifier: MIT */
#include "notice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/buffer.h>
#include <collector/label.h>
#include <collector/metadata.h>
#include <collector/writer.h>

#include "kit/base/name_globs.h"

/* "Name: value", unless it is empty.  Nothing in it may end the line. */
static void add_field(struct mc_buffer *out, const char *name, const char *value)
{
	size_t start;

	if (value == NULL || *value == '\0')
		return;
	mc_buffer_add(out, name, strlen(name));
	mc_buffer_add(out, ": ", 2);
	start = out->size;
	mc_buffer_add(out, value, strlen(value));
	for (size_t i = start; i < out->size; i++)
		if (out->at[i] == '\n' || out->at[i] == '\r')
			out->at[i] = ' ';
	mc_buffer_add(out, "\n", 1);
}

/* The source that it is about; the first without one. */
static unsigned source_of(const struct mc_notification *notification, const struct mc_type *type)
{
	for (unsigned i = 0; i < notification->fields_len; i++)
		for (unsigned source = 0; source < type->sources_len; source++)
			if (strcmp(notification->fields[i].name, "DataSource") == 0 &&
			    strcmp(notification->fields[i].value, type->sources[source].name) == 0)
				return source;
	return 0;
}

static void add_metadata(struct mc_ctx *ctx, const struct mc_notification *notification,
			 struct mc_buffer *out)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	const struct mc_metadata *metadata;
	char name[MC_NAME_GLOBS_SIZE];
	struct mc_series *series;

	mc_name_globs_name(&notification->id, ctx->host, name);
	series = mc_find(reading, name, strlen(name));
	if (series != NULL) {
		metadata = mc_get_metadata(series, source_of(notification, mc_type(series)));
		add_field(out, "Label", metadata != NULL ? metadata->label : NULL);
		add_field(out, "GraphTitle", mc_metadata_attribute(metadata, "graph_title"));
		mc_release_metadata(metadata);
	}
	mc_read_end(reading);
}

static void add_label(void *argument, const struct mc_field *label)
{
	char name[MC_LABEL_SIZE + 16];

	snprintf(name, sizeof(name), "HostLabel.%s", label->name);
	add_field(argument, name, label->value);
}

char *notice_text(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;
	struct mc_buffer out = { 0 };
	mc_time ms = notification->time / MC_MILLISECOND;
	char time[48];

	snprintf(time, sizeof(time), "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
	add_field(&out, "Severity", mc_severity_name(notification->severity));
	add_field(&out, "Time", time);
	add_field(&out, "Host", id->host);
	add_field(&out, "Plugin", id->plugin);
	add_field(&out, "PluginInstance", id->plugin_instance);
	add_field(&out, "Type", id->type);
	add_field(&out, "TypeInstance", id->type_instance);
	for (unsigned i = 0; i < notification->fields_len; i++)
		add_field(&out, notification->fields[i].name, notification->fields[i].value);
	add_metadata(ctx, notification, &out);
	if (id->host != NULL)
		mc_each_label(ctx, id->host, add_label, &out);
	mc_buffer_add(&out, "\n", 1);
	if (notification->message != NULL)
		mc_buffer_add(&out, notification->message, strlen(notification->message));
	mc_buffer_add(&out, "\n", 1);
	return out.at;
}
