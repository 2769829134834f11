/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct graph_index_plugin {
	const char *name;
	struct graph_index_rules rules;
};

/* Where the plugin is, or belongs. */
static size_t place_of(const struct graph_index *index, const char *name)
{
	size_t low = 0, high = index->plugins_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(index->plugins[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct graph_index_plugin *find(const struct graph_index *index, const char *name)
{
	size_t at = place_of(index, name);

	if (at == index->plugins_len || strcmp(index->plugins[at].name, name) != 0)
		return NULL;
	return &index->plugins[at];
}

static void append(struct graph_index_rules *rules, size_t number)
{
	rules->numbers = alloc_resize(rules->numbers, rules->len + 1, sizeof(*rules->numbers));
	rules->numbers[rules->len++] = (unsigned)number;
}

/* Of the rules that are there, only those with a glob can draw it. */
static void add_plugin(struct graph_index *index, const char *name)
{
	struct graph_index_plugin plugin = { .name = name };
	size_t at = place_of(index, name);

	for (size_t i = 0; i < index->others.len; i++)
		if (graph_pattern_takes(&index->patterns[index->others.numbers[i]], name))
			append(&plugin.rules, index->others.numbers[i]);
	index->plugins =
		alloc_resize(index->plugins, index->plugins_len + 1, sizeof(*index->plugins));
	memmove(index->plugins + at + 1, index->plugins + at,
		(index->plugins_len - at) * sizeof(*index->plugins));
	index->plugins[at] = plugin;
	index->plugins_len++;
}

void graph_index_add(struct graph_index *index, const struct graph_patterns *plugins)
{
	size_t number = index->rules_len++;
	bool globs = plugins->len == 0;

	for (size_t i = 0; i < plugins->len; i++) {
		const struct graph_pattern *pattern = &plugins->items[i];

		globs |= !pattern->plain;
		if (pattern->plain && find(index, pattern->text) == NULL)
			add_plugin(index, pattern->text);
	}
	index->patterns = alloc_resize(index->patterns, index->rules_len, sizeof(*index->patterns));
	index->patterns[number] = *plugins;
	for (size_t i = 0; i < index->plugins_len; i++)
		if (graph_pattern_takes(plugins, index->plugins[i].name))
			append(&index->plugins[i].rules, number);
	if (globs)
		append(&index->others, number);
}

const struct graph_index_rules *graph_index_find(const struct graph_index *index,
						 const char *plugin)
{
	const struct graph_index_plugin *found = find(index, plugin);

	return found != NULL ? &found->rules : &index->others;
}

void graph_index_done(struct graph_index *index)
{
	for (size_t i = 0; i < index->plugins_len; i++)
		free(index->plugins[i].rules.numbers);
	free(index->plugins);
	free(index->others.numbers);
	free(index->patterns);
	*index = (struct graph_index){ .plugins = NULL };
}
