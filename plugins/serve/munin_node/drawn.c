/* SPDX-License-Identifier: MIT */
/* Facts: Munin's plugin reference.  An AREASTACK begins a stack and goes on with it; of a mirrored
 * pair the upper one names the lower one, which is not drawn by itself. */
#include "drawn.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/graphs.h>
#include <collector/kit/alloc.h>

#include "kit/base/decimal.h"

#include "line.h"

struct rule {
	bool known;
	struct mc_source_drawing drawing;
};

struct drawn {
	const struct graph *graph;
	const struct mc_source_drawing *first; /* Of the fields that a rule is about, or NULL. */
	struct mc_source_title title;          /* Of the graph, if there is a first. */
	struct rule rules[];                   /* Of its fields. */
};

struct drawn *drawn_new(struct mc_ctx *ctx, struct mc_reading *reading, const struct graph *graph)
{
	struct drawn *drawn =
		mc_alloc(sizeof(*drawn) + graph->fields_len * sizeof(drawn->rules[0]));

	drawn->graph = graph;
	drawn->first = NULL;
	for (size_t i = 0; i < graph->fields_len; i++) {
		const struct graphs_field *field = &graph->fields[i];
		const struct mc_series *series =
			mc_find(reading, field->series, strlen(field->series));
		struct rule *rule = &drawn->rules[i];

		rule->known = series != NULL &&
			      mc_draw_source(ctx, series, field->source, &rule->drawing);
		if (rule->known && drawn->first == NULL &&
		    mc_title_source(ctx, series, field->source, &drawn->title))
			drawn->first = &rule->drawing;
	}
	return drawn;
}

void drawn_free(struct drawn *drawn)
{
	free(drawn);
}

/* --- The graph ----------------------------------------------------------- */

static void add_order(const struct drawn *drawn, struct mc_buffer *out)
{
	size_t len = drawn->graph->fields_len, added = 0;

	line_add_text(out, "graph_order");
	for (unsigned rank = 0; added < len; rank++)
		for (size_t i = 0; i < len; i++) {
			const struct rule *rule = &drawn->rules[i];
			unsigned own = rule->known ? rule->drawing.rank : MC_SOURCES_MAX;

			if (own != rank && (own < MC_SOURCES_MAX || rank != MC_SOURCES_MAX))
				continue;
			line_add_text(out, " ");
			line_add_text(out, drawn->graph->fields[i].name);
			added++;
		}
	line_add_text(out, "\n");
}

/* Whether the lines are in another order than the fields. */
static bool has_own_order(const struct drawn *drawn)
{
	for (size_t i = 1; i < drawn->graph->fields_len; i++)
		if (drawn->rules[i].known && drawn->rules[i - 1].known &&
		    drawn->rules[i].drawing.rank < drawn->rules[i - 1].drawing.rank)
			return true;
	return false;
}

static void add_args(const struct mc_source_drawing *drawing, struct mc_buffer *out)
{
	char top[MC_DECIMAL_SIZE];

	if (!isfinite(drawing->top))
		return;
	top[mc_decimal_short(top, drawing->top)] = '\0';
	line_add_text(out, "graph_args --lower-limit 0 --upper-limit ");
	line_add_text(out, top);
	line_add_text(out, "\n");
}

/* Categories of Munin are words of small letters. */
static void add_category(const char *family, struct mc_buffer *out)
{
	char word[MC_SOURCE_TEXT_SIZE];
	size_t size = 0;

	for (; family[size] != '\0'; size++) {
		unsigned char one = (unsigned char)family[size];

		word[size] = (char)(one == ' ' ? '_' : tolower(one));
	}
	word[size] = '\0';
	line_add(out, NULL, "graph_category", word);
}

bool drawn_add_graph(const struct drawn *drawn, struct mc_buffer *out,
		     bool (*said)(void *argument, const char *word), void *argument)
{
	const struct mc_source_title *title = &drawn->title;

	if (drawn->first == NULL)
		return false;
	if (!said(argument, "graph_title"))
		line_add(out, NULL, "graph_title", title->title);
	if (!said(argument, "graph_category"))
		add_category(title->family, out);
	if (title->unit[0] != '\0' && !said(argument, "graph_vlabel"))
		line_add(out, NULL, "graph_vlabel", title->unit);
	if (has_own_order(drawn) && !said(argument, "graph_order"))
		add_order(drawn, out);
	if (!said(argument, "graph_args"))
		add_args(drawn->first, out);
	return true;
}

/* --- Fields -------------------------------------------------------------- */

/* The other half of a pair, or NULL. */
static const char *find_lower(const struct drawn *drawn, size_t field)
{
	const struct graphs_field *fields = drawn->graph->fields;

	for (size_t i = 0; i < drawn->graph->fields_len; i++)
		if (i != field && drawn->rules[i].known && drawn->rules[i].drawing.below &&
		    strcmp(fields[i].series, fields[field].series) == 0)
			return fields[i].name;
	return NULL;
}

static void add_draw(struct mc_buffer *out, const char *field, enum mc_draw draw)
{
	switch (draw) {
	case MC_DRAW_STACK:
	case MC_DRAW_REST:
		line_add(out, field, "draw", "AREASTACK");
		break;
	case MC_DRAW_AREA:
		line_add(out, field, "draw", "AREA");
		break;
	case MC_DRAW_HIDDEN:
		line_add(out, field, "graph", "no");
		break;
	case MC_DRAW_LINE:
	case MC_DRAW_LIMIT:
		break;
	}
}

static void add_cdef(struct mc_buffer *out, const char *field, double scale)
{
	char number[MC_DECIMAL_SIZE], text[MC_DECIMAL_SIZE + 512];

	if (scale == 1)
		return;
	number[mc_decimal_short(number, scale)] = '\0';
	snprintf(text, sizeof(text), "%.480s,%s,*", field, number);
	line_add(out, field, "cdef", text);
}

bool drawn_add_field(const struct drawn *drawn, struct mc_buffer *out, size_t field)
{
	const struct rule *rule = &drawn->rules[field];
	const char *name = drawn->graph->fields[field].name;
	const char *lower;

	if (!rule->known)
		return false;
	line_add(out, name, "label", rule->drawing.label);
	if (rule->drawing.below) {
		line_add(out, name, "graph", "no");
	} else {
		lower = find_lower(drawn, field);
		if (lower != NULL)
			line_add(out, name, "negative", lower);
		else
			add_draw(out, name, rule->drawing.draw);
	}
	add_cdef(out, name, rule->drawing.scale);
	return true;
}
