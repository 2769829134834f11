/* SPDX-License-Identifier: MIT */
/* The answers of a node: lists, and what "config" and "fetch" say of a plugin,
 * from the last values. */
#pragma once

#include <collector/kit/buffer.h>

#include "graphs.h"

/* Of "spoolfetch": a graph with all values that there were, as rates. */
struct text_span {
	mc_time from, to; /* Values after 'from', up to 'to'. */
	mc_time step;     /* Both are multiples of it. */
};

struct text_client { /* The capabilities of a client. */
	bool multigraph, dirtyconfig;
};

/* The values of the series whose first field is 'first', and before them, if that is 0, the
 * attributes of the graph.  Returns the first field of the next series; 'fields_len' at the end. */
size_t text_spool(struct mc_buffer *, struct mc_ctx *, const struct graph *, size_t first,
		  const struct text_span *);

/* "A B C\n" */
void text_list(struct mc_buffer *, const struct graphs *, const struct text_client *);

/* All hosts, a line each, and ".". */
void text_nodes(struct mc_buffer *, struct mc_ctx *);

/* Both end with ".". */
void text_config(struct mc_buffer *, struct mc_ctx *, const struct graphs_plugin *,
		 const struct text_client *);
void text_fetch(struct mc_buffer *, struct mc_ctx *, const struct graphs_plugin *);
