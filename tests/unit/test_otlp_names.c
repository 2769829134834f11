/* SPDX-License-Identifier: MIT */
/* Names: found, in the order of use, and forgotten. */
#include "names.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

#define LEN 1000

struct item {
	struct names_node node;
	char name[32];
};

static void make(struct item items[LEN], struct names *names)
{
	*names = (struct names){ 0 };
	for (int i = 0; i < LEN; i++) {
		snprintf(items[i].name, sizeof(items[i].name), "sender-%d", i);
		names_add(names, &items[i].node, items[i].name,
			  strlen(items[i].name));
	}
	assert_int_equal(names->map.len, LEN);
}

static void test_found(void **state)
{
	static struct item items[LEN];
	struct names names;

	(void)state;
	make(items, &names);
	for (int i = 0; i < LEN; i++)
		assert_ptr_equal(names_find(&names, items[i].name,
					    strlen(items[i].name)),
				 &items[i].node);
	assert_null(names_find(&names, "sender-", 7));
	assert_null(names_find(&names, "sender-1000", 11));
	assert_ptr_equal(names_find(&names, "sender-1000", 10), &items[100]);
	names_done(&names);
	assert_null(names_find(&names, "sender-1", 8));
}

static void test_order(void **state)
{
	static struct item items[LEN];
	struct names names;
	size_t len = 0;

	(void)state;
	make(items, &names);
	names_use(&names, &items[0].node);
	names_use(&names, &items[5].node);
	names_use(&names, &items[5].node);
	assert_ptr_equal(names.oldest, &items[1]);
	assert_ptr_equal(names.newest, &items[5]);
	assert_ptr_equal(names.newest->older, &items[0]);
	for (struct names_node *n = names.oldest; n != NULL; n = n->newer)
		len++;
	assert_int_equal(len, LEN);
	names_done(&names);
}

static void test_removed(void **state)
{
	static struct item items[LEN];
	struct names names;

	(void)state;
	make(items, &names);
	for (int i = 0; i < LEN; i += 2)
		names_remove(&names, &items[i].node);
	assert_int_equal(names.map.len, LEN / 2);
	for (int i = 0; i < LEN; i++)
		assert_ptr_equal(names_find(&names, items[i].name,
					    strlen(items[i].name)),
				 i % 2 == 0 ? NULL : &items[i].node);
	for (int i = 1; i < LEN; i += 2)
		names_remove(&names, &items[i].node);
	assert_null(names.oldest);
	assert_null(names.newest);
	names_add(&names, &items[3].node, items[3].name, strlen(items[3].name));
	assert_ptr_equal(names.oldest, &items[3]);
	names_done(&names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
