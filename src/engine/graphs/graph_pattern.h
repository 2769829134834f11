/* SPDX-License-Identifier: MIT */
/* Patterns of rules for graphs: globs, of which the first that fits decides.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct graph_pattern {
	const char *text; /* Without the '!'. */
	bool negated;
	bool plain; /* No glob. */
};

struct graph_patterns {
	const struct graph_pattern *items;
	size_t len;
};

/* The number of the first pattern that fits; -1 without one, or if it is negated. */
int graph_pattern_find(const struct graph_patterns *, const char *text);

/* Whether the text fits; without patterns any does. */
bool graph_pattern_takes(const struct graph_patterns *, const char *text);
