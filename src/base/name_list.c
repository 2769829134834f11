/* SPDX-License-Identifier: MIT */
#include "base/name_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* As strcmp() of the name at 'item' and the other. */
static int compare(const void *item, const char *name, size_t size)
{
	const char *own = *(char *const *)item;
	int order = strncmp(own, name, size);

	return order != 0 ? order : own[size] != '\0';
}

bool name_list_find(const struct name_list *list, const char *name, size_t size, size_t *at)
{
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare(list->items[middle], name, size);

		if (order == 0) {
			*at = middle;
			return true;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*at = low;
	return false;
}

void name_list_insert(struct name_list *list, size_t at, void *entry)
{
	if (list->len == list->room) {
		list->room = 2 * list->room + 16;
		list->items = alloc_resize(list->items, list->room, sizeof(*list->items));
	}
	memmove(&list->items[at + 1], &list->items[at], (list->len - at) * sizeof(*list->items));
	list->items[at] = entry;
	list->len++;
}

void *name_list_remove(struct name_list *list, size_t at)
{
	void *entry = list->items[at];

	list->len--;
	memmove(&list->items[at], &list->items[at + 1], (list->len - at) * sizeof(*list->items));
	return entry;
}

void name_list_done(struct name_list *list)
{
	free(list->items);
	*list = (struct name_list){ 0 };
}
