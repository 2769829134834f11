/* SPDX-License-Identifier: MIT */
#include "graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/graphs.h>
#include <collector/writer.h>

#include "answer.h"
#include "api.h"
#include "web.h"

#define GRAPHS_MAX 10000               /* Of one answer. */
#define ANSWER_SIZE ((size_t)16 << 20) /* Bytes after which an answer ends. */

struct listing {
	struct mc_json *json;
	struct mc_reading *reading;
	int64_t limit;
};

static void add_known(struct mc_json *json, const char *key, double number)
{
	if (isfinite(number))
		mc_json_number(json, key, number);
}

/* Keys that most lines would have are left out where they say what is usual. */
static void add_line(struct mc_json *json, struct mc_reading *reading,
		     const struct mc_drawing *drawing, const struct mc_drawing_line *line)
{
	static const char *const draws[] = {
		[MC_DRAW_LINE] = "line", [MC_DRAW_AREA] = "area",   [MC_DRAW_STACK] = "stack",
		[MC_DRAW_REST] = "rest", [MC_DRAW_LIMIT] = "limit", [MC_DRAW_HIDDEN] = "hidden",
	};
	struct mc_series *series = mc_find(reading, line->series, strlen(line->series));
	struct mc_latest latest;

	if (series == NULL)
		return;
	mc_latest(reading, series, &latest);
	mc_json_map(json, NULL);
	mc_json_text(json, "name", line->name);
	if (drawing->share)
		mc_json_text(json, "instance", line->instance);
	mc_json_text(json, "series", line->series);
	if (drawing->combine != MC_COMBINE_NONE)
		mc_json_text(json, "group", line->group);
	mc_json_text(json, "source", mc_type(series)->sources[line->source].name);
	mc_json_text(json, "draw", draws[line->draw]);
	if (line->scale != drawing->lines[0].scale)
		mc_json_number(json, "scale", line->scale);
	add_known(json, "limit", line->limit);
	if (line->below)
		mc_json_bool(json, "below", true);
	if (latest.missing)
		mc_json_seconds(json, "ended", latest.time);
	if (line->heads)
		mc_json_bool(json, "now", true);
	add_known(json, "warning_min", line->warning.min);
	add_known(json, "warning_max", line->warning.max);
	add_known(json, "failure_min", line->failure.min);
	add_known(json, "failure_max", line->failure.max);
	mc_json_map_end(json);
}

/* As /api/1/history takes it. */
static void add_group(struct mc_json *json, const struct mc_drawing *drawing)
{
	static const struct {
		enum mc_part part;
		const char *name;
	} parts[] = {
		{ MC_PART_PLUGIN, "plugin" },
		{ MC_PART_PLUGIN_INSTANCE, "plugin_instance" },
		{ MC_PART_TYPE, "type" },
		{ MC_PART_TYPE_INSTANCE, "type_instance" },
	};
	char text[64] = "";
	size_t size = 0;

	if (drawing->combine == MC_COMBINE_NONE)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if ((drawing->by & parts[i].part) == 0)
			continue;
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
					 size > 0 ? "," : "", parts[i].name);
	}
	mc_json_text(json, "group", text);
	mc_json_text(json, "function", drawing->combine == MC_COMBINE_SUM ? "sum" : "average");
}

static bool add_graph(void *argument, const struct mc_drawing *drawing)
{
	struct listing *listing = argument;
	struct mc_json *json = listing->json;
	size_t size;

	mc_json_bytes(json, &size);
	if (size > ANSWER_SIZE || listing->limit-- <= 0)
		return false;
	mc_json_map(json, NULL);
	mc_json_text(json, "id", drawing->id);
	mc_json_text(json, "rule", drawing->rule);
	mc_json_text(json, "host", drawing->host);
	mc_json_text(json, "family", drawing->family);
	mc_json_text(json, "title", drawing->title);
	mc_json_text(json, "unit", drawing->unit);
	mc_json_text(json, "info", drawing->info);
	mc_json_number(json, "scale", drawing->lines[0].scale);
	add_known(json, "top", drawing->top);
	add_known(json, "limit", drawing->limit);
	mc_json_number(json, "order", drawing->order);
	mc_json_bool(json, "share", drawing->share);
	mc_json_bool(json, "own", drawing->own);
	mc_json_unsigned(json, "most", drawing->most);
	mc_json_text(json, "match", drawing->glob);
	add_group(json, drawing);
	mc_json_list(json, "lines");
	for (size_t i = 0; i < drawing->lines_len; i++)
		add_line(json, listing->reading, drawing, &drawing->lines[i]);
	mc_json_list_end(json);
	mc_json_map_end(json);
	return true;
}

void graphs_answer(struct mc_httpd_request *request)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct listing listing = { .limit = GRAPHS_MAX };
	int64_t since;
	size_t matched;

	if (!api_number(request, "limit", (struct api_bounds){ 0, GRAPHS_MAX, GRAPHS_MAX },
			&listing.limit) ||
	    !api_number(request, "since", (struct api_bounds){ 0, INT64_MAX / MC_SECOND, 0 },
			&since))
		return;
	listing.json = answer_begin();
	listing.reading = mc_read_begin(ctx);
	mc_json_list(listing.json, "graphs");
	matched = mc_each_drawing(ctx,
				  &(struct mc_drawing_query){
					  .glob = mc_httpd_query(request, "match"),
					  .ended_since = since * MC_SECOND,
				  },
				  add_graph, &listing);
	mc_json_list_end(listing.json);
	mc_json_unsigned(listing.json, "matched", matched);
	mc_read_end(listing.reading);
	answer_json(request, listing.json);
}
