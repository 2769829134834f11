/* SPDX-License-Identifier: MIT */
#include <collector/kit/map.h>

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>

#define CHAINS_FIRST 8 /* Many maps have few nodes. */

static struct mc_map_node **chain_of(const struct mc_map *map, uint64_t hash)
{
	return &map->chains[hash & (map->chains_len - 1)];
}

struct mc_map_node *mc_map_find(const struct mc_map *map, const void *key, size_t key_size)
{
	struct mc_map_node *node;
	uint64_t hash;

	if (map->len == 0)
		return NULL;
	hash = XXH3_64bits_withSeed(key, key_size, map->seed);
	node = *chain_of(map, hash);
	while (node != NULL && (node->hash != hash || node->key_size != key_size ||
				memcmp(node->key, key, key_size) != 0))
		node = node->next;
	return node;
}

static void link_in(struct mc_map *map, struct mc_map_node *node)
{
	struct mc_map_node **chain = chain_of(map, node->hash);

	node->next = *chain;
	*chain = node;
}

static void grow(struct mc_map *map)
{
	struct mc_map before = *map;

	/* It does not fail for so few bytes, once the system has started. */
	if (before.chains_len == 0 && getrandom(&map->seed, sizeof(map->seed), 0) < 0)
		map->seed = (uintptr_t)map;
	map->chains_len = before.chains_len == 0 ? CHAINS_FIRST : 2 * before.chains_len;
	map->chains = mc_alloc_array(map->chains_len, sizeof(*map->chains));
	for (size_t i = 0; i < before.chains_len; i++) {
		struct mc_map_node *node = before.chains[i], *next;

		for (; node != NULL; node = next) {
			next = node->next;
			link_in(map, node);
		}
	}
	free(before.chains);
}

void mc_map_add(struct mc_map *map, struct mc_map_node *node)
{
	if (map->len == map->chains_len)
		grow(map);
	node->hash = XXH3_64bits_withSeed(node->key, node->key_size, map->seed);
	link_in(map, node);
	map->len++;
}

void mc_map_remove(struct mc_map *map, struct mc_map_node *node)
{
	struct mc_map_node **at = chain_of(map, node->hash);

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	map->len--;
}

struct mc_map_node *mc_map_next(const struct mc_map *map, const struct mc_map_node *node)
{
	size_t chain = 0;

	if (node != NULL) {
		if (node->next != NULL)
			return node->next;
		chain = (node->hash & (map->chains_len - 1)) + 1;
	}
	for (; chain < map->chains_len; chain++)
		if (map->chains[chain] != NULL)
			return map->chains[chain];
	return NULL;
}

void mc_map_done(struct mc_map *map)
{
	free(map->chains);
	*map = (struct mc_map){ 0 };
}
