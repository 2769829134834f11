/* SPDX-License-Identifier: MIT */
/* The file of raw counters: what is there after a kill, in one of another boot, and when it grows.
 */
#include "raws_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNTERS 10000

static char folder[] = "/tmp/test_migration_raws.XXXXXX", path[64];

static int make_folder(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/counters", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static uint64_t key_of(unsigned number)
{
	return raws_key("web1", "virt/disk_octets-vda", "a-1", number);
}

static size_t count_left(void)
{
	struct raws_left left = raws_file_read(path);
	size_t len = left.len;
	uint64_t value;

	for (unsigned i = 0; i < len; i++)
		if (raws_find(&left, key_of(i), &value))
			assert_int_equal(value, 3 * i + 1);
	raws_left_free(&left);
	return len;
}

/* Fills it, and leaves it as a process does that is killed. */
static void fill_and_die(unsigned len)
{
	struct raws_file file;

	if (raws_file_open(&file, path) < 0 || raws_file_place(&file) < 0)
		_exit(1);
	for (unsigned i = 0; i < len; i++) {
		uint64_t *place;

		file.raws.capacity = raws_file_grow(&file, file.raws.used);
		if (!raws_has_room(&file.raws))
			_exit(2);
		place = raws_add(&file.raws, key_of(i), 0);
		*place = 3 * i + 1;
		if (i % 2 == 1) { /* Goes away again, and its place to the next one. */
			raws_remove(&file.raws, place);
			place = raws_add(&file.raws, key_of(i), 3 * i + 1);
		}
	}
	_exit(0);
}

static void leave(unsigned len)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		fill_and_die(len);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_kill(void **state)
{
	struct raws_file file;

	(void)state;
	leave(COUNTERS);
	assert_int_equal(count_left(), COUNTERS);
	/* It is there until the next one is in its place. */
	assert_int_equal(raws_file_open(&file, path), 0);
	assert_int_equal(count_left(), COUNTERS);
	assert_int_equal(raws_file_place(&file), 0);
	assert_int_equal(count_left(), 0);
	raws_add(&file.raws, key_of(0), 1);
	assert_int_equal(count_left(), 1);
	raws_file_close(&file, true);
	assert_int_equal(count_left(), 0);
	assert_int_equal(access(path, F_OK), -1);
}

static void overwrite(off_t at, char byte)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

/* Such a one, and one that is no such file, or cut, has nothing that can be used. */
static void test_another_boot(void **state)
{
	(void)state;
	leave(10);
	overwrite(12, '!'); /* In the id of the boot. */
	assert_int_equal(count_left(), 0);
	leave(10);
	overwrite(0, '!');
	assert_int_equal(count_left(), 0);
	leave(10);
	assert_int_equal(truncate(path, 40), 0);
	assert_int_equal(count_left(), 0);
	unlink(path);
	assert_int_equal(count_left(), 0);
}

static void test_no_room(void **state)
{
	struct raws_file file;

	(void)state;
	assert_true(raws_file_open(&file, "/proc/no/such/folder") < 0);
	assert_null(file.memory);
	assert_false(raws_has_room(&file.raws));
	raws_file_close(&file, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_another_boot),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
