/* SPDX-License-Identifier: MIT */
/* Keys: found, in the order of use, and forgotten. */
#include <collector/kit/map.h>

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN 1000

struct item {
	struct mc_lru_node node;
	char name[32];
};

static void make(struct item items[LEN], struct mc_lru *lru)
{
	*lru = (struct mc_lru){ 0 };
	for (int i = 0; i < LEN; i++) {
		snprintf(items[i].name, sizeof(items[i].name), "sender-%d", i);
		mc_lru_add(lru, &items[i].node, items[i].name, strlen(items[i].name));
	}
	assert_int_equal(lru->map.len, LEN);
}

static void test_found(void **state)
{
	static struct item items[LEN];
	struct mc_lru lru;

	(void)state;
	make(items, &lru);
	for (int i = 0; i < LEN; i++)
		assert_ptr_equal(mc_lru_find(&lru, items[i].name, strlen(items[i].name)),
				 &items[i].node);
	assert_null(mc_lru_find(&lru, "sender-", 7));
	assert_null(mc_lru_find(&lru, "sender-1000", 11));
	assert_ptr_equal(mc_lru_find(&lru, "sender-1000", 10), &items[100]);
	mc_lru_done(&lru);
	assert_null(mc_lru_find(&lru, "sender-1", 8));
}

static void test_order(void **state)
{
	static struct item items[LEN];
	struct mc_lru lru;
	size_t len = 0;

	(void)state;
	make(items, &lru);
	mc_lru_use(&lru, &items[0].node);
	mc_lru_use(&lru, &items[5].node);
	mc_lru_use(&lru, &items[5].node);
	assert_ptr_equal(lru.oldest, &items[1]);
	assert_ptr_equal(lru.newest, &items[5]);
	assert_ptr_equal(lru.newest->older, &items[0]);
	for (struct mc_lru_node *n = lru.oldest; n != NULL; n = n->newer)
		len++;
	assert_int_equal(len, LEN);
	mc_lru_done(&lru);
}

static void test_removed(void **state)
{
	static struct item items[LEN];
	struct mc_lru lru;

	(void)state;
	make(items, &lru);
	for (int i = 0; i < LEN; i += 2)
		mc_lru_remove(&lru, &items[i].node);
	assert_int_equal(lru.map.len, LEN / 2);
	for (int i = 0; i < LEN; i++)
		assert_ptr_equal(mc_lru_find(&lru, items[i].name, strlen(items[i].name)),
				 i % 2 == 0 ? NULL : &items[i].node);
	for (int i = 1; i < LEN; i += 2)
		mc_lru_remove(&lru, &items[i].node);
	assert_null(lru.oldest);
	assert_null(lru.newest);
	mc_lru_add(&lru, &items[3].node, items[3].name, strlen(items[3].name));
	assert_ptr_equal(lru.oldest, &items[3]);
	mc_lru_done(&lru);
}

/* A sanitizer finds what is freed twice, or not at all. */
static void test_freed(void **state)
{
	struct mc_lru lru = { 0 };

	(void)state;
	mc_lru_make_room(&lru, 0); /* There is nothing to free. */
	for (int i = 0; i < LEN; i++) {
		struct item *item = malloc(sizeof(*item));

		assert_non_null(item);
		snprintf(item->name, sizeof(item->name), "sender-%d", i);
		mc_lru_make_room(&lru, 3);
		mc_lru_add(&lru, &item->node, item->name, strlen(item->name));
	}
	assert_int_equal(lru.map.len, 3);
	assert_null(mc_lru_find(&lru, "sender-996", 10));
	assert_ptr_equal(mc_lru_find(&lru, "sender-997", 10), lru.oldest);
	assert_ptr_equal(mc_lru_find(&lru, "sender-999", 10), lru.newest);
	mc_lru_free(&lru);
	assert_null(lru.oldest);
	assert_int_equal(lru.map.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
