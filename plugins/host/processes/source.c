/* SPDX-License-Identifier: MIT */
/* The files of /proc/PID/. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 300

/* "PID/NAME", cut; by hand, because it is made for each process at each read.
 */
static void write_path(char path[PATH_SIZE], uint32_t pid, const char *name)
{
	char digits[10];
	size_t len = 0, at = 0;

	do
		digits[len++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (len > 0)
		path[at++] = digits[--len];
	path[at++] = '/';
	while (*name != '\0' && at < PATH_SIZE - 1)
		path[at++] = *name++;
	path[at] = '\0';
}

static int open_file(const struct source *source, uint32_t pid,
		     const char *name, int flags)
{
	char path[PATH_SIZE];

	write_path(path, pid, name);
	return openat(source->folder, path, O_RDONLY | O_CLOEXEC | flags);
}

/* The kernel gives such a text at once; -ENOENT of one that is gone. */
static ssize_t read_text(struct source *source, int fd)
{
	ssize_t size;

	do
		size = pread(fd, source->text, SOURCE_TEXT_SIZE, 0);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	source->text[size] = '\0';
	return size;
}

ssize_t source_read(struct source *source, uint32_t pid, const char *name)
{
	int fd = open_file(source, pid, name, 0);
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = read_text(source, fd);
	close(fd);
	return size;
}

ssize_t source_read_kept(struct source *source, uint32_t pid, const char *name,
			 int *fd)
{
	ssize_t size;

	if (*fd >= 0) {
		size = read_text(source, *fd);
		if (size > 0)
			return size;
		source_close(source, fd); /* It has ended. */
	}
	if (source->kept >= source->kept_max)
		return source_read(source, pid, name);
	*fd = open_file(source, pid, name, 0);
	if (*fd < 0)
		return -errno;
	source->kept++;
	size = read_text(source, *fd);
	if (size <= 0)
		source_close(source, fd);
	return size;
}

void source_close(struct source *source, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	source->kept--;
}

DIR *source_open_folder(struct source *source, uint32_t pid, const char *name)
{
	int fd = open_file(source, pid, name, O_DIRECTORY);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && folder == NULL)
		close(fd);
	return folder;
}

int64_t source_count_entries(struct source *source, uint32_t pid,
			     const char *name)
{
	DIR *folder = source_open_folder(source, pid, name);
	const struct dirent *entry;
	int64_t count = 0;

	if (folder == NULL)
		return -errno;
	while ((entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.')
			count++;
	closedir(folder);
	return count;
}

int64_t source_count_lines(struct source *source, uint32_t pid,
			   const char *name)
{
	int fd = open_file(source, pid, name, 0);
	int64_t count = 0;
	ssize_t size;

	if (fd < 0)
		return -errno;
	while ((size = read(fd, source->text, SOURCE_TEXT_SIZE)) > 0)
		for (ssize_t i = 0; i < size; i++)
			if (source->text[i] == '\n')
				count++;
	if (size < 0)
		count = -errno;
	close(fd);
	return count;
}
