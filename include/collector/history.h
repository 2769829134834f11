/* SPDX-License-Identifier: MIT */
/* collector/history.h - former values of a series: for plugins that show them, and for writers
 * that store them.
 *
 * A history is a row of points at equal steps, for each source of the type.  Each provider adds
 * its values, in its own steps, and each point is made of those that overlap it:
 *
 *   recent    what the collector remembers of series that are looked at:
 *             the last quarter of an hour, in their own interval
 *   writers   that have fetch() or fetch_many() (<collector/writer.h>): RRD files, rrdcached,
 *             a store on another machine
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

#define MC_HISTORY_POINTS 4096            /* Largest number that can be requested. */
#define MC_HISTORY_LATEST (INT64_MAX / 2) /* In 2116: two add up to a time. */

struct mc_span { /* A span of time, since 1970. */
	mc_time from, to;
	mc_time step;    /* Step of the points; 0: as 'points' needs it. */
	unsigned points; /* As many, or fewer, or one more; 0:
			    MC_HISTORY_POINTS. */
	bool glance;     /* The series is not remembered because of this request. */
};

struct mc_history_point {
	/* Average, maximum and minimum of the rate or gauge; NaN: unknown. */
	double average, maximum, minimum;
	double seconds; /* Known time within the point. */
};

struct mc_history {
	const struct mc_type *type;
	mc_time start, step;              /* Point i is of start + i * step and 'step'. */
	unsigned points_len;              /* Points of each source. */
	mc_time coarsest;                 /* The largest step that was added; 0: nothing. */
	mc_time before;                   /* Rows count until then. */
	const char *provider;             /* Provider of most of it: "recent", "rrdtool"; or "". */
	struct mc_history_point points[]; /* Those of each source in a row. */
};

/* The points of one source of the type. */
static inline struct mc_history_point *mc_history_points(struct mc_history *history,
							 unsigned source)
{
	return history->points + (size_t)source * history->points_len;
}

/* --- For plugins that show history --------------------------------------- */

/* The history of the series of that name, from all providers.  Its step is the interval of the
 * series, or larger, so that there are no more points than asked for.  From now on, and for as
 * long as requests come, the series is remembered in memory, unless the span says 'glance'. Returns
 * 0, or a negative errno: -ENOENT, there is no such series; -EINVAL, the span has no length; -EIO:
 * a writer could not read its values, with the reason in 'why', of MC_HISTORY_WHY bytes. '*history'
 * is then NULL, or has the values of other providers.  May wait for a disk or another program.
 * Thread: any. */
#define MC_HISTORY_WHY 256
int mc_history(struct mc_ctx *ctx, const char *name, struct mc_span span,
	       struct mc_history **history, char *why);

/* For histories of several series. */
struct mc_history_query {
	const char *const *names;
	size_t len;
	struct mc_span span; /* With 'step' 0 all have the step of the first. */
	/* A provider that asks another program waits for no answer beyond this time of mc_now();
	 * 0: as long as its options say. */
	mc_time until;
	/* False: nobody waits for the histories any more.  NULL: somebody does.  Thread: any. */
	bool (*is_wanted)(void *argument);
	void *argument;
};

/* The histories of these series, as by mc_history(), but a provider that can is asked for all of
 * them at once.  'histories' has 'len' elements; NULL for a series that does not exist, and for all
 * if the span has no length.  Returns 0, or -EIO: a writer could not read values that no other
 * provider has, with the reason in 'why'. */
int mc_histories(struct mc_ctx *ctx, const struct mc_history_query *query,
		 struct mc_history **histories, char *why);
void mc_history_free(struct mc_history *history); /* NULL is fine. */

/* Has the series of this host and of that plugin remembered from now on, also without requests.
 * start(). */
void mc_history_keep(struct mc_ctx *ctx, const char *plugin);

/* --- For writers that store history -------------------------------------- */

/* Adds the average, the maximum and the minimum of a source from 'start' on, for 'step'; NaN:
 * unknown, of an extreme: the average is.  fetch() and fetch_many(). */
struct mc_history_row {
	mc_time start, step;
	double average, maximum, minimum;
};
void mc_history_add(struct mc_history *history, unsigned source, const struct mc_history_row *row);

/* What fetch_many() is asked for. */
struct mc_fetch_item {
	const char *name; /* Of the series. */
	struct mc_history *history;
};
struct mc_fetch {
	const struct mc_fetch_item *items;
	size_t len;
	mc_time until; /* As in struct mc_history_query; 0: no limit. */
	bool (*is_wanted)(void *argument);
	void *argument;
};

/* Whether somebody still waits for it.  Thread: any. */
static inline bool mc_fetch_is_wanted(const struct mc_fetch *fetch)
{
	return fetch->is_wanted == NULL || fetch->is_wanted(fetch->argument);
}

/* --- Pictures of histories: for plugins that show them, and for the one that draws -------- */

#define MC_GRAPH_WIDTH_MAX 2000 /* Pixels of the part with the lines. */
#define MC_GRAPH_HEIGHT_MAX 1000

struct mc_drawing_line;
struct mc_graph {
	const struct mc_history *history; /* Whole seconds from point to point. */
	/* Name and style of each source (<collector/graphs.h>), of which those that are drawn
	 * downwards have negative values; NULL: a line each. */
	const struct mc_drawing_line *lines;
	const char *title;
	const char *unit;       /* NULL: that of the type. */
	unsigned width, height; /* Size of the part with the lines; at least 10. */
	const double *now;      /* The last value of each source; NULL: the
				 * last ones of the history. */
};

struct mc_picture { /* PNG; the caller frees 'bytes'. */
	void *bytes;
	size_t size;
};

/* Has the first instance that has draw() (<collector/writer.h>) draw it.  Returns 0; -ENOTSUP:
 * none draws; -EIO: it cannot.  'why', of MC_HISTORY_WHY bytes, says so.  Thread: any. */
int mc_graph(struct mc_ctx *ctx, const struct mc_graph *graph, struct mc_picture *picture,
	     char *why);

/* Whether there is an instance that draws.  Thread: any. */
bool mc_graph_draws(struct mc_ctx *ctx);

#pragma GCC visibility pop
