/* SPDX-License-Identifier: MIT */
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>

#include "combine.h"
#include "history.h"

#define MEMBERS_MAX 1000   /* Series of one graph. */
#define SERIES_AT_ONCE 128 /* That providers are asked for together: 3 MB for each source. */

/* --- The graph of a name -------------------------------------------------- */

struct search {
	const char *id;
	void (*show)(void *argument, const struct mc_drawing *drawing);
	void *argument;
	bool found;
};

static bool look_at(void *argument, const struct mc_drawing *drawing)
{
	struct search *search = argument;

	if (strcmp(drawing->id, search->id) != 0)
		return true;
	search->found = true;
	if (search->show != NULL)
		search->show(search->argument, drawing);
	return false;
}

char *whole_glob(const char *name, size_t size)
{
	char *glob = mc_alloc(2 * size + sizeof("/*")), *at = glob;

	for (size_t i = 0; i < size; i++) {
		if (strchr("\\*?[", name[i]) != NULL)
			*at++ = '\\';
		*at++ = name[i];
	}
	memcpy(at, "/*", sizeof("/*"));
	return glob;
}

bool whole_find(struct mc_ctx *ctx, const char *name,
		void (*show)(void *argument, const struct mc_drawing *drawing), void *argument)
{
	size_t size = strcspn(name, "/");
	struct search search = { name + size + (name[size] == '/'), show, argument, false };
	char *glob = whole_glob(name, size);

	mc_each_drawing(ctx, &(struct mc_drawing_query){ .glob = glob }, look_at, &search);
	free(glob);
	return search.found;
}

/* --- Its values ---------------------------------------------------------- */

struct members {
	struct mc_ctx *ctx;
	const struct mc_drawing *drawing;
	struct mc_span span;
	mc_time until;
	struct combine combine;
	struct mc_series **series;
	size_t len, room;
	char *why;
};

static bool is_drawn(const struct mc_drawing *drawing, const char *series)
{
	for (size_t i = 0; i < drawing->lines_len; i++)
		if (strcmp(drawing->lines[i].series, series) == 0)
			return true;
	return drawing->combine != MC_COMBINE_NONE;
}

static bool keep_member(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct members *members = argument;

	(void)latest;
	if (!is_drawn(members->drawing, mc_name(series)))
		return true;
	MC_ARRAY_GROW(members->series, members->len, members->room);
	members->series[members->len++] = series;
	return members->len < MEMBERS_MAX && !mc_stopping(members->ctx);
}

/* The glob of a graph is not about them. */
static void keep_limits(struct members *members, struct mc_reading *reading)
{
	const struct mc_drawing *drawing = members->drawing;

	for (size_t i = 0; i < drawing->lines_len && members->len < MEMBERS_MAX; i++) {
		const char *name = drawing->lines[i].series;
		struct mc_series *series = mc_find(reading, name, strlen(name));

		if (drawing->lines[i].draw == MC_DRAW_LIMIT && series != NULL)
			keep_member(members, series, NULL);
	}
}

static const struct mc_history *first_of(struct mc_history *const *histories, size_t len)
{
	size_t i = 0;

	while (i < len && histories[i] == NULL)
		i++;
	return i < len ? histories[i] : NULL;
}

static void free_all(struct mc_history **histories, size_t len)
{
	for (size_t i = 0; i < len; i++)
		mc_history_free(histories[i]);
}

/* The step of the first is that of all; librrd knows whole seconds. */
static void read_names(struct members *members, const char *const *names, size_t len,
		       struct mc_history **histories)
{
	const struct mc_history *first;
	char why[MC_HISTORY_WHY];

	for (;;) {
		const struct mc_history_query query = {
			.names = names, .len = len, .span = members->span, .until = members->until
		};

		if (mc_histories(members->ctx, &query, histories, why) == -EIO)
			memcpy(members->why, why, sizeof(why));
		first = first_of(histories, len);
		if (first == NULL || first->step % MC_SECOND == 0)
			break;
		members->span.step = (first->step / MC_SECOND + 1) * MC_SECOND;
		free_all(histories, len);
	}
	if (first != NULL)
		members->span.step = first->step;
}

static void read_some(struct members *members, struct mc_series *const *series, size_t len)
{
	struct mc_history *histories[SERIES_AT_ONCE];
	const char *names[SERIES_AT_ONCE];

	for (size_t i = 0; i < len; i++)
		names[i] = mc_name(series[i]);
	read_names(members, names, len, histories);
	for (size_t i = 0; i < len; i++)
		if (histories[i] != NULL)
			combine_add(&members->combine, series[i], histories[i]);
	free_all(histories, len);
}

static void read_members(struct members *members)
{
	const struct mc_drawing *drawing = members->drawing;
	struct mc_reading *reading = mc_read_begin(members->ctx);
	unsigned parts = 0;

	if (drawing->combine != MC_COMBINE_NONE)
		parts = (drawing->by & ~MC_PART_UNIT) << 1; /* The host is first. */
	combine_init(&members->combine, parts,
		     drawing->combine == MC_COMBINE_AVERAGE ? COMBINE_AVERAGE : COMBINE_SUM);
	mc_page_series(members->ctx,
		       &(struct mc_series_page){
			       .glob = drawing->glob,
			       .limit = SIZE_MAX,
			       .ended_since = members->span.from + 1,
		       },
		       keep_member, members);
	keep_limits(members, reading);
	for (size_t i = 0; i < members->len && !mc_stopping(members->ctx); i += SERIES_AT_ONCE) {
		size_t left = members->len - i;

		read_some(members, members->series + i,
			  left < SERIES_AT_ONCE ? left : SERIES_AT_ONCE);
	}
	combine_finish(&members->combine);
	mc_read_end(reading);
}

