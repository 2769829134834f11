/* SPDX-License-Identifier: MIT */
/* Counters that are repeated. */
#include "counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct decode_device disk(unsigned index, const char *name, uint64_t reads)
{
	return (struct decode_device){ .index = index,
				       .name = name,
				       .path = "/images/x",
				       .known = 1U << DISK_RD_REQUESTS,
				       .values[DISK_RD_REQUESTS] = reads };
}

static void shown_as_they_were(void **state)
{
	char name[] = "vda";
	struct decode_device items[] = { disk(0, name, 7), disk(3, "vdb", 8) };
	struct counters counters = { 0 };
	struct decode_devices out = { 0 };

	(void)state;
	items[1].path = NULL;
	assert_true(counters_keep(&counters, &(struct decode_devices){ items, 2, 2 }));
	memset(name, 'x', 3); /* It is a copy. */
	memset(items, 0, sizeof(items));
	counters_show(&counters, &out);
	assert_int_equal(out.len, 2);
	assert_string_equal(out.items[0].name, "vda");
	assert_string_equal(out.items[0].path, "/images/x");
	assert_int_equal(out.items[0].values[DISK_RD_REQUESTS], 7);
	assert_int_equal(out.items[1].index, 3);
	assert_null(out.items[1].path);
	assert_int_equal(out.items[1].values[DISK_RD_REQUESTS], 8);
	free(out.items);
	counters_free(&counters);
	assert_int_equal(counters.len, 0);
}

static void a_change_is_seen(void **state)
{
	struct decode_device items[] = { disk(0, "vda", 7), disk(1, "vdb", 8) };
	struct decode_devices two = { items, 2, 2 }, one = { items, 1, 2 };
	struct counters counters = { 0 };

	(void)state;
	assert_true(counters_keep(&counters, &two));
	assert_false(counters_keep(&counters, &two));
	items[1].values[DISK_RD_REQUESTS]++;
	assert_true(counters_keep(&counters, &two));
	items[1].values[DISK_RD_REQUESTS] -= 2; /* A guest was reverted. */
	assert_true(counters_keep(&counters, &two));
	items[1].values[DISK_WR_REQUESTS]++; /* Is not known. */
	assert_false(counters_keep(&counters, &two));
	items[1].known |= 1U << DISK_WR_REQUESTS;
	assert_true(counters_keep(&counters, &two));
	items[0].name = "sda";
	assert_true(counters_keep(&counters, &two));
	items[0].path = "/images/snapshot-of-x";
	assert_true(counters_keep(&counters, &two));
	assert_true(counters_keep(&counters, &one));
	assert_false(counters_keep(&counters, &one));
	counters_free(&counters);
}

static void a_guest_without_disks(void **state)
{
	struct counters counters = { 0 };
	struct decode_devices none = { 0 }, out = { 0 };

	(void)state;
	assert_false(counters_keep(&counters, &none));
	counters_show(&counters, &out);
	assert_int_equal(out.len, 0);
	counters_free(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown_as_they_were),
		cmocka_unit_test(a_change_is_seen),
		cmocka_unit_test(a_guest_without_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
