/* SPDX-License-Identifier: MIT */
/* The ring of a process that died is read by the next one; if that dies while it reads, nobody
 * reads it again, and it stays.  Each process here is a child that ends as if it was killed. */
#include "plugins/write/recorder/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define SIZE 4096

static struct {
	char path[32];
	int folder;
} lab;

static int open_lab(void **state)
{
	(void)state;
	snprintf(lab.path, sizeof(lab.path), "ring_file.XXXXXX");
	assert_non_null(mkdtemp(lab.path));
	lab.folder = open(lab.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(lab.folder >= 0);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	unlinkat(lab.folder, RING_FILE_FAILED, 0);
	close(lab.folder);
	return rmdir(lab.path); /* Nothing else is in it. */
}

/* The first byte of a file in the folder; '\0': there is none. */
static char first_byte(const char *name)
{
	int fd = openat(lab.folder, name, O_RDONLY | O_CLOEXEC);
	char byte = '\0';

	if (fd >= 0)
		assert_int_equal(read(fd, &byte, 1), 1);
	if (fd >= 0)
		close(fd);
	return byte;
}

enum death { AT_WORK, BEFORE_READ, IN_READ, DISK_FULL };

/* What the process that died told: the first byte of the ring that it found, and whether one was
 * given up before. */
struct told {
	char left;
	bool gave_up;
};

static void live_and_die(char mark, enum death death, struct told *told)
{
	struct ring_file file;
	size_t size;
	char *left;

	if (ring_file_open(&file, lab.folder, SIZE) < 0)
		return;
	told->gave_up = file.gave_up;
	memset(file.memory, mark, SIZE);
	if (death == BEFORE_READ)
		return;
	left = ring_file_take_left(lab.folder, &size);
	told->left = left != NULL && size == SIZE ? left[0] : '\0';
	free(left);
	if (death == DISK_FULL)
		ring_file_keep_left(lab.folder);
	if (death == AT_WORK)
		ring_file_forget_left(lab.folder);
}

static struct told process(char mark, enum death death)
{
	struct told told = { '!', false };
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		live_and_die(mark, death, &told);
		_exit(write(ends[1], &told, sizeof(told)) == sizeof(told) ? 0 : 1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &told, sizeof(told)), sizeof(told));
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return told;
}

/* A process that ends as it should. */
static void end_well(char wanted, bool gave_up)
{
	struct ring_file file;
	size_t size;
	char *left;

	assert_int_equal(ring_file_open(&file, lab.folder, SIZE), 0);
	assert_int_equal(file.gave_up, gave_up);
	left = ring_file_take_left(lab.folder, &size);
	assert_int_equal(left != NULL ? left[0] : '\0', wanted);
	free(left);
	ring_file_forget_left(lab.folder);
	ring_file_close(&file, lab.folder);
}

static void test_one_that_died_at_work_is_read(void **state)
{
	(void)state;
	assert_int_equal(process('a', AT_WORK).left, '\0');
	assert_int_equal(process('b', AT_WORK).left, 'a');
	end_well('b', false);
	end_well('\0', false);
	assert_int_equal(first_byte(RING_FILE_FAILED), '\0');
}

static void test_one_that_ends_its_reader_is_read_once(void **state)
{
	struct told told;

	(void)state;
	process('a', AT_WORK);
	assert_int_equal(process('b', IN_READ).left, 'a');
	/* The ring of the reader is another one. */
	told = process('c', AT_WORK);
	assert_int_equal(told.left, 'b');
	assert_true(told.gave_up);
	assert_int_equal(first_byte(RING_FILE_FAILED), 'a');
	/* It stays, and is told once. */
	end_well('c', false);
	end_well('\0', false);
	assert_int_equal(first_byte(RING_FILE_FAILED), 'a');
}

static void test_one_that_could_not_be_written_is_read_again(void **state)
{
	(void)state;
	process('a', AT_WORK);
	assert_int_equal(process('b', DISK_FULL).left, 'a');
	/* That one was killed, too: there is room for one. */
	assert_int_equal(process('c', DISK_FULL).left, 'b');
	assert_int_equal(first_byte(RING_FILE_FAILED), 'a');
	assert_int_equal(unlinkat(lab.folder, "ring", 0), 0);
	end_well('b', false);
}

static void test_one_that_died_before_it_read(void **state)
{
	struct told told;

	(void)state;
	process('a', AT_WORK);
	process('b', BEFORE_READ);
	told = process('c', AT_WORK);
	assert_int_equal(told.left, 'b');
	assert_true(told.gave_up);
	assert_int_equal(first_byte(RING_FILE_FAILED), 'a');
	end_well('c', false);
}

static void test_one_in_use_is_left_alone(void **state)
{
	struct ring_file file, other;

	(void)state;
	assert_int_equal(ring_file_open(&file, lab.folder, SIZE), 0);
	memset(file.memory, 'a', SIZE);
	assert_int_equal(ring_file_open(&other, lab.folder, SIZE), -EBUSY);
	assert_int_equal(first_byte("ring"), 'a');
	ring_file_close(&file, lab.folder);
	assert_int_equal(first_byte("ring"), '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_that_died_at_work_is_read, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_one_that_ends_its_reader_is_read_once,
						open_lab, close_lab),
		cmocka_unit_test_setup_teardown(test_one_that_could_not_be_written_is_read_again,
						open_lab, close_lab),
		cmocka_unit_test_setup_teardown(test_one_that_died_before_it_read, open_lab,
						close_lab),
		cmocka_unit_test_setup_teardown(test_one_in_use_is_left_alone, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
