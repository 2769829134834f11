/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: rrdgraph(1), rrdgraph_graph(1).  The colours are those of Okabe and Ito, which nearly all
 * people can distinguish. */
#include "command.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <collector/graphs.h>

#include "file.h"

#define TIME_SIZE 32

static void add(struct command *command, const char *fmt, ...) MC_PRINTF(2, 3);

static void add(struct command *command, const char *fmt, ...)
{
	va_list args;

	if (command->len == COMMAND_WORDS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(command->words[command->len], COMMAND_WORD_SIZE, fmt, args);
	va_end(args);
	command->arguments[command->len] = command->words[command->len];
	command->len++;
}

/* The last value, which the points of a long range do not have. */
static void add_now(struct command *command, const struct mc_graph *graph, unsigned source)
{
	char defined = 'a';

	if (graph->now != NULL && isfinite(graph->now[source])) {
		add(command, "CDEF:n%u=%.10g,a%u,POP", source, graph->now[source], source);
		defined = 'n';
	}
	add(command, "GPRINT:%c%u:LAST:now %%6.2lf%%s", defined, source);
}

static void print_time(char out[TIME_SIZE], mc_time time)
{
	time_t seconds = (time_t)(time / MC_SECOND);
	struct tm parts;

	if (localtime_r(&seconds, &parts) == NULL ||
	    strftime(out, TIME_SIZE, "%Y-%m-%d %H\\:%M", &parts) == 0)
		out[0] = '\0';
}

/* From when to when, in the time of the axis. */
static void add_range(struct command *command, mc_time start, mc_time end)
{
	char from[TIME_SIZE], to[TIME_SIZE];

	print_time(from, start);
	print_time(to, end);
	add(command, "COMMENT:%s to %s\\r", from, to);
}

static const char *colour_of(unsigned source)
{
	static const char *const colours[FILE_SOURCES_MAX] = {
		"0072B2", "D55E00", "009E73", "CC79A7", "E69F00", "56B4E9", "8C6D31", "666666",
	};

	return colours[source];
}

/* A colon ends a field of these arguments. */
static void add_source(struct command *command, const struct mc_graph *graph, unsigned source)
{
	const struct mc_history *history = graph->history;
	const char *name = history->type->sources[source].name, *colour = colour_of(source);

	if (history->type->sources_len == 1)
		add(command, "AREA:a%u#%s40", source, colour);
	if (history->coarsest < history->step)
		add(command, "LINE1:m%u#%s60", source, colour);
	add(command, "LINE1:a%u#%s:%s", source, colour, name);
	add_now(command, graph, source);
	add(command, "GPRINT:l%u:MIN:minimum %%6.2lf%%s", source);
	add(command, "GPRINT:a%u:AVERAGE:average %%6.2lf%%s", source);
	add(command, "GPRINT:m%u:MAX:maximum %%6.2lf%%s\\l", source);
}

/* --- Lines of a rule ----------------------------------------------------- */

static void escape(const char *text, char out[static COMMAND_WORD_SIZE / 2])
{
	size_t size = 0;

	for (; *text != '\0' && size < COMMAND_WORD_SIZE / 2 - 3; text++) {
		if (*text == ':' || *text == '\\')
			out[size++] = '\\';
		out[size++] = *text;
	}
	out[size] = '\0';
}

static void add_shape(struct command *command, const struct mc_drawing_line *line, unsigned source,
		      bool first)
{
	const char *colour = line->draw == MC_DRAW_REST ? "C3CAD3" : colour_of(source);
	char name[COMMAND_WORD_SIZE / 2];

	escape(line->name, name);
	switch (line->draw) {
	case MC_DRAW_STACK:
	case MC_DRAW_REST:
		add(command, "AREA:a%u#%s:%s%s", source, colour, name, first ? "" : ":STACK");
		break;
	case MC_DRAW_LIMIT:
		add(command, "LINE1:a%u#%s:%s:skipscale:dashes", source, colour, name);
		break;
	case MC_DRAW_AREA:
		add(command, "AREA:a%u#%s40", source, colour);
		add(command, "LINE1:a%u#%s:%s", source, colour, name);
		break;
	case MC_DRAW_LINE:
	case MC_DRAW_HIDDEN:
		add(command, "LINE1:a%u#%s:%s", source, colour, name);
		break;
	}
}

/* Values of a line that is drawn downwards are negative, and printed as they were. */
static void add_line(struct command *command, const struct mc_drawing_line *line, unsigned source,
		     bool first)
{
	const char *sign = line->below ? "-1" : "1";

	add_shape(command, line, source, first);
	add(command, "CDEF:n%u=a%u,%s,*", source, source, sign);
	add(command, "CDEF:x%u=m%u,%s,*", source, source, sign);
	add(command, "CDEF:y%u=l%u,%s,*", source, source, sign);
	add(command, "GPRINT:n%u:LAST:now %%6.2lf%%s", source);
	add(command, "GPRINT:y%u:MIN:minimum %%6.2lf%%s", source);
	add(command, "GPRINT:n%u:AVERAGE:average %%6.2lf%%s", source);
	add(command, "GPRINT:x%u:MAX:maximum %%6.2lf%%s\\l", source);
}

struct limits {
	double items[2];
	size_t len;
};

/* False: there are too many. */
static bool add_limit(struct limits *limits, double limit)
{
	for (size_t i = 0; i < limits->len; i++)
		if (limits->items[i] == limit)
			return true;
	if (!isfinite(limit))
		return true;
	if (limits->len == sizeof(limits->items) / sizeof(limits->items[0]))
		return false;
	limits->items[limits->len++] = limit;
	return true;
}

/* Draws limits of lines that do not lie upon others, if there are at most two of a kind. */
static void add_limits(struct command *command, const struct mc_graph *graph, bool failure)
{
	struct limits limits = { .len = 0 };

	for (unsigned i = 0; i < graph->history->type->sources_len; i++) {
		const struct mc_drawing_line *line = &graph->lines[i];
		struct mc_bounds bounds = failure ? line->failure : line->warning;
		double sign = line->below ? -1 : 1;

		if (line->draw != MC_DRAW_LINE && line->draw != MC_DRAW_AREA)
			continue;
		if (!add_limit(&limits, sign * bounds.min) ||
		    !add_limit(&limits, sign * bounds.max))
			return;
	}
	for (size_t i = 0; i < limits.len; i++)
		add(command, "HRULE:%.17g#%s::dashes", limits.items[i],
		    failure ? "B3261E" : "B26A00");
}

void command_make(struct command *command, const struct mc_graph *graph, const char *path)
{
	const struct mc_history *history = graph->history;
	mc_time end = history->start + history->points_len * history->step;
	const char *unit = graph->unit != NULL ? graph->unit : history->type->unit;
	unsigned len = history->type->sources_len;

	command->len = 0;
	add(command, "graph");
	add(command, "-");
	add(command, "--start=%lld", (long long)(history->start / MC_SECOND));
	add(command, "--end=%lld", (long long)(end / MC_SECOND));
	add(command, "--width=%u", graph->width);
	add(command, "--height=%u", graph->height);
	add(command, "--title=%s", graph->title);
	add(command, "--disable-rrdtool-tag");
	if (graph->lines != NULL) /* A stack begins at zero. */
		add(command, "--lower-limit=0");
	if (unit != NULL && unit[0] != '\0')
		add(command, "--vertical-label=%s", unit);
	for (unsigned i = 0; i < len && i < FILE_SOURCES_MAX; i++) {
		add(command, "DEF:a%u=%s:a%u:AVERAGE", i, path, i);
		bool below = graph->lines != NULL && graph->lines[i].below;

		/* Where a pixel is of several points, the largest of them, and the smallest. */
		add(command, "DEF:m%u=%s:m%u:AVERAGE:reduce=%s", i, path, i, below ? "MIN" : "MAX");
		add(command, "DEF:l%u=%s:l%u:AVERAGE:reduce=%s", i, path, i, below ? "MAX" : "MIN");
		if (graph->lines == NULL)
			add_source(command, graph, i);
		else
			add_line(command, &graph->lines[i], i, i == 0);
	}
	if (graph->lines != NULL) {
		add_limits(command, graph, false);
		add_limits(command, graph, true);
	}
	add_range(command, history->start, end);
}
