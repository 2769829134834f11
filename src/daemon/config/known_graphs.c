/* SPDX-License-Identifier: MIT */
#include "daemon/config/known_graphs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "daemon/config/configure.h"
#include "daemon/config/difference.h"
#include "engine/graphs/graph_rules.h"

/* Made of the files "graphs": the name and the text of each. */
static const struct own {
	const char *file, *text;
} own[] = {
#include "daemon/config/own_graphs.inc"
};

static void add_own(struct graph_rules *rules)
{
	struct problems problems;

	problem_init(&problems);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		graph_rules_add_text(rules, own[i].text, strlen(own[i].text), own[i].file,
				     &problems);
	assert(problems.len == 0);
	problem_done(&problems);
}

/* The <Graph> blocks of the configuration, in one form. */
static char *text_of(const struct conf_node *root)
{
	const struct conf_node **blocks = alloc_array(root->children_len + 1, sizeof(*blocks));
	struct wanted wanted = { .name = "", .plugin = "", .blocks = blocks };
	char *text;

	for (size_t i = 0; i < root->children_len; i++)
		if (strcasecmp(root->children[i]->name, "Graph") == 0)
			blocks[wanted.blocks_len++] = root->children[i];
	text = difference_text(&wanted, 0);
	free(blocks);
	return text;
}

struct known_graphs_set known_graphs_load(const struct conf_node *root, struct problems *problems)
{
	struct known_graphs_set set = { graph_rules_new(), text_of(root) };

	graph_rules_add(set.rules, root, problems);
	add_own(set.rules);
	return set;
}

void known_graphs_free(struct known_graphs_set set)
{
	graph_rules_free(set.rules);
	free(set.text);
}

const struct graph_rules *known_graphs_now(const struct known_graphs *known)
{
	return known->len > 0 ? known->sets[known->len - 1].rules : NULL;
}

void known_graphs_take(struct known_graphs *known, struct known_graphs_set set)
{
	if (known->len > 0 && strcmp(known->sets[known->len - 1].text, set.text) == 0) {
		known_graphs_free(set);
		return;
	}
	known->sets = alloc_resize(known->sets, known->len + 1, sizeof(*known->sets));
	known->sets[known->len++] = set;
}

void known_graphs_done(struct known_graphs *known)
{
	for (size_t i = 0; i < known->len; i++)
		known_graphs_free(known->sets[i]);
	free(known->sets);
	*known = (struct known_graphs){ 0 };
}
