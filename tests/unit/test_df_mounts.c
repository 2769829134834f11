/* SPDX-License-Identifier: MIT */
/* What is mounted, and what of it can hang. */
#include "mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void parse(struct mounts *mounts, char *buffer, size_t size, const char *text)
{
	*mounts = (struct mounts){ 0 };
	assert_true(snprintf(buffer, size, "%s", text) < (int)size);
	mounts_parse(mounts, buffer);
}

static void escapes_are_resolved(void **state)
{
	struct mounts mounts;
	char text[256];

	(void)state;
	parse(&mounts, text, sizeof(text),
	      "a\\040b /x\\011y\\134z ext4 rw 0 0\n"
	      "c\\04 /\\999 xfs");
	assert_int_equal(mounts.len, 2);
	assert_string_equal(mounts.items[0].device, "a b");
	assert_string_equal(mounts.items[0].point, "/x\ty\\z");
	assert_string_equal(mounts.items[0].type, "ext4");
	assert_string_equal(mounts.items[1].device, "c\\04");
	assert_string_equal(mounts.items[1].point, "/\\999");
	assert_string_equal(mounts.items[1].type, "xfs");
	mounts_free(&mounts);
}

static void lines_that_do_not_matter_are_left_out(void **state)
{
	struct mounts mounts;
	char text[256];

	(void)state;
	parse(&mounts, text, sizeof(text),
	      "one\n\ntwo /two\nthree three ext4 rw\n"
	      "systemd-1 /auto autofs rw\nproc /proc proc rw\nfour /four ext4 "
	      "rw\n");
	assert_int_equal(mounts.len, 1);
	assert_string_equal(mounts.items[0].device, "four");
	mounts_free(&mounts);
}

static void what_waits_for_others_may_hang(void **state)
{
	static const struct {
		const char *line;
		bool remote;
	} cases[] = {
		{ "/dev/sda1 /m ext4", false },
		{ "tmpfs /m tmpfs", false },
		{ "overlay /m overlay", false },
		{ "pool/data /m zfs", false },
		{ "none /m fused", false },
		{ "srv:/data /m nfs4", true },
		{ "//srv/data /m cifs", true },
		{ "me@srv: /m fuse.sshfs", true },
		{ "odd /m fuse", true },
		{ "/dev/sdb1 /m fuseblk", true },
		{ "share /m virtiofs", true },
		{ "10.0.0.1:6789:/ /m unheardof", true },
		{ "//srv/data /m unheardof", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mounts mounts;
		char text[256];

		parse(&mounts, text, sizeof(text), cases[i].line);
		assert_int_equal(mounts.len, 1);
		assert_true(mounts.items[0].remote == cases[i].remote);
		assert_true(mounts.items[0].may_hang == cases[i].remote);
		mounts_free(&mounts);
	}
}

static void so_may_what_lies_below_it(void **state)
{
	static const bool expected[] = { false, true, true, true, false };
	struct mounts mounts;
	char text[512];

	(void)state;
	parse(&mounts, text, sizeof(text),
	      "/dev/sda1 / ext4\n"
	      "/dev/sda2 /data ext4\n" /* Covered by the next. */
	      "srv:/data /data nfs4\n"
	      "/dev/sda3 /data/local ext4\n"
	      "/dev/sda4 /data2 ext4\n");
	assert_int_equal(mounts.len, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(mounts.items[i].may_hang == expected[i]);
	mounts_free(&mounts);
	parse(&mounts, text, sizeof(text), "srv:/root / nfs4\n/dev/sda4 /data ext4\n");
	assert_true(mounts.items[1].may_hang);
	mounts_free(&mounts);
}

static void the_first_of_its_name_counts(void **state)
{
	struct mounts mounts;
	char text[512];

	(void)state;
	parse(&mounts, text, sizeof(text),
	      "/dev/sda1 / ext4\n/dev/sda1 /srv ext4\n/dev/sda2 / xfs\n");
	assert_false(mounts_repeated(&mounts, 0, false));
	assert_false(mounts_repeated(&mounts, 1, false));
	assert_true(mounts_repeated(&mounts, 2, false));
	assert_false(mounts_repeated(&mounts, 0, true));
	assert_true(mounts_repeated(&mounts, 1, true));
	assert_false(mounts_repeated(&mounts, 2, true));
	mounts_free(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_are_resolved),
		cmocka_unit_test(lines_that_do_not_matter_are_left_out),
		cmocka_unit_test(what_waits_for_others_may_hang),
		cmocka_unit_test(so_may_what_lies_below_it),
		cmocka_unit_test(the_first_of_its_name_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
