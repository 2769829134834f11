/* SPDX-License-Identifier: MIT */
/* Files that may never answer: open(2), read(2) and readdir(3) have no limit in
 * time, and a process that waits for a server cannot be woken up. */
#include "base/slow_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define PATIENCE (5 * MC_SECOND)
#define PATIENCE_REST (MC_SECOND / 2) /* While another one hangs. */
#define SIZE_MAX_READ ((size_t)64 << 20)

struct trial {
	int folder; /* Where the path starts; of the caller's thread. */
	struct stat status;
	char path[];
};

static int list(int fd)
{
	DIR *folder = fdopendir(fd);

	if (folder == NULL) {
		close(fd);
		return -errno;
	}
	do
		errno = 0;
	while (readdir(folder) != NULL);
	closedir(folder);
	return 0; /* The reader reports what is wrong. */
}

static int read_to_end(int fd)
{
	char *bytes = alloc_array(65536, 1);
	size_t size = 0;
	ssize_t n;

	do {
		n = read(fd, bytes, 65536);
		size += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && size < SIZE_MAX_READ) || (n < 0 && errno == EINTR));
	n = n < 0 ? -errno : 0;
	explicit_bzero(bytes, 65536); /* It may be a key. */
	free(bytes);
	close(fd);
	return (int)n;
}

static int read_or_list(struct trial *trial)
{
	int fd = openat(trial->folder, trial->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && fstat(fd, &trial->status) != 0)
		rc = -errno;
	if (rc == 0 && S_ISDIR(trial->status.st_mode))
		return list(fd);
	if (rc == 0 && S_ISREG(trial->status.st_mode))
		return read_to_end(fd);
	if (rc == 0 && S_ISFIFO(trial->status.st_mode))
		rc = -ESPIPE;
	if (fd >= 0)
		close(fd);
	return rc;
}

static int try(void *argument)
{
	struct trial *trial = argument;
	int rc = read_or_list(trial);

	if (trial->folder >= 0)
		close(trial->folder);
	trial->folder = AT_FDCWD;
	/* These two are timed_calls_run()'s. */
	return rc == -ETIMEDOUT || rc == -EAGAIN ? -EIO : rc;
}

int slow_file_try(struct timed_calls *calls, const char *path, struct stat *status)
{
	bool others = timed_calls_busy(calls) > 0;
	size_t size = strlen(path) + 1;
	struct trial *trial = alloc_zero(sizeof(*trial) + size);
	int rc;

	/* The helper may have another current folder, see unshare(2). */
	trial->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (trial->folder < 0)
		trial->folder = AT_FDCWD;
	memcpy(trial->path, path, size);
	rc = timed_calls_run(calls, others ? PATIENCE_REST : PATIENCE, try, trial);
	if (rc == -ETIMEDOUT) /* The trial is the helper's now. */
		return rc;
	if (rc == -EAGAIN && trial->folder >= 0)
		close(trial->folder);
	if (rc == 0 && status != NULL)
		*status = trial->status;
	free(trial);
	return rc;
}

bool slow_file_hangs(int rc)
{
	return rc == -ETIMEDOUT || rc == -EAGAIN;
}

const char *slow_file_reason(int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		return "it does not answer";
	case -EAGAIN:
		return "too many files do not answer";
	case -ESPIPE:
		return "it is a pipe, not a file";
	default:
		return strerror(-rc);
	}
}
