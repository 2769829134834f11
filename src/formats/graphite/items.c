/* SPDX-License-Identifier: MIT */
#include "formats/graphite/items.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

enum { LIMIT_MIN = 1024, KEPT_MAX = 65535 };

void items_begin(struct items *items, size_t limit)
{
	items->len = 0;
	items->limit = limit > LIMIT_MIN ? limit : LIMIT_MIN;
}

bool items_add(struct items *items, struct item item)
{
	if (items->len == items->limit)
		return false;
	if (items->len == items->room) {
		items->room = items->room > 0 ? 2 * items->room : LIMIT_MIN;
		if (items->room > items->limit)
			items->room = items->limit;
		items->at = mc_alloc_resize(items->at, items->room, sizeof(*items->at));
	}
	items->at[items->len++] = item;
	return true;
}

void items_end(struct items *items)
{
	items->len = 0;
	if (items->room <= KEPT_MAX)
		return;
	free(items->at);
	items->at = NULL;
	items->room = 0;
}
