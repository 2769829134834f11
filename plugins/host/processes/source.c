/* SPDX-License-Identifier: MIT */
/* The files of /proc/PID/. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t source_read(struct mc_kept_files *source, uint32_t pid, const char *name)
{
	char path[MC_KEPT_PATH_SIZE];

	return mc_kept_read_once(source, mc_kept_pid_path(path, pid, name));
}

ssize_t source_read_kept(struct mc_kept_files *source, uint32_t pid, const char *name, int *fd)
{
	char path[MC_KEPT_PATH_SIZE];

	return mc_kept_read(source, mc_kept_pid_path(path, pid, name), fd);
}

DIR *source_open_folder(struct mc_kept_files *source, uint32_t pid, const char *name)
{
	char path[MC_KEPT_PATH_SIZE];

	return mc_kept_open_folder(source, mc_kept_pid_path(path, pid, name));
}

int64_t source_count_entries(struct mc_kept_files *source, uint32_t pid, const char *name)
{
	char path[MC_KEPT_PATH_SIZE];

	return mc_kept_count_entries(source, mc_kept_pid_path(path, pid, name));
}

int64_t source_count_lines(struct mc_kept_files *source, uint32_t pid, const char *name)
{
	char path[MC_KEPT_PATH_SIZE];
	int fd = openat(source->folder, mc_kept_pid_path(path, pid, name), O_RDONLY | O_CLOEXEC);
	int64_t count = 0;
	ssize_t size;

	if (fd < 0)
		return -errno;
	while ((size = read(fd, source->text, MC_KEPT_TEXT_SIZE)) > 0)
		for (ssize_t i = 0; i < size; i++)
			if (source->text[i] == '\n')
				count++;
	if (size < 0)
		count = -errno;
	close(fd);
	return count;
}
