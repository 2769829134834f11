/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "history_csv.h"
#include "history_query.h"
#include "web.h"

#define POINTS 360 /* If nobody says how many. */

/* --- Print --------------------------------------------------------------- */

/* Seven digits are more than a screen shows, and half the bytes. */
static void print_value(struct mc_json *json, double value)
{
	char digits[32];

	if (!isfinite(value)) {
		mc_json_null(json, NULL);
		return;
	}
	snprintf(digits, sizeof(digits), "%.7g", value);
	mc_json_digits(json, NULL, digits);
}

static void print_source(struct mc_json *json, const struct combine_group *group, unsigned source)
{
	const struct combine_point *points = group->points + (size_t)source * group->points_len;

	mc_json_map(json, group->type->sources[source].name);
	for (unsigned kind = 0; kind < (group->ranges ? COMBINE_KINDS : 1); kind++) {
		mc_json_list(json, combine_kinds[kind]);
		for (unsigned i = 0; i < group->points_len; i++)
			print_value(json, combine_value(&points[i], kind));
		mc_json_list_end(json);
	}
	mc_json_map_end(json);
}

static void print_group(struct mc_json *json, const struct combine_group *group)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", group->name);
	mc_json_unsigned(json, "members", group->members);
	mc_json_text(json, "provider", group->provider);
	mc_json_text(json, "unit", group->type->unit);
	mc_json_seconds(json, "start", group->start);
	mc_json_seconds(json, "step", group->step);
	mc_json_seconds(json, "coarsest", group->coarsest);
	mc_json_map(json, "sources");
	for (unsigned i = 0; i < group->type->sources_len; i++)
		print_source(json, group, i);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static void print(struct mc_httpd_request *request, const struct history_query *query)
{
	struct mc_json *json = answer_begin();

	mc_json_list(json, "history");
	for (const struct combine_group *group = query->combine.first; group != NULL;
	     group = group->next)
		print_group(json, group);
	mc_json_list_end(json);
	mc_json_unsigned(json, "matched", query->matched);
	mc_json_unsigned(json, "left_out",
			 query->matched - query->list.len + query->combine.left_out);
	mc_json_text(json, "failure", query->why);
	answer_json(request, json);
}

static void print_csv(struct mc_httpd_request *request, const struct history_query *query)
{
	struct mc_buffer csv = { 0 };

	history_csv_print(&csv, &query->combine);
	answer_bytes(request, "text/csv; charset=utf-8", csv.at, csv.size);
	mc_buffer_free(&csv);
}

static bool read_format(struct mc_httpd_request *request, bool *csv)
{
	const char *format = mc_httpd_query(request, "format");

	*csv = format != NULL && strcmp(format, "csv") == 0;
	if (*csv || format == NULL || strcmp(format, "json") == 0)
		return true;
	answer_refuse(request, 400, "'format' is not one of json, csv");
	return false;
}

void history_answer(struct mc_httpd_request *request)
{
	struct history_query query;
	struct mc_reading *reading;
	bool csv;

	if (!read_format(request, &csv))
		return;
	if (history_query_init(&query, request, POINTS)) {
		reading = mc_read_begin(query.ctx);
		history_query_run(&query);
		(csv ? print_csv : print)(request, &query);
		mc_read_end(reading);
	}
	history_query_done(&query);
}
