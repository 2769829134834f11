/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_pattern.h"

#include <fnmatch.h>
#include <string.h>

static bool fits(const struct graph_pattern *pattern, const char *text)
{
	if (pattern->plain)
		return strcmp(pattern->text, text) == 0;
	return strcmp(pattern->text, "*") == 0 || fnmatch(pattern->text, text, 0) == 0;
}

int graph_pattern_find(const struct graph_patterns *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->len; i++)
		if (fits(&patterns->items[i], text))
			return patterns->items[i].negated ? -1 : (int)i;
	return -1;
}

bool graph_pattern_takes(const struct graph_patterns *patterns, const char *text)
{
	return patterns->len == 0 || graph_pattern_find(patterns, text) >= 0;
}
