/* SPDX-License-Identifier: MIT */
/* When df reads the mount table again. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "changes.h"

#define MOUNTS "/proc/self/mounts"

static void a_plain_file_is_always_read(void **state)
{
	struct changes changes = { 0 };
	char path[] = "/tmp/test_df_changes.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 3; i++)
		assert_true(changes_seen(&changes, path));
	close(fd);
	unlink(path);
	assert_true(changes_seen(&changes, path));
	changes_forget(&changes);
}

/* Others of this machine may mount something meanwhile. */
static void settle(struct changes *changes)
{
	for (int i = 0; i < 1000; i++)
		if (!changes_seen(changes, MOUNTS))
			return;
	fail_msg("the mount table changes all the time");
}

static void the_table_is_read_once(void **state)
{
	struct changes changes = { 0 };

	(void)state;
	assert_true(changes_seen(&changes, MOUNTS));
	settle(&changes);
	changes_forget(&changes);
	assert_true(changes_seen(&changes, MOUNTS));
	changes_forget(&changes);
}

static int in_own_namespace(void)
{
	struct changes changes = { 0 };
	int status = 0;

	if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return 77;
	changes_seen(&changes, MOUNTS);
	settle(&changes);
	if (mount("none", "/tmp", "tmpfs", 0, NULL) != 0)
		return 77;
	status |= !changes_seen(&changes, MOUNTS) << 0;
	status |= changes_seen(&changes, MOUNTS) << 1;
	umount("/tmp");
	status |= !changes_seen(&changes, MOUNTS) << 2;
	status |= changes_seen(&changes, MOUNTS) << 3;
	return status;
}

static void a_mount_is_seen_once(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(in_own_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_file_is_always_read),
		cmocka_unit_test(the_table_is_read_once),
		cmocka_unit_test(a_mount_is_seen_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
