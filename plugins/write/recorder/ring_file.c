/* SPDX-License-Identifier: MIT */
/* All of the file has its place on the disk before it is mapped: a disk that is full later would
 * else kill the process, by SIGBUS. */
#include "ring_file.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "ring"
#define LEFT "ring.left"   /* By a process that was killed. */
#define TRIED "ring.tried" /* Such a one, while it is read. */
#define LEFT_SIZE_MAX ((off_t)1 << 30)

/* Whether there was one, which now is where nobody reads it. */
static bool give_up(int folder, const char *name)
{
	return renameat(folder, name, folder, RING_FILE_FAILED) == 0;
}

/* Renames what is there.  -EBUSY: it is in use. */
static int set_aside(int folder, bool *gave_up)
{
	int fd = openat(folder, NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int rc = 0;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return -EBUSY;
	}
	/* A file that ends a process twice would do so for ever. */
	*gave_up = give_up(folder, TRIED);
	if (fd < 0)
		return 0;
	*gave_up |= give_up(folder, LEFT);
	if (renameat(folder, NAME, folder, LEFT) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int make(struct ring_file *file, int folder)
{
	int rc = set_aside(folder, &file->gave_up);

	if (rc < 0)
		return rc;
	file->fd = openat(folder, NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file->fd < 0)
		return -errno;
	if (flock(file->fd, LOCK_EX | LOCK_NB) < 0)
		return -EBUSY;
	rc = -posix_fallocate(file->fd, 0, (off_t)file->size);
	if (rc < 0)
		return rc;
	file->memory = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	return file->memory != MAP_FAILED ? 0 : -errno;
}

int ring_file_open(struct ring_file *file, int folder, size_t size)
{
	int rc;

	*file = (struct ring_file){ .size = size, .fd = -1 };
	rc = make(file, folder);
	if (rc == 0)
		return 0;
	if (file->fd >= 0) {
		close(file->fd);
		unlinkat(folder, NAME, 0);
	}
	*file = (struct ring_file){ .size = size, .fd = -1, .gave_up = file->gave_up };
	if (rc == -EBUSY)
		return rc;
	file->memory = mc_alloc_zero(size);
	return rc;
}

void ring_file_close(struct ring_file *file, int folder)
{
	if (file->fd >= 0) {
		munmap(file->memory, file->size);
		unlinkat(folder, NAME, 0);
		close(file->fd);
	} else {
		free(file->memory);
	}
	*file = (struct ring_file){ .fd = -1 };
}

static void *read_all(int fd, size_t size)
{
	char *bytes = mc_alloc_zero(size);
	size_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, bytes + at, size - at, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	return bytes;
}

void *ring_file_take_left(int folder, size_t *size)
{
	struct stat status;
	void *bytes = NULL;
	int fd;

	if (renameat(folder, LEFT, folder, TRIED) < 0)
		return NULL;
	fd = openat(folder, TRIED, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    status.st_size <= LEFT_SIZE_MAX) {
		*size = (size_t)status.st_size;
		bytes = read_all(fd, *size);
	}
	close(fd);
	return bytes;
}

void ring_file_forget_left(int folder)
{
	unlinkat(folder, TRIED, 0);
}

void ring_file_keep_left(int folder)
{
	renameat(folder, TRIED, folder, LEFT);
}
