/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Functions API", and answers of graphite-web 1.1.10. */
#include "functions_json.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/buffer.h>

#include "answer.h"
#include "functions.h"

/* --- Parameters ------------------------------------------------------------ */

static void print_default(struct mc_json *json, const struct functions_parameter *parameter)
{
	const char *value = parameter->otherwise;

	if (*value == '\0')
		return;
	switch (parameter->type) {
	case FUNCTIONS_BOOLEAN:
		mc_json_bool(json, "default", strcmp(value, "true") == 0);
		break;
	case FUNCTIONS_INTEGER_OR_INFINITY:
		mc_json_digits(json, "default", strcmp(value, "inf") == 0 ? "1e9999" : value);
		break;
	case FUNCTIONS_INTEGER:
	case FUNCTIONS_FLOAT:
	case FUNCTIONS_NODE:
		mc_json_digits(json, "default", value);
		break;
	default:
		mc_json_text(json, "default", value);
		break;
	}
}

static void print_choices(struct mc_json *json, const struct functions_parameter *parameter)
{
	const char *name;

	if (parameter->type != FUNCTIONS_AGGREGATE &&
	    parameter->type != FUNCTIONS_AGGREGATE_OR_FUNCTION)
		return;
	mc_json_list(json, "options");
	for (unsigned i = 0; (name = aggregate_name(i)) != NULL; i++)
		mc_json_text(json, NULL, name);
	mc_json_list_end(json);
}

static void print_parameter(struct mc_json *json, const struct functions_parameter *parameter)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", parameter->name);
	mc_json_text(json, "type", parameter->type_name);
	if (parameter->required)
		mc_json_bool(json, "required", true);
	if (parameter->multiple)
		mc_json_bool(json, "multiple", true);
	print_default(json, parameter);
	print_choices(json, parameter);
	mc_json_map_end(json);
}

/* --- Functions ------------------------------------------------------------- */

/* "movingSum(seriesList, windowSize, xFilesFactor)". */
static void print_call(struct mc_buffer *out, const char *name,
		       const struct functions_parameter *parameters, unsigned len)
{
	mc_buffer_add(out, name, strlen(name));
	mc_buffer_add(out, "(", 1);
	for (unsigned i = 0; i < len; i++) {
		if (i > 0)
			mc_buffer_add(out, ", ", 2);
		if (parameters[i].multiple)
			mc_buffer_add(out, "*", 1);
		mc_buffer_add(out, parameters[i].name, strlen(parameters[i].name));
		if (parameters[i].otherwise[0] != '\0') {
			mc_buffer_add(out, "=", 1);
			mc_buffer_add(out, parameters[i].otherwise,
				      strlen(parameters[i].otherwise));
		}
	}
	mc_buffer_add(out, ")", 1);
}

static void print_function(struct mc_json *json, const struct functions_group *group,
			   const struct functions_row *row, bool keyed)
{
	struct functions_parameter parameters[FUNCTIONS_PARAMETERS];
	unsigned len = functions_parameters(row->signature, parameters);
	struct mc_buffer call = { 0 };
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)functions_name_size(row->signature),
		 row->signature);
	print_call(&call, name, parameters, len);
	mc_json_map(json, keyed ? name : NULL);
	mc_json_text(json, "name", name);
	mc_json_text(json, "function", call.at);
	mc_json_text(json, "description", row->help);
	mc_json_text(json, "module", "collector.web");
	mc_json_text(json, "group", group->name);
	mc_json_list(json, "params");
	for (unsigned i = 0; i < len; i++)
		print_parameter(json, &parameters[i]);
	mc_json_list_end(json);
	mc_json_map_end(json);
	mc_buffer_free(&call);
}

static void print_group(struct mc_json *json, const struct functions_group *group, bool grouped)
{
	if (grouped)
		mc_json_map(json, group->name);
	for (const struct functions_row *row = group->rows; row->signature != NULL; row++)
		print_function(json, group, row, true);
	if (grouped)
		mc_json_map_end(json);
}

static void answer(struct mc_httpd_request *request, const struct mc_json *json)
{
	size_t size;
	const char *bytes = mc_json_bytes(json, &size);

	answer_bytes(request, "application/json", bytes, size);
}

void functions_json_answer(struct mc_httpd_request *request)
{
	const char *wanted = mc_httpd_query(request, "group");
	const char *grouped = mc_httpd_query(request, "grouped");
	bool by_group =
		grouped != NULL && (strcmp(grouped, "1") == 0 || strcmp(grouped, "true") == 0);
	struct mc_json *json = mc_json_new(false);

	mc_json_map(json, NULL);
	for (const struct functions_group *group = functions_next(NULL); group != NULL;
	     group = functions_next(group))
		if (wanted == NULL || strcmp(wanted, group->name) == 0)
			print_group(json, group, by_group);
	mc_json_map_end(json);
	answer(request, json);
	mc_json_free(json);
}

void functions_json_one(struct mc_httpd_request *request)
{
	const char *name = mc_httpd_path(request) + strlen(FUNCTIONS_JSON_PATH);
	const struct functions_row *wanted = functions_find(name);
	struct mc_json *json;

	if (*name == '\0') {
		functions_json_answer(request);
		return;
	}
	if (wanted == NULL) {
		answer_refuse(request, 404, "there is no function of that name");
		return;
	}
	json = mc_json_new(false);
	for (const struct functions_group *group = functions_next(NULL); group != NULL;
	     group = functions_next(group))
		for (const struct functions_row *row = group->rows; row->signature != NULL; row++)
			if (row == wanted)
				print_function(json, group, row, false);
	answer(request, json);
	mc_json_free(json);
}

void functions_json_version(struct mc_httpd_request *request)
{
	static const char version[] = "\"1.1.10\"";

	answer_bytes(request, "application/json", version, strlen(version));
}
