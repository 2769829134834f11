/* SPDX-License-Identifier: MIT */
/* On which storage an image is: mounts, symbolic links and devices of a made tree. */
#include "storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_virt_storage.XXXXXX";

static void make(const char *path)
{
	char full[512];

	for (const char *at = path; (at = strchr(at, '/')) != NULL; at++) {
		snprintf(full, sizeof(full), "%s/%.*s", folder, (int)(at - path), path);
		mkdir(full, 0700);
	}
}

static void make_link(const char *target, const char *path)
{
	char full[512];

	make(path);
	snprintf(full, sizeof(full), "%s/%s", folder, path);
	assert_int_equal(symlink(target, full), 0);
}

static void make_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	make(path);
	snprintf(full, sizeof(full), "%s/%s", folder, path);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* sda with a partition; two volumes, on it and on a pool of two; a multipath device. */
static int make_sys(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	make("sys/devices/sda/slaves/");
	make("sys/devices/sdb/slaves/");
	make_file("sys/devices/sda/sda2/partition", "2\n");
	make_link("../../devices/sda", "sys/dev/block/8:0");
	make_link("../../devices/sda/sda2", "sys/dev/block/8:2");
	make_link("../../sda/sda2", "sys/devices/dm-0/slaves/sda2");
	make_file("sys/devices/dm-0/dm/name", "vg-web1\n");
	make_link("../../devices/dm-0", "sys/dev/block/253:0");
	make_link("../../sda/sda2", "sys/devices/dm-1/slaves/sda2");
	make_link("../../sdb", "sys/devices/dm-1/slaves/sdb");
	make_file("sys/devices/dm-1/dm/name", "vg-pool\n");
	make_link("../../devices/dm-1", "sys/dev/block/253:1");
	make_link("../../dm-1", "sys/devices/dm-2/slaves/dm-1");
	make_file("sys/devices/dm-2/dm/name", "vg-thin1\n");
	make_link("../../devices/dm-2", "sys/dev/block/253:2");
	make_link("../../dm-3", "sys/devices/dm-3/slaves/dm-3"); /* There is no such loop. */
	make_link("../../devices/dm-3", "sys/dev/block/253:3");
	make_link("data", "links/way");
	make_link("/", "links/root");
	make_link("../way", "links/data/back");
	make_link("self", "links/self");
	make_file("links/data/image", "x");
	return 0;
}

static int remove_sys(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void devices(void **state)
{
	static const struct {
		unsigned major, minor;
		const char *name;
	} cases[] = {
		{ 8, 0, "sda" },       { 8, 2, "sda" },       { 253, 0, "sda" },
		{ 253, 1, "vg-pool" }, { 253, 2, "vg-pool" }, { 253, 3, "dm-3" },
	};
	char sys[256], out[MC_STORAGE_SIZE];

	(void)state;
	snprintf(sys, sizeof(sys), "%s/sys", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(storage_device(sys, cases[i].major, cases[i].minor, out));
		assert_string_equal(out, cases[i].name);
	}
	assert_false(storage_device(sys, 9, 9, out));
}

static void mounts_in_mountinfo(void **state)
{
	char text[] = "20 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
		      "21 20 0:44 / /vm\\040s rw - nfs4 server:/export rw,vers=4.2\n"
		      "22 20 253:0 / /srv rw shared:2 master:3 - xfs /dev/dm-0 rw\n"
		      "23 22 0:50 / /srv/x rw - fuse.sshfs me@there:/x rw\n"
		      "24 20 253:1 / /srv rw - xfs /dev/dm-1 rw\n"
		      "bad line\n25 20 8:1\n26 20 8:1 / relative rw - ext4 /dev/sda1 rw\n"
		      "27 20 8:q / /q rw - ext4 /dev/sda1 rw\n28 20 8:1 / /r rw - ext4";
	struct storage_mounts mounts = { 0 };
	const struct storage_mount *mount;

	(void)state;
	storage_parse_mounts(&mounts, text);
	assert_int_equal(mounts.len, 5);
	mount = storage_mount_of(&mounts, "/vm s/web1.img");
	assert_string_equal(mount->source, "server:/export");
	assert_true(storage_is_remote(mount));
	mount = storage_mount_of(&mounts, "/vm sx/web1.img");
	assert_string_equal(mount->point, "/");
	assert_false(storage_is_remote(mount));
	assert_int_equal(storage_mount_of(&mounts, "/srv/web1")->minor, 1); /* On top. */
	assert_true(storage_is_remote(storage_mount_of(&mounts, "/srv/x/y")));
	assert_int_equal(storage_mount_of(&mounts, "/")->major, 8);
	storage_free_mounts(&mounts);
	assert_null(storage_mount_of(&mounts, "/"));
}

static void assert_storage(const struct storage_mounts *mounts, const char *path,
			   const char *expected)
{
	char sys[256], full[512], out[MC_STORAGE_SIZE];

	snprintf(sys, sizeof(sys), "%s/sys", folder);
	snprintf(full, sizeof(full), "%s%s", path[0] == '!' ? "" : folder, path + (path[0] == '!'));
	storage_of_path(mounts, sys, full, out);
	assert_string_equal(out, expected);
}

static void paths(void **state)
{
	char text[2048], local[512];
	struct storage_mounts mounts = { 0 };

	(void)state;
	snprintf(text, sizeof(text),
		 "20 1 8:2 / / rw - ext4 /dev/sda2 rw\n"
		 "21 20 253:1 / %s/links/data rw - ext4 /dev/dm-1 rw\n"
		 "22 20 0:44 / %s/nfs rw - nfs4 server:/export rw\n"
		 "23 20 0:45 / %s/tmp rw - tmpfs tmp rw\n"
		 "24 20 0:46 / %s/fuse rw - fuse.mergerfs pool rw\n",
		 folder, folder, folder, folder);
	storage_parse_mounts(&mounts, text);
	assert_storage(&mounts, "/links/data/image", "@vg-pool");
	assert_storage(&mounts, "/links/way/image", "@vg-pool");
	assert_storage(&mounts, "/links/way/../data/./image", "@vg-pool");
	assert_storage(&mounts, "/links/data/back/image", "@vg-pool");
	assert_storage(&mounts, "/links/image", "@sda");
	assert_storage(&mounts, "/links/root/image", "@sda");
	assert_storage(&mounts, "/links/self/image", ""); /* ELOOP */
	assert_storage(&mounts, "/nfs/any/thing", "nfs4:server:/export");
	assert_storage(&mounts, "!relative", "");
	snprintf(local, sizeof(local), "@%s/tmp", folder);
	assert_storage(&mounts, "/tmp/image", local);
	snprintf(local, sizeof(local), "@%s/fuse", folder);
	assert_storage(&mounts, "/fuse/image", local);
	storage_free_mounts(&mounts);
	assert_storage(&mounts, "/links/image", "");
}

static void names(void **state)
{
	char out[MC_STORAGE_SIZE], long_name[300];

	(void)state;
	storage_local("a b;c\n", out);
	assert_string_equal(out, "@a_b_c_");
	storage_shared("rbd", "volumes@mon1", out);
	assert_string_equal(out, "rbd:volumes@mon1");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	storage_local(long_name, out);
	assert_int_equal(strlen(out), MC_STORAGE_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices),
		cmocka_unit_test(mounts_in_mountinfo),
		cmocka_unit_test(paths),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, make_sys, remove_sys);
}
