/* SPDX-License-Identifier: MIT */
/* collector/history.h - what the values of a series were: for plugins that show
 * it, and for writers that have kept it.
 *
 * A history is a row of points at equal steps, for each source of the type.
 * Whoever has kept values adds what it has, in whatever steps it has them, and
 * each point is made of what overlaps it:
 *
 *   recent    what the collector remembers of series that somebody looks at:
 *             the last quarter of an hour, in their own interval
 *   writers   that have fetch() (<collector/writer.h>): RRD files, rrdcached
 */
#ifndef COLLECTOR_HISTORY_H
#define COLLECTOR_HISTORY_H

#include <collector/plugin.h>

#pragma GCC visibility push(default)

#define MC_HISTORY_POINTS 4096            /* Most that can be asked for. */
#define MC_HISTORY_LATEST (INT64_MAX / 2) /* In 2116: two add up to a time. */

struct mc_span { /* Of time, since 1970. */
	mc_time from, to;
	mc_time step;    /* Of the points; 0: as 'points' needs it. */
	unsigned points; /* As many, or fewer, or one more; 0:
			    MC_HISTORY_POINTS. */
};

struct mc_history_point {
	double average, maximum; /* Of the rate or gauge; NaN: unknown. */
	double seconds;          /* Of the point that are known. */
};

struct mc_history {
	const struct mc_type *type;
	mc_time start, step;              /* Point i is of start + i * step and 'step'. */
	unsigned points_len;              /* Of each source. */
	mc_time coarsest;                 /* The largest step that was added; 0: nothing. */
	mc_time before;                   /* What is added counts until then. */
	const char *provider;             /* Of most of it: "recent", "rrdtool"; or "". */
	struct mc_history_point points[]; /* Those of each source in a row. */
};

/* The points of one source of the type. */
static inline struct mc_history_point *mc_history_points(struct mc_history *history,
							 unsigned source)
{
	return history->points + (size_t)source * history->points_len;
}

/* --- For who shows it ---------------------------------------------------- */

/* The history of the series of that name, from whoever has kept it.  Its step
 * is the interval of the series, or larger, so that there are no more points
 * than asked for.  From now on, and for as long as somebody asks, the series is
 * remembered in memory.  Returns 0, or what mc_fail() would: -ENOENT, there is
 * no such series; -EINVAL, the span has no length; -EIO: a writer could not
 * read what it has, and 'why', of MC_HISTORY_WHY bytes, says so.  '*history' is
 * then NULL, or what others had.  May wait for a disk.  Any thread. */
#define MC_HISTORY_WHY 256
int mc_history(struct mc_ctx *ctx, const char *name, struct mc_span span,
	       struct mc_history **history, char *why);
void mc_history_free(struct mc_history *history); /* NULL is fine. */

/* Has the series of this host and of that plugin remembered from now on, also
 * while nobody asks.  start(). */
void mc_history_keep(struct mc_ctx *ctx, const char *plugin);

/* --- For who has kept it ------------------------------------------------- */

/* Adds what was known of a source from 'start' on, for 'step': its average and
 * its maximum; NaN: nothing was.  fetch(). */
struct mc_history_row {
	mc_time start, step;
	double average, maximum;
};
void mc_history_add(struct mc_history *history, unsigned source, const struct mc_history_row *row);

#pragma GCC visibility pop

#endif /* COLLECTOR_HISTORY_H */
