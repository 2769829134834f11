/* SPDX-License-Identifier: MIT */
/* A file of the recorder is gzip, which zlib reads back, and never larger than it may be. */
#include "plugins/write/recorder/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "unit.h"

#define PIECE 100000

/* Bytes that do not shrink. */
static void scramble(unsigned char *bytes, size_t size, uint64_t *state)
{
	for (size_t i = 0; i < size; i++) {
		*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
		bytes[i] = (unsigned char)(*state >> 56);
	}
}

static int make_file(char path[32])
{
	int fd;

	snprintf(path, 32, "dump_file.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	return fd;
}

static size_t size_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return (size_t)status.st_size;
}

static void test_what_is_put_is_there(void **state)
{
	static unsigned char bytes[PIECE], again[PIECE + 1];
	struct dump_file *file;
	uint64_t seed = 1;
	char path[32];
	int fd = make_file(path);
	gzFile packed;

	(void)state;
	file = dump_file_new(fd, 1 << 24);
	for (int i = 0; i < 20; i++) {
		memset(bytes, i, sizeof(bytes));
		scramble(bytes, PIECE / 10, &seed);
		assert_true(dump_file_put(file, bytes, sizeof(bytes)));
	}
	assert_int_equal(dump_file_end(file), 0);
	dump_file_free(file);
	close(fd);
	assert_true(size_of(path) < 20 * PIECE / 5);
	packed = gzopen(path, "rb");
	assert_non_null(packed);
	seed = 1;
	for (int i = 0; i < 20; i++) {
		memset(bytes, i, sizeof(bytes));
		scramble(bytes, PIECE / 10, &seed);
		assert_int_equal(gzread(packed, again, PIECE), PIECE);
		assert_memory_equal(again, bytes, PIECE);
	}
	assert_int_equal(gzread(packed, again, 1), 0);
	assert_int_equal(gzclose(packed), Z_OK);
	unlink(path);
}

/* Pieces that do not shrink, as long as there is room, and the reserve after them. */
static void test_it_is_no_larger_than_it_may_be(void **state)
{
	static unsigned char bytes[DUMP_FILE_LATER];

	(void)state;
	for (size_t size_max = 1 << 20; size_max < 3 << 20; size_max += 77777) {
		char path[32];
		int fd = make_file(path);
		struct dump_file *file = dump_file_new(fd, size_max);
		uint64_t seed = size_max;

		while (dump_file_has_room(file, PIECE)) {
			scramble(bytes, PIECE, &seed);
			assert_true(dump_file_put(file, bytes, PIECE));
		}
		scramble(bytes, DUMP_FILE_LATER, &seed);
		assert_true(dump_file_put(file, bytes, DUMP_FILE_LATER));
		assert_int_equal(dump_file_end(file), 0);
		dump_file_free(file);
		close(fd);
		assert_true(size_of(path) <= size_max);
		assert_true(size_of(path) > size_max / 2);
		unlink(path);
	}
}

static void test_a_failure_is_told_once(void **state)
{
	static const unsigned char byte = 1;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct dump_file *file = dump_file_new(fd, 1 << 20);

	(void)state;
	dump_file_put(file, &byte, 1);
	assert_int_equal(dump_file_end(file), -ENOSPC);
	assert_false(dump_file_put(file, &byte, 1));
	dump_file_free(file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_put_is_there),
		cmocka_unit_test(test_it_is_no_larger_than_it_may_be),
		cmocka_unit_test(test_a_failure_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
