/* SPDX-License-Identifier: MIT */
/* Chains, as many as there are names, or up to twice as many.  The hash has a
 * seed that nobody knows: names are made by others, who could make them all
 * fall into one chain. */
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>

#define BUCKETS_FIRST 64

void names_init(struct names *names)
{
	*names = (struct names){ 0 };
	/* It does not fail for so few bytes, once the system has started. */
	if (getrandom(&names->seed, sizeof(names->seed), 0) < 0)
		names->seed = (uintptr_t)names;
}

void names_done(struct names *names)
{
	free(names->buckets);
	*names = (struct names){ 0 };
}

static struct names_node **bucket_of(const struct names *names, uint64_t hash)
{
	return &names->buckets[hash & (names->buckets_len - 1)];
}

struct names_node *names_find(const struct names *names, const char *name,
			      size_t size)
{
	struct names_node *node;
	uint64_t hash;

	if (names->buckets_len == 0)
		return NULL;
	hash = XXH3_64bits_withSeed(name, size, names->seed);
	node = *bucket_of(names, hash);
	while (node != NULL && (node->hash != hash || node->name_size != size ||
				memcmp(node->name, name, size) != 0))
		node = node->next;
	return node;
}

static void link_bucket(struct names *names, struct names_node *node)
{
	struct names_node **bucket = bucket_of(names, node->hash);

	node->next = *bucket;
	*bucket = node;
}

static bool grow(struct names *names)
{
	size_t len = names->buckets_len == 0 ? BUCKETS_FIRST
					     : 2 * names->buckets_len;
	struct names_node **buckets =
		mc_alloc_array(len, sizeof(struct names_node *));

	free(names->buckets);
	names->buckets = buckets;
	names->buckets_len = len;
	for (struct names_node *n = names->oldest; n != NULL; n = n->newer)
		link_bucket(names, n);
	return true;
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

bool names_add(struct names *names, struct names_node *node)
{
	/* Longer chains will do where there is no memory for more. */
	if (names->len >= names->buckets_len && !grow(names) &&
	    names->buckets_len == 0)
		return false;
	node->hash =
		XXH3_64bits_withSeed(node->name, node->name_size, names->seed);
	link_bucket(names, node);
	link_newest(names, node);
	names->len++;
	return true;
}

void names_remove(struct names *names, struct names_node *node)
{
	struct names_node **at = bucket_of(names, node->hash);

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	unlink_used(names, node);
	names->len--;
}

void names_use(struct names *names, struct names_node *node)
{
	unlink_used(names, node);
	link_newest(names, node);
}
