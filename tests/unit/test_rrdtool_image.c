/* SPDX-License-Identifier: GPL-2.0-or-later */
/* New RRD files have the bytes of those that librrd makes, but for the rows at which their archives
 * begin; on a disk whose files share blocks, too, if MC_TEST_CLONES names a folder there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/rrd/rrd_bytes.h"
#include "kit/series/rrd_maker.h"

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

struct folder {
	char path[256];
	int fd;
};

static void open_folder(struct folder *folder, const char *above)
{
	snprintf(folder->path, sizeof(folder->path), "%s/imageXXXXXX", above);
	assert_non_null(mkdtemp(folder->path));
	folder->fd = open(folder->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder->fd >= 0);
}

static void close_folder(struct folder *folder)
{
	close(folder->fd);
	assert_int_equal(rmdir(folder->path), 0);
}

/* The bytes of a file, which is removed. */
static uint8_t *take(const struct folder *folder, const char *name, size_t *size)
{
	int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint8_t *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644); /* Whatever the umask. */
	*size = (size_t)status.st_size;
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	assert_int_equal(unlinkat(folder->fd, name, 0), 0);
	return bytes;
}

/* Clears what is random, after a look at its bounds. */
static void clear_pointers(uint8_t *bytes)
{
	size_t sources_len = mc_rrd_number_at(bytes + 24);
	size_t archives_len = mc_rrd_number_at(bytes + 32);
	uint8_t *definition = bytes + MC_RRD_FIXED + sources_len * MC_RRD_SOURCE;
	uint8_t *pointer =
		bytes + mc_rrd_head_size(sources_len, archives_len) - archives_len * MC_RRD_POINTER;

	for (size_t i = 0; i < archives_len; i++, pointer += MC_RRD_POINTER) {
		assert_true(mc_rrd_number_at(pointer) <
			    mc_rrd_number_at(definition + i * MC_RRD_ARCHIVE + 24));
		mc_rrd_put_number(pointer, 0);
	}
}

static void compare(struct mc_rrd_maker *maker, const struct folder *folder,
		    const struct mc_rrd_layout *layout, int64_t second)
{
	char path[300];
	size_t size, expected_size;
	uint8_t *bytes, *expected;

	assert_int_equal(mc_rrd_make(maker, layout, second, folder->fd, "ours.rrd"), 0);
	assert_int_equal(mc_rrd_make(maker, layout, second, folder->fd, "ours.rrd"), -EEXIST);
	snprintf(path, sizeof(path), "%s/librrd.rrd", folder->path);
	assert_int_equal(rrd_create_r2(path, layout->step, (time_t)second, 1, NULL, NULL,
				       layout->argc, (const char **)layout->argv),
			 0);
	bytes = take(folder, "ours.rrd", &size);
	expected = take(folder, "librrd.rrd", &expected_size);
	assert_int_equal(size, expected_size);
	clear_pointers(bytes);
	clear_pointers(expected);
#if defined(__x86_64__)
	/* librrd's NaN, which 0 / 0 makes, has a sign here. */
	for (size_t i = 0; i + 8 <= size; i++)
		if (memcmp(bytes + i, "\0\0\0\0\0\0\xf8\x7f", 8) == 0)
			bytes[i + 7] = 0xff;
#endif
	assert_memory_equal(bytes, expected, size);
	free(bytes);
	free(expected);
}

static void compare_layouts(struct mc_rrd_maker *maker, const struct folder *folder)
{
	static const struct mc_source several[] = {
		{ "a_gauge-that-is-lon", MC_GAUGE, -1e6, 100.5 },
		{ "derive", MC_DERIVE, 0, NAN },
		{ "counter", MC_COUNTER, NAN, 4294967295.0 },
		{ "absolute", MC_ABSOLUTE, 0, 1e9 },
	};
	struct mc_type *type = calloc(1, sizeof(*type) + sizeof(several));
	struct mc_rrd_layout *list = NULL;

	assert_non_null(type);
	type->name = "several";
	type->sources_len = 4;
	memcpy(type->sources, several, sizeof(several));
	for (int program = MC_RRD_COLLECTD; program <= MC_RRD_COMPACT; program++)
		for (int64_t interval = 1; interval <= 3600; interval *= 60) {
			const struct mc_rrd_rules rules = { .program = (enum mc_rrd_program)program,
							    .number = (unsigned)program,
							    .rows = 1200,
							    .xff = 0.1 };

			compare(maker, folder,
				mc_rrd_layout(&list, &rules, &gauge, interval * MC_SECOND),
				1700000123);
			compare(maker, folder,
				mc_rrd_layout(&list, &rules, type, interval * MC_SECOND),
				1700000000 / 86400 * 86400);
		}
	mc_rrd_maker_done(maker);
	mc_rrd_layouts_free(list);
	free(type);
}

static void test_written(void **state)
{
	struct mc_rrd_maker maker = { .writes_whole = true };
	struct folder folder;

	(void)state;
	open_folder(&folder, "/tmp");
	compare_layouts(&maker, &folder);
	close_folder(&folder);
}

static void test_cloned(void **state)
{
	const char *above = getenv("MC_TEST_CLONES");
	struct mc_rrd_maker maker = { 0 };
	struct folder folder;

	(void)state;
	open_folder(&folder, above != NULL ? above : "/tmp");
	compare_layouts(&maker, &folder);
	close_folder(&folder);
}

/* Blocks are shared where they can be. */
static void test_shared(void **state)
{
	const char *above = getenv("MC_TEST_CLONES");
	const struct mc_rrd_rules rules = { .rows = 1200, .xff = 0.1 };
	struct mc_rrd_maker maker = { 0 };
	struct mc_rrd_layout *list = NULL;
	const struct mc_rrd_layout *layout;
	struct folder folder;

	(void)state;
	if (above == NULL)
		skip();
	layout = mc_rrd_layout(&list, &rules, &gauge, 10 * MC_SECOND);
	open_folder(&folder, above);
	assert_int_equal(mc_rrd_make(&maker, layout, 1700000000, folder.fd, "a.rrd"), 0);
	assert_false(maker.writes_whole);
	assert_int_equal(unlinkat(folder.fd, "a.rrd", 0), 0);
	close_folder(&folder);
	mc_rrd_maker_done(&maker);
	mc_rrd_layouts_free(list);
}

/* What librrd would refuse, or understand in another way, is left to it. */
static void test_refused(void **state)
{
	static const struct {
		const char *name;
		double min, max;
	} sources[] = { { "a b", NAN, NAN },
			{ "", NAN, NAN },
			{ "value", 2, 1 },
			{ "value", 0, 18446744073709551615.0 },
			{ "value", -INFINITY, 1 } };
	const struct mc_rrd_rules rules = { .rows = 1200, .xff = 0.1 };
	struct mc_type *type = calloc(1, sizeof(*type) + sizeof(struct mc_source));
	struct mc_rrd_image image;

	(void)state;
	assert_non_null(type);
	type->name = "t";
	type->sources_len = 1;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct mc_rrd_layout *list = NULL;

		type->sources[0] = (struct mc_source){ sources[i].name, MC_GAUGE, sources[i].min,
						       sources[i].max };
		assert_false(mc_rrd_image(mc_rrd_layout(&list, &rules, type, MC_SECOND), &image));
		mc_rrd_layouts_free(list);
	}
	free(type);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_cloned),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_refused),
	};

	umask(027);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
