/* SPDX-License-Identifier: MIT */
/* What the device mapper says about thin pools. */
#include "thin.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <sys/sysmacros.h>

#include <cmocka.h>

static const char *name(const char *mapped)
{
	static char out[THIN_NAME_SIZE];

	thin_name(mapped, out);
	return out;
}

static void names_are_those_of_lvm(void **state)
{
	char longest[300];

	(void)state;
	assert_string_equal(name("vg0-pool-tpool"), "vg0/pool");
	assert_string_equal(name("my--vg-pool--1-tpool"), "my-vg/pool-1");
	assert_string_equal(name("pool"), "pool"); /* Not of LVM. */
	assert_string_equal(name("-tpool"), "/tpool");
	assert_string_equal(name(""), "");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(strlen(name(longest)), THIN_NAME_SIZE - 1);
}

static void a_volume_names_its_pool(void **state)
{
	dev_t pool = 7;

	(void)state;
	assert_true(thin_take_volume("253:2 1", &pool));
	assert_int_equal(pool, makedev(253, 2));
	assert_false(thin_take_volume("", &pool));
	assert_false(thin_take_volume("/dev/dm-2 1", &pool));
	assert_int_equal(pool, makedev(253, 2));
}

static void a_pool_has_data_and_metadata(void **state)
{
	struct thin_pool pool = { 0 };

	(void)state;
	assert_true(thin_take_pool(
		"253:0 253:1 128 0 1 skip_block_zeroing",
		"1 25/1024 512/8192 - rw discard_passdown queue_if_no_space - 1024", &pool));
	assert_int_equal(pool.data_used, 512 * 65536);
	assert_int_equal(pool.data_size, 8192 * 65536);
	assert_int_equal(pool.metadata_used, 25 * 4096);
	assert_int_equal(pool.metadata_size, 1024 * 4096);
}

static void what_makes_no_sense_is_left(void **state)
{
	static const char table[] = "253:0 253:1 128 0";
	struct thin_pool pool = { .data_used = 1 };

	(void)state;
	assert_false(thin_take_pool(table, "Fail", &pool));
	assert_false(thin_take_pool(table, "Error", &pool));
	assert_false(thin_take_pool(table, "", &pool));
	assert_false(thin_take_pool(table, "1 25/1024 9000/8192 -", &pool));
	assert_false(thin_take_pool(table, "1 25/1 1/8192 -", &pool));
	assert_false(thin_take_pool("253:0 253:1 0 0", "1 25/1024 512/8192", &pool));
	assert_false(thin_take_pool("253:0", "1 25/1024 512/8192", &pool));
	assert_false(thin_take_pool(table, "1 25/1024 1/18446744073709551615", &pool));
	assert_int_equal(pool.data_used, 1);
}

static void other_devices_have_none(void **state)
{
	struct thin_pool pool;

	(void)state;
	assert_false(thin_look("/dev/null", &pool));
	assert_int_equal(errno, ENODEV);
	assert_false(thin_look("/none", &pool));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_lvm),
		cmocka_unit_test(a_volume_names_its_pool),
		cmocka_unit_test(a_pool_has_data_and_metadata),
		cmocka_unit_test(what_makes_no_sense_is_left),
		cmocka_unit_test(other_devices_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
