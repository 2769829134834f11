/* SPDX-License-Identifier: MIT */
/* collector/graph.h - histories as pictures: for plugins that show them, and
 * for the one that draws. */
#pragma once

#include <collector/history.h>

#pragma GCC visibility push(default)

#define MC_GRAPH_WIDTH_MAX 2000 /* Pixels of the part with the lines. */
#define MC_GRAPH_HEIGHT_MAX 1000

struct mc_graph {
	const struct mc_history *history; /* Whole seconds from point to point. */
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