/* --- Its lines ----------------------------------------------------------- */

struct row { /* A line and its points. */
	const struct mc_drawing_line *line;
	const struct combine_point *points;
	double size;
};

struct rows {
	struct row *items;
	size_t len;
};

static const struct combine_group *group_of(const struct combine *combine,
					    const struct mc_drawing *drawing,
					    const struct mc_drawing_line *line)
{
	const char *name = drawing->combine == MC_COMBINE_NONE ? line->series : line->group;
	const struct combine_group *group = combine->first;

	while (group != NULL && strcmp(group->name, name) != 0)
		group = group->next;
	return group;
}

static void make_rows(const struct members *members, struct rows *rows)
{
	const struct mc_drawing *drawing = members->drawing;
	const struct combine_group *first = members->combine.first;

	for (size_t i = 0; i < drawing->lines_len; i++) {
		const struct mc_drawing_line *line = &drawing->lines[i];
		const struct combine_group *group = group_of(&members->combine, drawing, line);
		struct row *row;

		if (group == NULL || line->source >= group->type->sources_len ||
		    group->points_len != first->points_len || group->start != first->start)
			continue;
		row = &rows->items[rows->len++];
		row->line = line;
		row->points = group->points + (size_t)line->source * group->points_len;
		for (unsigned j = 0; j < group->points_len; j++)
			if (isfinite(row->points[j].average))
				row->size += fabs(row->points[j].average);
	}
}

/* The sum of the averages of that instance at a point. */
static double whole_of(const struct rows *rows, const char *instance, unsigned point)
{
	double sum = 0;

	for (size_t i = 0; i < rows->len; i++)
		if (strcmp(rows->items[i].line->instance, instance) == 0 &&
		    isfinite(rows->items[i].points[point].average))
			sum += rows->items[i].points[point].average;
	return sum;
}

static void fill_line(const struct mc_drawing *drawing, const struct rows *rows,
		      const struct row *row, struct mc_history_point *points, unsigned points_len)
{
	for (unsigned i = 0; i < points_len; i++) {
		double factor = row->line->scale * (row->line->below ? -1 : 1);

		if (drawing->share)
			factor = 100 / whole_of(rows, row->line->instance, i);
		points[i].average = row->points[i].average * factor;
		points[i].maximum = row->points[i].maximum * factor;
		points[i].minimum = row->points[i].minimum * factor;
	}
}

/* Whether fewer than can be drawn are larger. */
static bool is_large(const struct rows *rows, const struct row *row)
{
	size_t larger = 0;

	for (size_t i = 0; i < rows->len; i++)
		larger += rows->items[i].line->draw != MC_DRAW_HIDDEN &&
			  (rows->items[i].size > row->size ||
			   (rows->items[i].size == row->size && &rows->items[i] < row));
	return larger < WHOLE_LINES_MAX;
}

/* The limit of the graph, which is the same at each point. */
static void add_limit(struct whole_values *values, struct mc_type *type, struct mc_history *history,
		      double limit)
{
	unsigned at = type->sources_len;
	struct mc_history_point *points = mc_history_points(history, at);

	if (isnan(limit) || at == WHOLE_LINES_MAX)
		return;
	type->sources[at] = (struct mc_source){ "", MC_GAUGE, NAN, NAN };
	values->lines[at] = (struct mc_drawing_line){
		.name = "limit", .instance = "", .draw = MC_DRAW_LIMIT, .scale = 1, .limit = limit
	};
	for (unsigned i = 0; i < history->points_len; i++)
		points[i] = (struct mc_history_point){ .average = limit,
						       .maximum = limit,
						       .minimum = limit };
	type->sources_len++;
}

static void make_history(struct whole_values *values, const struct members *members,
			 const struct rows *rows)
{
	const struct combine_group *first = members->combine.first;
	struct mc_history *history =
		mc_alloc_zero(sizeof(*history) + (size_t)WHOLE_LINES_MAX * first->points_len *
							 sizeof(*history->points));
	struct mc_type *type =
		mc_alloc_zero(sizeof(*type) + WHOLE_LINES_MAX * sizeof(type->sources[0]));

	*type = (struct mc_type){ .name = "", .unit = "", .help = "" };
	history->type = type;
	history->start = first->start;
	history->step = first->step;
	history->points_len = first->points_len;
	history->coarsest = first->coarsest;
	history->provider = "";
	for (size_t i = 0; i < rows->len; i++) {
		unsigned at = type->sources_len;

		if (rows->items[i].line->draw == MC_DRAW_HIDDEN || !is_large(rows, &rows->items[i]))
			continue;
		type->sources[at] = (struct mc_source){ "", MC_GAUGE, NAN, NAN };
		values->lines[at] = *rows->items[i].line;
		fill_line(members->drawing, rows, &rows->items[i], mc_history_points(history, at),
			  first->points_len);
		type->sources_len++;
	}
	add_limit(values, type, history, members->drawing->limit);
	values->type = type;
	values->history = history;
}

void whole_read(struct whole_values *values, struct mc_ctx *ctx, const struct mc_drawing *drawing,
		struct mc_span span)
{
	struct members members = { .ctx = ctx,
				   .drawing = drawing,
				   .span = span,
				   .until = mc_now() + HISTORY_TIME,
				   .why = values->why };
	struct rows rows = { mc_alloc_array(drawing->lines_len + 1, sizeof(struct row)), 0 };

	*values = (struct whole_values){ .history = NULL };
	read_members(&members);
	if (members.combine.first != NULL)
		make_rows(&members, &rows);
	if (rows.len > 0)
		make_history(values, &members, &rows);
	combine_done(&members.combine);
	free(members.series);
	free(rows.items);
}

void whole_done(struct whole_values *values)
{
	free(values->history);
	free(values->type);
}
