/* SPDX-License-Identifier: MIT */
/* File systems with images: found by the folders of images, looked at by a thread, and left out
 * while they hang.  The threads are this test's. */
#include "image_space.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include <collector/kit/once.h>
#include <collector/kit/timed_call.h>

static struct {
	mc_time now;
	bool hangs, refuses; /* Threads that are begun. */
	int (*calls[8])(void *argument);
	void *arguments[8];
	unsigned begun, complaints, recoveries;
} fake;

mc_time mc_now(void)
{
	return fake.now;
}

int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument)
{
	(void)ctx;
	assert_int_equal(limit, 0); /* Never waits. */
	if (fake.refuses)
		return -EAGAIN;
	assert_in_range(fake.begun, 0, 7);
	fake.calls[fake.begun] = call;
	fake.arguments[fake.begun++] = argument;
	if (!fake.hangs) {
		call(argument);
		free(argument);
	}
	return -ETIMEDOUT;
}

void mc_complain(struct mc_ctx *ctx, struct mc_once *once, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)once;
	(void)errnum;
	(void)fmt;
	fake.complaints++;
}

void mc_works(struct mc_ctx *ctx, struct mc_once *once, const char *fmt, ...)
{
	(void)ctx;
	(void)once;
	(void)fmt;
	fake.recoveries++;
}

static void comes_back(unsigned number)
{
	fake.calls[number](fake.arguments[number]);
	free(fake.arguments[number]);
}

static struct image_spaces *spaces;
static char folder[] = "/tmp/storesXXXXXX", first[64], second[64];

static int begin(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.now = 1000 * MC_SECOND;
	snprintf(folder, sizeof(folder), "/tmp/storesXXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(first, sizeof(first), "%s/web1.qcow2", folder);
	snprintf(second, sizeof(second), "/web2.qcow2/none/x");
	spaces = image_space_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	image_space_free(spaces);
	rmdir(folder);
	return 0;
}

static void report_after(mc_time seconds)
{
	fake.now += seconds * MC_SECOND;
	image_space_report(NULL, spaces);
}

static void a_file_system_is_found(void **state)
{
	const struct image_space *found;
	struct stat status, root;
	struct statvfs space;

	(void)state;
	assert_null(image_space_find(spaces, first)); /* Not yet. */
	report_after(0);
	report_after(1);
	found = image_space_find(spaces, first);
	assert_non_null(found);
	assert_int_equal(stat(folder, &status), 0);
	assert_int_equal(statvfs(folder, &space), 0);
	assert_int_equal(found->device, status.st_dev);
	assert_in_range(found->trend.used, 1, found->trend.size);
	assert_in_range(found->trend.size, 1, (uint64_t)space.f_blocks * space.f_frsize);
	assert_int_equal(stat(found->name, &root), 0);
	assert_int_equal(root.st_dev, status.st_dev);
	assert_int_equal(fake.begun, 1);
	report_after(8); /* Once in ten seconds. */
	assert_int_equal(fake.begun, 1);
	report_after(1);
	assert_int_equal(fake.begun, 2);
}

static void images_of_one_file_system_share_it(void **state)
{
	char deeper[96];

	(void)state;
	snprintf(deeper, sizeof(deeper), "%s/../web2.qcow2", folder);
	image_space_find(spaces, first);
	image_space_find(spaces, deeper);
	image_space_find(spaces, "/web3.qcow2");
	report_after(0);
	report_after(1);
	assert_non_null(image_space_find(spaces, "/web3.qcow2"));
	assert_non_null(image_space_find(spaces, first));
	assert_ptr_equal(image_space_find(spaces, first), image_space_find(spaces, deeper));
}

static void what_is_no_file_has_none(void **state)
{
	(void)state;
	assert_null(image_space_find(spaces, "pool/web1"));
	assert_null(image_space_find(spaces, ""));
	assert_null(image_space_find(spaces, second)); /* No such folder. */
	report_after(0);
	report_after(1);
	assert_null(image_space_find(spaces, second));
	assert_int_equal(fake.complaints, 0);
}

static void one_that_hangs_is_left_out(void **state)
{
	(void)state;
	fake.hangs = true;
	image_space_find(spaces, first);
	report_after(0);
	assert_int_equal(fake.begun, 1);
	report_after(4);
	assert_int_equal(fake.complaints, 0);
	report_after(1);
	assert_int_equal(fake.complaints, 1);
	fake.hangs = false;
	image_space_find(spaces, second); /* Another thread looks at the others. */
	report_after(10);
	report_after(1);
	assert_int_equal(fake.begun, 2);
	assert_null(image_space_find(spaces, first));
	comes_back(0);
	report_after(10);
	assert_int_equal(fake.recoveries, 1);
	report_after(1);
	assert_non_null(image_space_find(spaces, first));
}

static void threads_that_hang_have_a_bound(void **state)
{
	char path[64];

	(void)state;
	fake.hangs = true;
	for (unsigned i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "/server%u/web.qcow2", i);
		image_space_find(spaces, path);
		report_after(10);
		report_after(6);
	}
	assert_int_equal(fake.begun, IMAGE_SPACE_HUNG_MAX + 1);
	image_space_free(spaces); /* While they hang. */
	spaces = NULL;
	for (unsigned i = 0; i < fake.begun; i++)
		comes_back(i);
}

static void without_a_thread_the_next_read_tries_again(void **state)
{
	(void)state;
	fake.refuses = true;
	image_space_find(spaces, first);
	report_after(0);
	fake.refuses = false;
	report_after(10);
	report_after(1);
	assert_non_null(image_space_find(spaces, first));
}

static void folders_without_images_are_forgotten(void **state)
{
	(void)state;
	image_space_find(spaces, first);
	report_after(0);
	report_after(1);
	assert_non_null(image_space_find(spaces, first));
	report_after(301);
	assert_null(image_space_find(spaces, first));
}

static void too_many_folders_are_complained_of(void **state)
{
	char image[32];

	(void)state;
	for (unsigned i = 0; i < IMAGE_SPACE_FOLDERS_MAX; i++) {
		assert_int_equal(fake.complaints, 0);
		snprintf(image, sizeof(image), "/none%u/web.qcow2", i);
		image_space_find(spaces, image);
	}
	report_after(0);
	assert_int_equal(fake.complaints, 1);
	image_space_find(spaces, first); /* Has no room. */
	report_after(10);
	report_after(1);
	assert_null(image_space_find(spaces, first));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_system_is_found),
		TEST(images_of_one_file_system_share_it),
		TEST(what_is_no_file_has_none),
		TEST(one_that_hangs_is_left_out),
		TEST(threads_that_hang_have_a_bound),
		TEST(without_a_thread_the_next_read_tries_again),
		TEST(folders_without_images_are_forgotten),
		TEST(too_many_folders_are_complained_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
