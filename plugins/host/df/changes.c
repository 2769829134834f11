/* SPDX-License-Identifier: MIT */
/* The kernel counts the changes of a mount namespace, and poll() says POLLPRI and POLLERR when the
 * count is not what it was at open() or at the poll() before.  A regular file is never that way, so
 * only one in proc is believed. */
#include "changes.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

static void watch(struct changes *changes, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct statfs system;

	if (fd < 0)
		return;
	if (fstatfs(fd, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) {
		close(fd);
		return;
	}
	changes->watching = true;
	changes->fd = fd;
}

bool changes_seen(struct changes *changes, const char *path)
{
	struct pollfd poll_fd = { .events = POLLPRI };

	if (!changes->watching) {
		watch(changes, path);
		return true;
	}
	poll_fd.fd = changes->fd;
	return poll(&poll_fd, 1, 0) != 0;
}

void changes_forget(struct changes *changes)
{
	if (changes->watching)
		close(changes->fd);
	*changes = (struct changes){ 0 };
}
