/* SPDX-License-Identifier: MIT */
/* GETTHRESHOLD, in the words of collectd 5.12
 * (tests/scenario/unixsock_like_collectd compares them). */
#include "threshold.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/private/status.h>

struct bounds { /* The lines after the first one. */
	struct mc_buffer *reply;
	unsigned len; /* Lines. */
	bool found;
};

static void add_text(struct bounds *bounds, const char *name, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	reply_print(bounds->reply, "%s: %s\n", name, text);
	bounds->len++;
}

static void add_number(struct bounds *bounds, const char *name, double number)
{
	if (isnan(number))
		return;
	reply_print(bounds->reply, "%s: %g\n", name, number);
	bounds->len++;
}

static void add_threshold(void *argument, const char *judge, const struct mc_threshold *threshold)
{
	struct bounds *bounds = argument;

	(void)judge;
	if (bounds->found)
		return;
	bounds->found = true;
	add_text(bounds, "Host", threshold->id.host);
	add_text(bounds, "Plugin", threshold->id.plugin);
	add_text(bounds, "Plugin Instance", threshold->id.plugin_instance);
	add_text(bounds, "Type", threshold->id.type);
	add_text(bounds, "Type Instance", threshold->id.type_instance);
	add_text(bounds, "Data Source", threshold->source);
	add_number(bounds, "Warning Min", threshold->warning.min);
	add_number(bounds, "Warning Max", threshold->warning.max);
	add_number(bounds, "Failure Min", threshold->failure.min);
	add_number(bounds, "Failure Max", threshold->failure.max);
	if (threshold->hysteresis > 0)
		add_number(bounds, "Hysteresis", threshold->hysteresis);
	if (threshold->hits > 1)
		add_number(bounds, "Hits", (double)threshold->hits);
}

/* Cuts off the next part of a name, and the one character after it. */
static const char *cut(char **rest, size_t size)
{
	char *part = *rest;

	*rest += size + (part[size] != '\0');
	part[size] = '\0';
	return part;
}

static struct mc_id split(char *rest, const struct mc_name_parts *parts)
{
	struct mc_id id = { .plugin_instance = "", .type_instance = "" };

	id.host = cut(&rest, parts->host_size);
	id.plugin = cut(&rest, parts->plugin_size);
	if (parts->plugin_instance_size > 0)
		id.plugin_instance = cut(&rest, parts->plugin_instance_size);
	id.type = cut(&rest, parts->type_size);
	if (parts->type_instance_size > 0)
		id.type_instance = cut(&rest, parts->type_instance_size);
	return id;
}

void threshold_report(struct mc_ctx *ctx, struct mc_buffer *reply,
		      const struct mc_name_parts *parts)
{
	struct bounds bounds = { .reply = reply };
	size_t start = reply->size, size = strlen(parts->name);
	char name[1024], head[64];
	struct mc_id id;
	int head_size;

	if (size < sizeof(name)) { /* Else there is no such series. */
		memcpy(name, parts->name, size + 1);
		id = split(name, parts);
		mc_each_threshold(ctx, &id, add_threshold, &bounds);
	}
	if (!bounds.found) {
		reply_print(reply, "-1 No threshold found for identifier %s\n", parts->name);
		return;
	}
	head_size = snprintf(head, sizeof(head), "%u Threshold found\n", bounds.len);
	reply_insert(reply, start, head, (size_t)head_size);
}
