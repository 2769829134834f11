/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API", Data Display Formats, and answers of graphite-web
 * 1.1.10. */
#include "print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- JSON ----------------------------------------------------------------- */

/* Makes of all values at most that many, at multiples of their common step. */
static void thin_out(struct curve *curve, int64_t range, unsigned most)
{
	struct curve_grid *grid = &curve->grid;
	int64_t points = range / grid->step, each, seconds, nudge;
	unsigned lost;

	if (most == 1) {
		curve_consolidate(curve, grid->len);
		return;
	}
	if (points <= most && range <= most * grid->step)
		return;
	each = (range + most * grid->step - 1) / (most * grid->step);
	seconds = each * grid->step;
	nudge = seconds + grid->start % grid->step - grid->start % seconds;
	lost = (unsigned)(nudge / grid->step);
	lost = lost > 0 ? lost - 1 : 0;
	lost = lost < grid->len ? lost : grid->len;
	grid->start += nudge;
	grid->len -= lost;
	memmove(curve->values, curve->values + lost, grid->len * sizeof(*curve->values));
	curve_consolidate(curve, each < UINT32_MAX ? (unsigned)each : UINT32_MAX);
}

static void print_tags(struct mc_json *json, const struct curve *curve)
{
	mc_json_map(json, "tags");
	for (const char *tag = curve->tags; *tag != '\0'; tag += strlen(tag) + 1) {
		size_t size = strcspn(tag, "=");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)(size < 255 ? size : 255), tag);
		mc_json_text(json, name, tag + size + 1);
	}
	if (curve_tag(curve, "name", 4) == NULL)
		mc_json_text(json, "name", curve->name);
	mc_json_map_end(json);
}

static void print_points(struct mc_json *json, const struct curve *curve, bool without_unknown)
{
	const struct curve_grid *grid = &curve->grid;

	mc_json_list(json, "datapoints");
	for (unsigned i = 0; i < grid->len; i++) {
		int64_t time = grid->start + i * grid->step;

		if (time > grid->end)
			break;
		if (without_unknown && isnan(curve->values[i]))
			continue;
		mc_json_list(json, NULL);
		mc_json_number(json, NULL, curve->values[i]);
		mc_json_signed(json, NULL, time);
		mc_json_list_end(json);
	}
	mc_json_list_end(json);
}

void print_json(struct mc_json *json, struct curve *curves, const struct print_options *options)
{
	int64_t start = INT64_MAX, end = INT64_MIN;

	for (const struct curve *c = curves; c != NULL; c = c->next) {
		start = c->grid.start < start ? c->grid.start : start;
		end = c->grid.end > end ? c->grid.end : end;
	}
	mc_json_list(json, NULL);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		if (options->points_max > 0)
			thin_out(c, end - start, options->points_max);
		if (options->without_unknown && aggregate_count(c->values, c->grid.len) == 0)
			continue;
		mc_json_map(json, NULL);
		mc_json_text(json, "target", c->name);
		print_tags(json, c);
		print_points(json, c, options->without_unknown);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
}

/* Rows of the first curve's times. */
void print_dygraph(struct mc_json *json, const struct curve *curves)
{
	mc_json_map(json, NULL);
	if (curves != NULL) {
		mc_json_list(json, "labels");
		mc_json_text(json, NULL, "Time");
		for (const struct curve *c = curves; c != NULL; c = c->next)
			mc_json_text(json, NULL, c->name);
		mc_json_list_end(json);
		mc_json_list(json, "data");
		for (unsigned i = 0; i < curves->grid.len; i++) {
			mc_json_list(json, NULL);
			mc_json_signed(json, NULL,
				       (curves->grid.start + i * curves->grid.step) * 1000);
			for (const struct curve *c = curves; c != NULL; c = c->next)
				mc_json_number(json, NULL, i < c->grid.len ? c->values[i] : NAN);
			mc_json_list_end(json);
		}
		mc_json_list_end(json);
	}
	mc_json_map_end(json);
}

/* --- Text ----------------------------------------------------------------- */

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

/* The shortest text that reads back the same, with a ".0" of whole numbers. */
static void add_number(struct mc_buffer *out, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	add(out, text);
	if (strspn(text, "-0123456789") == strlen(text))
		add(out, ".0");
}

/* In quotes if it needs some. */
static void add_cell(struct mc_buffer *out, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		add(out, text);
		return;
	}
	add(out, "\"");
	for (; *text != '\0'; text++) {
		if (*text == '"')
			add(out, "\"");
		mc_buffer_add(out, text, 1);
	}
	add(out, "\"");
}

void print_csv(struct mc_buffer *out, const struct curve *curves)
{
	for (const struct curve *c = curves; c != NULL; c = c->next)
		for (unsigned i = 0; i < c->grid.len; i++) {
			time_t time = c->grid.start + i * c->grid.step;
			struct tm date;
			char text[64];

			gmtime_r(&time, &date);
			strftime(text, sizeof(text), ",%Y-%m-%d %H:%M:%S,", &date);
			add_cell(out, c->name);
			add(out, text);
			if (!isnan(c->values[i]))
				add_number(out, c->values[i]);
			add(out, "\r\n");
		}
}

void print_raw(struct mc_buffer *out, const struct curve *curves)
{
	for (const struct curve *c = curves; c != NULL; c = c->next) {
		char grid[96];

		snprintf(grid, sizeof(grid), ",%lld,%lld,%lld|", (long long)c->grid.start,
			 (long long)c->grid.end, (long long)c->grid.step);
		add(out, c->name);
		add(out, grid);
		for (unsigned i = 0; i < c->grid.len; i++) {
			if (i > 0)
				add(out, ",");
			if (isnan(c->values[i]))
				add(out, "None");
			else
				add_number(out, c->values[i]);
		}
		add(out, "\n");
	}
}
