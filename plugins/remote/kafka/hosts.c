/* SPDX-License-Identifier: MIT */
#include "hosts.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct hosts_item {
	struct mc_lru_node node;
	const struct partition *partition; /* Of its last value. */
	bool left;
	char name[];
};

void hosts_init(struct hosts *hosts, size_t len_max)
{
	*hosts = (struct hosts){ .len_max = len_max };
}

void hosts_done(struct hosts *hosts)
{
	mc_lru_free(&hosts->names);
}

static struct hosts_item *add(struct hosts *hosts, const char *name, size_t size)
{
	struct hosts_item *item = mc_alloc_zero(sizeof(*item) + size + 1);

	mc_lru_make_room(&hosts->names, hosts->len_max);
	memcpy(item->name, name, size);
	mc_lru_add(&hosts->names, &item->node, item->name, size);
	return item;
}

bool hosts_note(struct hosts *hosts, const char *host, const struct partition *partition)
{
	size_t size = strlen(host);
	struct hosts_item *item = (struct hosts_item *)mc_lru_find(&hosts->names, host, size);
	bool left;

	if (item == NULL)
		item = add(hosts, host, size);
	else
		mc_lru_use(&hosts->names, &item->node);
	left = item->left;
	item->left = false;
	item->partition = partition;
	return left;
}

const struct partition *hosts_find(const struct hosts *hosts, const char *host, size_t size)
{
	const struct hosts_item *item =
		(const struct hosts_item *)mc_lru_find(&hosts->names, host, size);

	return item != NULL ? item->partition : NULL;
}

static void change(struct hosts *hosts, const struct partition *partition, bool left,
		   hosts_show *show, void *argument)
{
	for (struct mc_lru_node *n = hosts->names.oldest; n != NULL; n = n->newer) {
		struct hosts_item *item = (struct hosts_item *)n;

		if (item->partition != partition || item->left == left)
			continue;
		item->left = left;
		show(argument, item->name);
	}
}

void hosts_leave(struct hosts *hosts, const struct partition *partition, hosts_show *show,
		 void *argument)
{
	change(hosts, partition, true, show, argument);
}

void hosts_return(struct hosts *hosts, const struct partition *partition, hosts_show *show,
		  void *argument)
{
	change(hosts, partition, false, show, argument);
}
