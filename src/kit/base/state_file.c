/* SPDX-License-Identifier: MIT */
#include <collector/kit/state_file.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MIN 65536               /* Less is not worth the trouble. */
#define READ_MAX ((size_t)256 << 20) /* A million of states. */

int mc_state_file_read(const char *path, struct mc_buffer *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = -1;
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	do {
		mc_buffer_reserve(text, text->size + 65536);
		n = read(fd, text->at + text->size, 65535);
		if (n > 0)
			text->size += (size_t)n;
	} while ((n > 0 && text->size < READ_MAX) || (n < 0 && errno == EINTR));
	rc = n < 0 ? -errno : n > 0 ? -EFBIG : 0;
	close(fd);
	return rc;
}

static int write_all(int fd, const char *at, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int mc_state_file_append(struct mc_state_file *file, const struct mc_buffer *text)
{
	int rc;

	if (file->replacing)
		mc_buffer_add(&file->pending, text->at, text->size);
	if (file->fd < 0)
		return -EBADF;
	rc = write_all(file->fd, text->at, text->size);
	file->appended += text->size;
	file->unsynced = true;
	if (rc < 0) { /* Its end may be half a line. */
		close(file->fd);
		file->fd = -1;
	}
	return rc;
}

bool mc_state_file_is_old(const struct mc_state_file *file)
{
	return file->fd < 0 || file->appended > file->size + SIZE_MIN;
}

/* So that the new name is safe, too; on a file system that cannot, it is as
 * safe as that makes it. */
static void sync_folder(const char *path)
{
	char *copy = mc_alloc_copy(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(copy);
}

/* Returns the descriptor, or -errno: then the file before is still there. */
static int put_in_place(const char *path, const struct mc_buffer *text, bool sync)
{
	char *new_path = mc_alloc_printf("%s.new", path);
	int fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		      0640);
	int rc = fd < 0 ? -errno : write_all(fd, text->at, text->size);

	if (rc == 0 && sync && fsync(fd) < 0)
		rc = -errno;
	if (rc == 0 && rename(new_path, path) < 0)
		rc = -errno;
	if (rc < 0 && fd >= 0) {
		unlink(new_path);
		close(fd);
	}
	free(new_path);
	return rc < 0 ? rc : fd;
}

int mc_state_file_write(const char *path, const struct mc_buffer *text)
{
	int fd = put_in_place(path, text, true);

	if (fd >= 0)
		sync_folder(path);
	return fd;
}

int mc_state_file_replace(const char *path, const struct mc_buffer *text)
{
	int fd = put_in_place(path, text, false);

	if (fd < 0)
		return fd;
	return close(fd) < 0 ? -errno : 0;
}

int mc_state_file_take(struct mc_state_file *file, int fd, size_t size)
{
	int rc = fd < 0 ? fd : 0;

	file->replacing = false;
	if (fd >= 0) {
		if (file->fd >= 0)
			close(file->fd);
		file->fd = fd;
		file->size = size;
		file->appended = 0;
		rc = mc_state_file_append(file, &file->pending);
	}
	mc_buffer_clear(&file->pending);
	return rc;
}

void mc_state_file_close(struct mc_state_file *file)
{
	if (file->fd >= 0) {
		fdatasync(file->fd);
		close(file->fd);
	}
	mc_buffer_free(&file->pending);
	free(file->path);
}
