/* SPDX-License-Identifier: MIT */
#include <collector/kit/map.h>

#include <stdlib.h>

void mc_lru_done(struct mc_lru *lru)
{
	mc_map_done(&lru->map);
	*lru = (struct mc_lru){ 0 };
}

void mc_lru_free(struct mc_lru *lru)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *node = lru->oldest; node != NULL; node = next) {
		next = node->newer;
		free(node);
	}
	mc_lru_done(lru);
}

struct mc_lru_node *mc_lru_find(const struct mc_lru *lru, const void *key, size_t key_size)
{
	return (struct mc_lru_node *)mc_map_find(&lru->map, key, key_size);
}

static void link_newest(struct mc_lru *lru, struct mc_lru_node *node)
{
	node->newer = NULL;
	node->older = lru->newest;
	if (lru->newest != NULL)
		lru->newest->newer = node;
	else
		lru->oldest = node;
	lru->newest = node;
}

static void unlink_used(struct mc_lru *lru, struct mc_lru_node *node)
{
	if (node->older != NULL)
		node->older->newer = node->newer;
	else
		lru->oldest = node->newer;
	if (node->newer != NULL)
		node->newer->older = node->older;
	else
		lru->newest = node->older;
}

void mc_lru_add(struct mc_lru *lru, struct mc_lru_node *node, const void *key, size_t key_size)
{
	node->node.key = key;
	node->node.key_size = key_size;
	mc_map_add(&lru->map, &node->node);
	link_newest(lru, node);
}

void mc_lru_remove(struct mc_lru *lru, struct mc_lru_node *node)
{
	mc_map_remove(&lru->map, &node->node);
	unlink_used(lru, node);
}

void mc_lru_make_room(struct mc_lru *lru, size_t len_max)
{
	while (lru->oldest != NULL && lru->map.len >= len_max) {
		struct mc_lru_node *oldest = lru->oldest;

		mc_lru_remove(lru, oldest);
		free(oldest);
	}
}

void mc_lru_use(struct mc_lru *lru, struct mc_lru_node *node)
{
	unlink_used(lru, node);
	link_newest(lru, node);
}
