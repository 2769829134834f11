/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/map.h>

#define LEN 10000

struct item {
	struct mc_map_node node;
	char name[32];
	unsigned visits;
};

static void fill(struct mc_map *map, struct item items[LEN])
{
	for (unsigned i = 0; i < LEN; i++) {
		snprintf(items[i].name, sizeof(items[i].name), "item-%u", i);
		items[i].visits = 0;
		items[i].node.key = items[i].name;
		items[i].node.key_size = strlen(items[i].name);
		mc_map_add(map, &items[i].node);
	}
	assert_int_equal(map->len, LEN);
}

static void an_empty_one_has_nothing(void **state)
{
	struct mc_map map = { 0 };

	(void)state;
	assert_null(mc_map_find(&map, "", 0));
	assert_null(mc_map_next(&map, NULL));
	mc_map_done(&map);
}

static void each_is_found_by_its_whole_key(void **state)
{
	static struct item items[LEN];
	struct mc_map map = { 0 };

	(void)state;
	fill(&map, items);
	for (unsigned i = 0; i < LEN; i++)
		assert_ptr_equal(mc_map_find(&map, items[i].name, items[i].node.key_size),
				 &items[i].node);
	assert_null(mc_map_find(&map, "item-10000", 10));
	assert_ptr_equal(mc_map_find(&map, "item-10000", 9), &items[1000]);
	assert_null(mc_map_find(&map, "item-1000", 10));
	mc_map_done(&map);
	assert_null(mc_map_find(&map, "item-1", 6));
}

static void who_goes_through_may_remove(void **state)
{
	static struct item items[LEN];
	struct mc_map map = { 0 };
	struct mc_map_node *node, *next;

	(void)state;
	fill(&map, items);
	for (node = mc_map_next(&map, NULL); node != NULL; node = next) {
		struct item *item = (struct item *)node;

		next = mc_map_next(&map, node);
		item->visits++;
		if ((item - items) % 2 == 0)
			mc_map_remove(&map, node);
	}
	assert_int_equal(map.len, LEN / 2);
	for (unsigned i = 0; i < LEN; i++) {
		assert_int_equal(items[i].visits, 1);
		assert_ptr_equal(mc_map_find(&map, items[i].name, items[i].node.key_size),
				 i % 2 == 0 ? NULL : &items[i].node);
	}
	mc_map_add(&map, &items[0].node);
	assert_ptr_equal(mc_map_find(&map, "item-0", 6), &items[0]);
	mc_map_done(&map);
}

static size_t longest_chain(const struct mc_map *map)
{
	size_t longest = 0;

	for (size_t i = 0; i < map->chains_len; i++) {
		size_t len = 0;

		for (struct mc_map_node *at = map->chains[i]; at; at = at->next)
			len++;
		longest = len > longest ? len : longest;
	}
	return longest;
}

/* Keys that somebody numbered, and that nobody can choose for a chain: in
 * another map they lie otherwise. */
static void chains_are_short_and_nobody_knows_them(void **state)
{
	static struct item items[LEN], others[LEN];
	struct mc_map map = { 0 }, other = { 0 };

	(void)state;
	fill(&map, items);
	fill(&other, others);
	assert_in_range(longest_chain(&map), 1, 12);
	assert_in_range(map.chains_len, LEN, 2 * LEN);
	assert_int_not_equal(map.seed, other.seed);
	assert_int_not_equal(items[1].node.hash, others[1].node.hash);
	mc_map_done(&map);
	mc_map_done(&other);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_has_nothing),
		cmocka_unit_test(each_is_found_by_its_whole_key),
		cmocka_unit_test(who_goes_through_may_remove),
		cmocka_unit_test(chains_are_short_and_nobody_knows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
