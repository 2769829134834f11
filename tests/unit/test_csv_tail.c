/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tail.h"

static int file_of(const char *text)
{
	int fd = memfd_create("csv", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

/* How much of 'text' a file knows, and what is left of the file. */
static void check(const char *file, const char *text, size_t known, const char *left)
{
	char found[256] = "";
	int fd = file_of(file);

	assert_int_equal(tail_known(fd, text, strlen(text)), known);
	assert_true(pread(fd, found, sizeof(found) - 1, 0) >= 0);
	assert_string_equal(found, left);
	close(fd);
}

static void what_is_there_is_known(void **state)
{
	(void)state;
	check("epoch,value\n1,5\n2,6\n", "2,6\n", 4, "epoch,value\n1,5\n2,6\n");
	check("epoch,value\n1,5\n2,6\n", "1,5\n2,6\n3,7\n", 8, "epoch,value\n1,5\n2,6\n");
	check("epoch,value\n1,5\n", "2,6\n", 0, "epoch,value\n1,5\n");
	check("epoch,value\n11,5\n", "1,5\n", 0, "epoch,value\n11,5\n");
	check("", "1,5\n", 0, "");
}

static void half_a_line_goes(void **state)
{
	(void)state;
	check("epoch,value\n1,5\n2,", "2,6\n", 0, "epoch,value\n1,5\n");
	check("epoch,value\n1,5\n2,6", "1,5\n2,6\n", 4, "epoch,value\n1,5\n");
	check("epo", "1,5\n", 0, "");
}

static void only_the_end_of_a_long_file_is_read(void **state)
{
	int fd = file_of("epoch,value\n");
	off_t size;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		assert_int_equal(dprintf(fd, "%u,1\n", 10000 + i), 8);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(tail_known(fd, "10000,1\n", 8), 0);
	assert_int_equal(tail_known(fd, "14990,1\n", 8), 8);
	assert_int_equal(dprintf(fd, "15"), 2);
	assert_int_equal(tail_known(fd, "14999,1\n15000,1\n", 16), 8);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	close(fd);
}

/* We did not write a line without an end: it stays. */
static void what_is_no_csv_stays(void **state)
{
	int fd = file_of("");
	char *text = calloc(1, 20000);

	(void)state;
	memset(text, 'x', 20000);
	assert_int_equal(write(fd, text, 20000), 20000);
	assert_int_equal(tail_known(fd, "1,5\n", 4), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 20000);
	free(text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_known),
		cmocka_unit_test(half_a_line_goes),
		cmocka_unit_test(only_the_end_of_a_long_file_is_read),
		cmocka_unit_test(what_is_no_csv_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
