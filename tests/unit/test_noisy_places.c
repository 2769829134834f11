/* SPDX-License-Identifier: MIT */
/* On which storage a disk is, by the label of its guest. */
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void labels(void **state)
{
	static const char label[] = "vda vdb @sda;vdc nfs4:server:/export;a_b @x";
	char storage[MC_STORAGE_SIZE] = "?";

	(void)state;
	assert_true(places_find(label, "vda", storage));
	assert_string_equal(storage, "@sda");
	assert_true(places_find(label, "vdb", storage));
	assert_string_equal(storage, "@sda");
	assert_true(places_find(label, "vdc", storage));
	assert_string_equal(storage, "nfs4:server:/export");
	assert_true(places_find(label, "a b", storage));
	assert_string_equal(storage, "@x");
	snprintf(storage, sizeof(storage), "?");
	assert_false(places_find(label, "vd", storage));
	assert_false(places_find(label, "vdaa", storage));
	assert_false(places_find(label, "@sda", storage));
	assert_false(places_find(label, "", storage));
	assert_false(places_find("", "vda", storage));
	assert_false(places_find("vda", "vda", storage));
	assert_false(places_find("vda ", "vda", storage));
	assert_false(places_find(" ;; ;vda", "vda", storage));
	assert_string_equal(storage, "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
