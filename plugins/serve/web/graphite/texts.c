/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

bool texts_add(struct texts *texts, const char *text, size_t size, size_t most)
{
	struct texts_one *one = (struct texts_one *)mc_map_find(&texts->map, text, size);

	if (one == NULL) {
		if (texts->map.len == most)
			return false;
		one = mc_alloc_zero(sizeof(*one) + size + 1);
		memcpy(one->text, text, size);
		one->node.key = one->text;
		one->node.key_size = size;
		mc_map_add(&texts->map, &one->node);
	}
	one->count++;
	return true;
}

void texts_done(struct texts *texts)
{
	struct mc_map_node *next;

	for (struct mc_map_node *node = mc_map_next(&texts->map, NULL); node != NULL; node = next) {
		next = mc_map_next(&texts->map, node);
		free(node);
	}
	mc_map_done(&texts->map);
}

static int by_text(const void *a, const void *b)
{
	const struct texts_one *const *left = a, *const *right = b;

	return strcmp((*left)->text, (*right)->text);
}

struct texts_one **texts_sorted(const struct texts *texts)
{
	struct texts_one **all = mc_alloc_array(texts->map.len + 1, sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(&texts->map, NULL); node != NULL;
	     node = mc_map_next(&texts->map, node))
		all[len++] = (struct texts_one *)node;
	qsort(all, len, sizeof(*all), by_text);
	return all;
}
