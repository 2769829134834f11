/* SPDX-License-Identifier: MIT */
/* Writes are by pwrite() alone, as those of the journal: no mapping, which turns a full disk into a
 * signal.  A record that is damaged is skipped byte by byte, until there is one again. */
#include "engine/catalogue/catalogue_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define MODE 0600
#define READ_SIZE ((size_t)1 << 20)
#define SLACK ((uint64_t)1 << 20) /* Bytes that are out of date, at least, of an old file. */

static int write_all(int fd, uint64_t at, const uint8_t *data, size_t size)
{
	while (size > 0) {
		ssize_t done = pwrite(fd, data, size, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		data += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/* Its path with an ending. */
static char *beside(const struct catalogue_file *file, const char *ending)
{
	size_t size = strlen(file->path) + strlen(ending) + 1;
	char *path = alloc_resize(NULL, size, 1);

	snprintf(path, size, "%s%s", file->path, ending);
	return path;
}

/* A regular file that no other process has open. */
static int open_own(const char *path, int flags)
{
	int fd = open(path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, MODE);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		rc = -EINVAL;
	else if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/* --- Reading --------------------------------------------------------------- */

struct walk {
	void (*show)(void *argument, const struct catalogue_record *);
	void *argument;
	uint64_t damaged;
};

/* Shows the records in 'data'; returns the bytes that are left: of one that needs more. */
static size_t show_records(struct walk *walk, const uint8_t *data, size_t size)
{
	struct catalogue_record record;

	while (size > 0) {
		int taken = catalogue_record_read(data, size, &record);

		if (taken == 0)
			break;
		if (taken > 0)
			walk->show(walk->argument, &record);
		else
			walk->damaged++;
		data += taken > 0 ? taken : 1;
		size -= taken > 0 ? (size_t)taken : 1;
	}
	return size;
}

/* The last bytes seem to be the begin of a record: it is incomplete, or its size is damaged, and
 * there are records after it. */
static void show_tail(struct walk *walk, const uint8_t *data, size_t size)
{
	while (size > 0) {
		size_t left;

		walk->damaged++;
		left = show_records(walk, ++data, --size);
		if (left == size && size < CATALOGUE_RECORD_PART)
			break;
		data += size - left;
		size = left;
	}
	walk->damaged += size;
}

/* Cuts off what is incomplete at the end. */
static int read_records(struct catalogue_file *file, struct walk *walk)
{
	uint8_t *data = alloc_resize(NULL, READ_SIZE, 1);
	uint64_t at = CATALOGUE_RECORD_HEAD;
	size_t left = 0;
	ssize_t got;

	while ((got = pread(file->fd, data + left, READ_SIZE - left, (off_t)at)) > 0) {
		size_t size = left + (size_t)got;

		at += (uint64_t)got;
		left = show_records(walk, data, size);
		memmove(data, data + size - left, left);
	}
	if (got < 0) {
		free(data);
		return -errno;
	}
	file->size = at;
	if (left > 0) {
		uint64_t before = walk->damaged;

		show_tail(walk, data, left);
		if (walk->damaged - before == left) { /* It has no record. */
			file->size = at - left;
			if (ftruncate(file->fd, (off_t)file->size) < 0)
				left = SIZE_MAX;
		}
	}
	free(data);
	return left == SIZE_MAX ? -errno : 0;
}

static int write_head(int fd)
{
	uint8_t head[CATALOGUE_RECORD_HEAD];

	catalogue_record_write_head(head);
	return write_all(fd, 0, head, sizeof(head));
}

/* Another version's, or none at all: it is kept under another name. */
static int set_aside(struct catalogue_file *file)
{
	char *old = beside(file, ".old");
	int rc = rename(file->path, old) < 0 ? -errno : 0;

	free(old);
	close(file->fd);
	file->fd = -1;
	if (rc == 0) {
		rc = open_own(file->path, O_CREAT | O_EXCL);
		file->fd = rc < 0 ? -1 : rc;
	}
	return rc < 0 ? rc : 0;
}

static int check_head(struct catalogue_file *file, struct catalogue_file_damage *damage)
{
	uint8_t head[CATALOGUE_RECORD_HEAD];
	ssize_t size = pread(file->fd, head, sizeof(head), 0);
	int rc = 0, version;

	if (size < 0)
		return -errno;
	version = catalogue_record_check_head(head, (size_t)size);
	file->is_earlier = version > 0 && version < CATALOGUE_RECORD_VERSION;
	if (size > 0 && version < 0) {
		damage->foreign = true;
		rc = set_aside(file);
		size = 0;
	}
	if (rc == 0 && size == 0)
		rc = write_head(file->fd);
	return rc;
}

int catalogue_file_open(struct catalogue_file *file, const char *path,
			void (*show)(void *argument, const struct catalogue_record *),
			void *argument, struct catalogue_file_damage *damage)
{
	struct walk walk = { show, argument, 0 };
	int rc;

	*damage = (struct catalogue_file_damage){ 0 };
	*file = (struct catalogue_file){ .path = alloc_copy(path) };
	rc = open_own(path, O_CREAT);
	file->fd = rc < 0 ? -1 : rc;
	if (rc >= 0)
		rc = check_head(file, damage);
	if (rc == 0)
		rc = read_records(file, &walk);
	damage->bytes = walk.damaged;
	file->size_new = file->size;
	if (rc < 0 && file->fd >= 0) {
		close(file->fd);
		file->fd = -1;
	}
	return rc;
}

/* --- Writing --------------------------------------------------------------- */

int catalogue_file_append(struct catalogue_file *file, const uint8_t *records, size_t size)
{
	int rc = write_all(file->fd, file->size, records, size);

	if (rc == 0 && fdatasync(file->fd) < 0)
		rc = -errno;
	if (rc == 0)
		file->size += size;
	else if (ftruncate(file->fd, (off_t)file->size) < 0)
		return rc; /* A torn tail: the next start cuts it off. */
	return rc;
}

bool catalogue_file_is_old(const struct catalogue_file *file)
{
	return file->size > file->size_new + file->size_new / 2 + SLACK;
}

void catalogue_file_rewrite_begin(struct catalogue_file *file, struct catalogue_rewrite *rewrite)
{
	char *path = beside(file, ".new");

	*rewrite = (struct catalogue_rewrite){ .fd = -1, .size = CATALOGUE_RECORD_HEAD };
	if (unlink(path) < 0 && errno != ENOENT)
		rewrite->error = -errno;
	if (rewrite->error == 0)
		rewrite->fd = open_own(path, O_CREAT | O_EXCL);
	if (rewrite->error == 0)
		rewrite->error = rewrite->fd < 0 ? rewrite->fd : write_head(rewrite->fd);
	free(path);
}

void catalogue_file_rewrite_add(struct catalogue_rewrite *rewrite, const uint8_t *records,
				size_t size)
{
	if (rewrite->error == 0)
		rewrite->error = write_all(rewrite->fd, rewrite->size, records, size);
	rewrite->size += size;
}

int catalogue_file_rewrite_end(struct catalogue_file *file, struct catalogue_rewrite *rewrite)
{
	char *path = beside(file, ".new");

	if (rewrite->error == 0 && (fdatasync(rewrite->fd) < 0 || rename(path, file->path) < 0))
		rewrite->error = -errno;
	if (rewrite->error == 0) {
		if (file->fd >= 0)
			close(file->fd);
		file->fd = rewrite->fd;
		file->size = file->size_new = rewrite->size;
		file->is_earlier = false;
	} else if (rewrite->fd >= 0) {
		unlink(path);
		close(rewrite->fd);
	}
	free(path);
	return rewrite->error;
}

void catalogue_file_close(struct catalogue_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct catalogue_file){ .fd = -1 };
}
