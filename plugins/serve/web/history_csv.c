/* SPDX-License-Identifier: MIT */
#include "history_csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct column {
	const struct combine_group *group;
	unsigned source;
	enum combine_kind kind;
};

/* The first column of all, or the one after; false after the last one. */
static bool next_column(const struct combine *combine, struct column *column)
{
	const struct combine_group *first = combine->first, *group = column->group;

	if (group != NULL && group->ranges && column->kind + 1 < COMBINE_KINDS) {
		column->kind++;
		return true;
	}
	column->kind = COMBINE_AVERAGES;
	if (group != NULL && ++column->source < group->type->sources_len)
		return true;
	column->source = 0;
	do
		group = group != NULL ? group->next : first;
	while (group != NULL && (group->start != first->start || group->step != first->step ||
				 group->points_len != first->points_len));
	column->group = group;
	return group != NULL;
}

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

static void add_quoted(struct mc_buffer *out, const char *text)
{
	for (; *text != '\0'; text++)
		mc_buffer_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
}

/* A spreadsheet would compute a name that begins like a formula. */
static void add_name(struct mc_buffer *out, const struct column *column)
{
	const char *name = column->group->name;

	add(out, ",\"");
	if (strchr("=+-@", name[0]) != NULL)
		add(out, "'");
	add_quoted(out, name);
	add(out, " ");
	add_quoted(out, column->group->type->sources[column->source].name);
	if (column->kind != COMBINE_AVERAGES) {
		add(out, " ");
		add(out, combine_kinds[column->kind]);
	}
	add(out, "\"");
}

static void add_time(struct mc_buffer *out, mc_time time)
{
	time_t seconds = (time_t)(time / MC_SECOND);
	struct tm parts;
	char text[40];

	if (gmtime_r(&seconds, &parts) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) > 0)
		add(out, text);
}

static void add_value(struct mc_buffer *out, const struct column *column, unsigned i)
{
	const struct combine_group *group = column->group;
	const struct combine_point *point =
		&group->points[(size_t)column->source * group->points_len + i];
	double value = combine_value(point, column->kind);
	char digits[32] = "";

	if (isfinite(value))
		snprintf(digits, sizeof(digits), "%.7g", value);
	add(out, ",");
	add(out, digits);
}

void history_csv_print(struct mc_buffer *out, const struct combine *combine)
{
	const struct combine_group *first = combine->first;

	add(out, "time");
	for (struct column column = { 0 }; next_column(combine, &column);)
		add_name(out, &column);
	add(out, "\r\n");
	for (unsigned i = 0; first != NULL && i < first->points_len; i++) {
		add_time(out, first->start + (i + 1) * first->step);
		for (struct column column = { 0 }; next_column(combine, &column);)
			add_value(out, &column, i);
		add(out, "\r\n");
	}
}
