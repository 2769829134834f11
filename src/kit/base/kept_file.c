/* SPDX-License-Identifier: MIT */
#include "kit/base/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

size_t mc_kept_limit(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur / 2;
}

/* By hand, because it is made for each process at each read. */
const char *mc_kept_pid_path(char out[MC_KEPT_PATH_SIZE], uint32_t pid, const char *name)
{
	char digits[10];
	size_t len = 0, at = 0;

	do
		digits[len++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (len > 0)
		out[at++] = digits[--len];
	out[at++] = '/';
	while (*name != '\0' && at < MC_KEPT_PATH_SIZE - 1)
		out[at++] = *name++;
	out[at] = '\0';
	return out;
}

static int open_file(const struct mc_kept_files *files, const char *path, int flags)
{
	return openat(files->folder, path, O_RDONLY | O_CLOEXEC | flags);
}

/* The kernel gives such a text at once. */
static ssize_t read_text(struct mc_kept_files *files, int fd)
{
	ssize_t size;

	do
		size = pread(fd, files->text, MC_KEPT_TEXT_SIZE, 0);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	files->text[size] = '\0';
	return size;
}

ssize_t mc_kept_read_once(struct mc_kept_files *files, const char *path)
{
	int fd = open_file(files, path, 0);
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = read_text(files, fd);
	close(fd);
	return size;
}

ssize_t mc_kept_read(struct mc_kept_files *files, const char *path, int *fd)
{
	ssize_t size;

	if (*fd >= 0) {
		size = read_text(files, *fd);
		if (size > 0)
			return size;
		mc_kept_close(files, fd); /* It has ended. */
	}
	if (files->kept >= files->kept_max)
		return mc_kept_read_once(files, path);
	*fd = open_file(files, path, 0);
	if (*fd < 0)
		return -errno;
	files->kept++;
	size = read_text(files, *fd);
	if (size <= 0)
		mc_kept_close(files, fd);
	return size;
}

void mc_kept_close(struct mc_kept_files *files, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	files->kept--;
}

DIR *mc_kept_open_folder(struct mc_kept_files *files, const char *path)
{
	int fd = open_file(files, path, O_DIRECTORY);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && folder == NULL)
		close(fd);
	return folder;
}

int64_t mc_kept_count_entries(struct mc_kept_files *files, const char *path)
{
	DIR *folder = mc_kept_open_folder(files, path);
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
