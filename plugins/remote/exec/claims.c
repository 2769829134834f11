/* SPDX-License-Identifier: MIT */
#include "claims.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct claim {
	struct mc_map_node node;
	const void *owner;
	char series[];
};

/* As mc_series() has parts with '/'. */
char *claims_series(const char *host, const char *plugin, const char *instance)
{
	const char *parts[] = { host, plugin, instance };
	char *series;

	for (size_t i = 0; i < 3; i++)
		parts[i] += *parts[i] == '/';
	series = mc_alloc_printf("%s/%s-%s", parts[0], parts[1], parts[2]);
	for (size_t i = 0, at = 0; i < 3; i++) {
		size_t size = strlen(parts[i]);

		for (size_t j = 0; j < size; j++)
			if (series[at + j] == '/')
				series[at + j] = '_';
		at += size + 1;
	}
	return series;
}

const void *claims_take(struct claims *claims, const char *series, const void *owner)
{
	size_t size = strlen(series);
	struct claim *claim = (struct claim *)mc_map_find(&claims->map, series, size);

	if (claim != NULL)
		return claim->owner;
	claim = mc_alloc_zero(sizeof(*claim) + size + 1);
	memcpy(claim->series, series, size);
	claim->node.key = claim->series;
	claim->node.key_size = size;
	claim->owner = owner;
	mc_map_add(&claims->map, &claim->node);
	return owner;
}

void claims_release(struct claims *claims, const void *owner)
{
	struct mc_map_node *node = mc_map_next(&claims->map, NULL);

	while (node != NULL) {
		struct claim *claim = (struct claim *)node;

		node = mc_map_next(&claims->map, node);
		if (claim->owner != owner)
			continue;
		mc_map_remove(&claims->map, &claim->node);
		free(claim);
	}
}

void claims_done(struct claims *claims)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&claims->map, NULL)) != NULL) {
		mc_map_remove(&claims->map, node);
		free(node);
	}
	mc_map_done(&claims->map);
}
