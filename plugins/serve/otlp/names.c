/* SPDX-License-Identifier: MIT */
#include "names.h"

void names_done(struct names *names)
{
	mc_map_done(&names->map);
	*names = (struct names){ 0 };
}

struct names_node *names_find(const struct names *names, const void *name,
			      size_t size)
{
	return (struct names_node *)mc_map_find(&names->map, name, size);
}

static void link_newest(struct names *names, struct names_node *node)
{
	node->newer = NULL;
	node->older = names->newest;
	if (names->newest != NULL)
		names->newest->newer = node;
	else
		names->oldest = node;
	names->newest = node;
}

static void unlink_used(struct names *names, struct names_node *node)
{
	if (node->older != NULL)
		node->older->newer = node->newer;
	else
		names->oldest = node->newer;
	if (node->newer != NULL)
		node->newer->older = node->older;
	else
		names->newest = node->older;
}

void names_add(struct names *names, struct names_node *node, const void *name,
	       size_t size)
{
	node->node.key = name;
	node->node.key_size = size;
	mc_map_add(&names->map, &node->node);
	link_newest(names, node);
}

void names_remove(struct names *names, struct names_node *node)
{
	mc_map_remove(&names->map, &node->node);
	unlink_used(names, node);
}

void names_use(struct names *names, struct names_node *node)
{
	unlink_used(names, node);
	link_newest(names, node);
}
