/* SPDX-License-Identifier: MIT */
#include "absent.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct service {
	struct mc_lru_node node;
	mc_time until;
	char name[];
};

static void forget(struct mc_lru *all, struct mc_lru_node *node)
{
	mc_lru_remove(all, node);
	free(node);
}

void absent_add(struct mc_lru *all, const char *name, mc_time now)
{
	size_t size = strlen(name);
	struct mc_lru_node *same = mc_lru_find(all, name, size);
	struct service *service = mc_alloc_zero(sizeof(*service) + size + 1);

	if (same != NULL)
		forget(all, same);
	else if (all->map.len >= ABSENT_MAX)
		forget(all, all->oldest);
	memcpy(service->name, name, size + 1);
	service->until = now + ABSENT_FOR;
	mc_lru_add(all, &service->node, service->name, size);
}

bool absent_has(struct mc_lru *all, const char *name, mc_time now)
{
	struct mc_lru_node *node = mc_lru_find(all, name, strlen(name));

	if (node == NULL)
		return false;
	if (now < ((struct service *)node)->until)
		return true;
	forget(all, node);
	return false;
}

void absent_done(struct mc_lru *all)
{
	while (all->oldest != NULL)
		forget(all, all->oldest);
	mc_lru_done(all);
}
