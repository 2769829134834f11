/* SPDX-License-Identifier: MIT */
#include "members.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>

struct member {
	struct mc_map_node node;
	XXH128_hash_t hash;
};

bool members_add(struct members *members, const char *text, size_t size, size_t *room)
{
	XXH128_hash_t hash = XXH3_128bits(text, size);
	struct member *member;

	if (mc_map_find(&members->map, &hash, sizeof(hash)) != NULL)
		return true;
	if (*room == 0)
		return false;
	--*room;
	member = mc_alloc_zero(sizeof(*member));
	member->hash = hash;
	member->node.key = &member->hash;
	member->node.key_size = sizeof(member->hash);
	mc_map_add(&members->map, &member->node);
	return true;
}

void members_clear(struct members *members, size_t *room)
{
	struct mc_map_node *node = mc_map_next(&members->map, NULL);

	*room += members->map.len;
	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(&members->map, node);

		free(node);
		node = next;
	}
	mc_map_done(&members->map);
}
