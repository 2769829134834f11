/* SPDX-License-Identifier: MIT */
/* Block devices of the host, as disks of guests. */
#include "blocks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <sys/sysmacros.h>

#include <cmocka.h>

/* What blocks.c needs of the core. */
ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text)
{
	static char line[] = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n";

	(void)ctx;
	assert_string_equal(path, "/proc/diskstats");
	*text = line;
	return (ssize_t)sizeof(line) - 1;
}

static void requests_bytes_and_nanoseconds(void **state)
{
	struct blocks blocks = { 0 };
	const struct blocks_device *device;

	(void)state;
	blocks_parse(" 253 1 dm-1 100 1 16 7 200 2 32 9 0 5 6 0 0 0 0 3 4\n"
		     "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
		     "   8 1 short 1 2 3\n"
		     "nothing of that\n",
		     &blocks);
	assert_int_equal(blocks.len, 2);
	device = blocks_find(&blocks, makedev(253, 1));
	assert_non_null(device);
	assert_int_equal(device->values[DISK_RD_REQUESTS], 100);
	assert_int_equal(device->values[DISK_RD_BYTES], 8192);
	assert_int_equal(device->values[DISK_RD_TIMES], 7000000);
	assert_int_equal(device->values[DISK_WR_REQUESTS], 200);
	assert_int_equal(device->values[DISK_WR_BYTES], 16384);
	assert_int_equal(device->values[DISK_WR_TIMES], 9000000);
	assert_int_equal(device->values[DISK_FL_REQUESTS], 3);
	assert_int_equal(device->values[DISK_FL_TIMES], 4000000);
	assert_false(decode_knows(device->known, DISK_ALLOCATION));
	device = blocks_find(&blocks, makedev(8, 0));
	assert_non_null(device);
	assert_true(decode_knows(device->known, DISK_WR_TIMES));
	assert_false(decode_knows(device->known, DISK_FL_REQUESTS));
	assert_null(blocks_find(&blocks, makedev(8, 1)));
	blocks_done(&blocks);
	assert_null(blocks_find(&blocks, makedev(8, 0)));
}

static void read_anew(void **state)
{
	struct blocks blocks = { 0 };

	(void)state;
	assert_int_equal(blocks_read(NULL, &blocks), 0);
	assert_int_equal(blocks_read(NULL, &blocks), 0);
	assert_int_equal(blocks.len, 1);
	blocks_done(&blocks);
}

static void what_is_no_block_device(void **state)
{
	(void)state;
	assert_int_equal(blocks_number("/dev/null"), 0);
	assert_int_equal(blocks_number("/nowhere"), 0);
	assert_int_equal(blocks_number(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_bytes_and_nanoseconds),
		cmocka_unit_test(read_anew),
		cmocka_unit_test(what_is_no_block_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
