/* SPDX-License-Identifier: MIT */
/* Running without a terminal, as daemon(7) describes it for System V. */
#include "daemon/process/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "daemon/process/folder.h"

/* In the process that was started. */
static void wait_and_exit(int fd, pid_t child)
{
	unsigned char status = EX_OSERR; /* It died without a word. */
	ssize_t n;

	waitpid(child, NULL, 0);
	do
		n = read(fd, &status, 1);
	while (n < 0 && errno == EINTR);
	_exit(status);
}

int background_enter(struct background *background)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	fflush(NULL);
	child = fork();
	if (child < 0) {
		int errnum = errno;

		close(fds[0]);
		close(fds[1]);
		return -errnum;
	}
	if (child > 0) {
		close(fds[1]);
		wait_and_exit(fds[0], child);
	}
	close(fds[0]);
	setsid();
	/* A second time: a process that leads no session never gets a terminal again. */
	child = fork();
	if (child < 0)
		return -errno;
	if (child > 0)
		_exit(EX_OK);
	background->ready_fd = fds[1];
	return 0;
}

void background_report(struct background *background, int status)
{
	unsigned char byte = status;

	if (background->ready_fd < 0)
		return;
	/* If it was killed meanwhile, nobody wants to know. */
	if (write(background->ready_fd, &byte, 1) < 0)
		byte = 0;
	close(background->ready_fd);
	background->ready_fd = -1;
}

void background_detach(bool keep_stderr)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	if (!keep_stderr)
		dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int background_write_pid(struct background *background, const char *path)
{
	int fd, rc = 0;

	folder_make_parent(path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		rc = errno == EWOULDBLOCK ? -EEXIST : -errno;
	else if (ftruncate(fd, 0) != 0 || dprintf(fd, "%d\n", getpid()) < 0)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	background->pid_fd = fd;
	background->pid_path = path;
	return 0;
}

void background_remove_pid(struct background *background)
{
	if (background->pid_fd < 0)
		return;
	unlink(background->pid_path);
	close(background->pid_fd);
	background->pid_fd = -1;
}
