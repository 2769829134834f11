/* SPDX-License-Identifier: MIT */
/* Graphs as the collector's rules draw them, in the words of Munin. */
#pragma once

#include <collector/control.h>
#include <collector/kit/buffer.h>

#include "graphs.h"

struct drawn; /* The fields of a graph, by the rules. */

/* Never NULL; freed with drawn_free(). */
struct drawn *drawn_new(struct mc_ctx *, struct mc_reading *, const struct graph *);
void drawn_free(struct drawn *);

/* graph_title, graph_category, graph_vlabel, graph_order and graph_args, each unless 'said' returns
 * true for it; false if no rule is about the graph. */
bool drawn_add_graph(const struct drawn *, struct mc_buffer *,
		     bool (*said)(void *argument, const char *word), void *argument);

/* label, draw, negative, graph and cdef of a field; false, and nothing is added, if no rule is
 * about it. */
bool drawn_add_field(const struct drawn *, struct mc_buffer *, size_t field);
