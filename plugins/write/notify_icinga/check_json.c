/* SPDX-License-Identifier: MIT */
#include "check_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "formats/check_result.h"

#define SERVICE_SIZE 1024

static const char *field(const struct mc_notification *notification, const char *name)
{
	for (unsigned i = 0; i < notification->fields_len; i++)
		if (strcmp(notification->fields[i].name, name) == 0)
			return notification->fields[i].value;
	return NULL;
}

/* 'value'=53: the value that the notification is about, if it says so. */
static void add_value(struct mc_json *json, const struct mc_notification *notification)
{
	const char *source = field(notification, "DataSource");
	const char *value = field(notification, "CurrentValue");
	double number;
	char *text;

	if (source == NULL || value == NULL || strpbrk(source, "'=") != NULL ||
	    !mc_number_double(value, &number))
		return;
	text = mc_alloc_printf("'%s'=%s", source, value);
	mc_json_list(json, "performance_data");
	mc_json_text(json, NULL, text);
	mc_json_list_end(json);
	free(text);
}

/* "HOST!SERVICE": '!' separates, and the rest of a host with one would be part of the service. */
char *check_json_service(const struct mc_notification *notification, const char *source)
{
	const char *host = notification->id.host != NULL ? notification->id.host : source;
	size_t size = strlen(host);
	char service[SERVICE_SIZE], *name;

	mc_check_result_service(&notification->id, service, sizeof(service));
	name = mc_alloc_printf("%s!%s", host, service);
	for (size_t i = 0; i < size; i++)
		if (name[i] == '!' || name[i] == ';')
			name[i] = '_';
	return name;
}

struct mc_json *check_json_new(const struct mc_notification *notification, const char *source)
{
	struct mc_json *json = mc_json_new(false);
	char *name = check_json_service(notification, source);

	mc_json_map(json, NULL);
	mc_json_text(json, "type", "Service");
	mc_json_text(json, "service", name);
	mc_json_signed(json, "exit_status", mc_check_result_state(notification->severity));
	mc_json_text(json, "plugin_output",
		     notification->message != NULL ? notification->message : "");
	add_value(json, notification);
	mc_json_text(json, "check_source", source);
	mc_json_number(json, "execution_end", (double)notification->time / MC_SECOND);
	mc_json_map_end(json);
	free(name);
	return json;
}
