/* SPDX-License-Identifier: MIT */
/* collector/graphs.h - which series belong together in one graph, and how it is drawn: for plugins
 * that show values.
 *
 * It is known by rules, which are data: the file "graphs" beside each plugin, and <Graph> blocks
 * of the configuration; collector.conf(5) describes them.
 */
#pragma once

#include <collector/metadata.h>
#include <collector/plugin.h>

#pragma GCC visibility push(default)

enum mc_draw {
	MC_DRAW_LINE,
	MC_DRAW_AREA,
	MC_DRAW_STACK,  /* An area on top of the line before. */
	MC_DRAW_REST,   /* On top of the stack and pale: the rest of a whole. */
	MC_DRAW_LIMIT,  /* A value that the others may reach. */
	MC_DRAW_HIDDEN, /* Not drawn, but counted in shares. */
};

enum mc_combine { /* Of the series of a line. */
		  MC_COMBINE_NONE,
		  MC_COMBINE_SUM,
		  MC_COMBINE_AVERAGE,
};

enum mc_part { /* Bits: parts of the name of a series, and the unit of its values. */
	       MC_PART_PLUGIN = 1,
	       MC_PART_PLUGIN_INSTANCE = 2,
	       MC_PART_TYPE = 4,
	       MC_PART_TYPE_INSTANCE = 8,
	       MC_PART_UNIT = 16,
};

struct mc_drawing_line {
	const char *name;     /* "eth0 in" */
	const char *instance; /* "eth0": lines of the same instance are a whole. */
	const char *series;   /* The series, or the first of those that it combines. */
	const char *group;    /* The parts 'by' of its series, with '/' between them. */
	unsigned source;      /* Index in the type of the series. */
	unsigned series_len;
	enum mc_draw draw;
	bool below;                        /* Drawn downwards, below zero. */
	bool heads;                        /* Its value now is that of the graph. */
	struct mc_bounds warning, failure; /* As of its metadata, in the unit of the graph. */
	double scale;                      /* Factor of its values. */
	double limit; /* Of MC_DRAW_LIMIT: its value, in that unit; NaN: unknown. */
};

struct mc_drawing {
	const char *id;   /* "df", "perfdata/http/ms": its name on its host. */
	const char *rule; /* "perfdata" */
	const char *host, *family, *title;
	const char *unit; /* Unit of all values, when they have been multiplied by their scales. */
	const char *info; /* A sentence about what is measured. */
	double top;       /* The largest value there can be; NaN: unknown. */
	double limit;     /* A value that all may reach; NaN: none. */
	double order;     /* Graphs with a smaller one come first. */
	bool share;       /* Each line is drawn as its share of all of its instance, in percent. */
	bool own;         /* Drawn as the metadata of its series says, in the way of Munin. */
	unsigned most;    /* Lines that are shown: the largest. */
	const char *glob; /* Matches its series but limits, and perhaps others. */
	enum mc_combine combine; /* Otherwise each line has one series. */
	unsigned by;             /* enum mc_part: series of a line have these in common. */
	const struct mc_drawing_line *lines;
	size_t lines_len;
};

struct mc_drawing_query {
	const char *glob;    /* Of the names of series; NULL: all. */
	mc_time ended_since; /* Also series that have ended since then; 0: none. */
};

/* Shows the graphs of all series that match, those of a host together, in the order in which they
 * are to be shown, until 'show' returns false.  All that it is shown lives for that call, a series
 * as long as a reading that was begun before (control.h).  Returns how many graphs there are.
 * Thread: any. */
size_t mc_each_drawing(struct mc_ctx *ctx, const struct mc_drawing_query *query,
		       bool (*show)(void *argument, const struct mc_drawing *drawing),
		       void *argument);

/* --- In graphs of other programs ----------------------------------------- */

#define MC_SOURCE_TEXT_SIZE 512

/* How a source is drawn where each type of a plugin instance has a graph of its own. */
struct mc_source_drawing {
	double scale; /* Factor of the values. */
	double top;
	enum mc_draw draw;
	bool below;
	unsigned rank;                   /* In the order of lines. */
	char label[MC_SOURCE_TEXT_SIZE]; /* "in", "vda read" */
};

/* The texts of that graph. */
struct mc_source_title {
	char title[MC_SOURCE_TEXT_SIZE], family[MC_SOURCE_TEXT_SIZE];
	char unit[MC_SOURCE_TEXT_SIZE]; /* Of values that have been scaled. */
};

/* Both fill their last argument; false if only a rule for any plugin draws the source.
 * 'series' is held or read by the caller.  Thread: any. */
bool mc_draw_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		    struct mc_source_drawing *drawing);
bool mc_title_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		     struct mc_source_title *title);

#pragma GCC visibility pop
