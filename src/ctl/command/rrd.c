/* SPDX-License-Identifier: MIT */
/* Directories are opened one below the other and never by way of a link, so that nothing outside
 * of the tree can be reached, even if others may write in it. */
#include "ctl/command/rrd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

enum { DEPTH = 2 }; /* Directories of plugins are in those of hosts. */

static bool is_rrd(const char *name)
{
	size_t size = strlen(name);

	return size > 4 && name[0] != '.' && strcmp(name + size - 4, ".rrd") == 0;
}

/* The directory 'name' in 'parent', or NULL. */
static DIR *open_below(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir == NULL && fd >= 0)
		close(fd);
	return dir;
}

/* Whether a failure only says that something was removed, or replaced. */
static bool is_gone(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* Adds what is in a directory to the host's figures; 0, or -errno if not all could be read. */
static int count(DIR *dir, int depth, struct rrd_host *host)
{
	const struct dirent *entry;
	int rc = 0;

	while (errno = 0, (entry = readdir(dir)) != NULL) {
		struct stat status;
		DIR *below;
		int failed;

		if (entry->d_name[0] == '.')
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
			rc = is_gone(errno) ? rc : -errno;
			continue;
		}
		if (S_ISREG(status.st_mode) && is_rrd(entry->d_name)) {
			host->files_len++;
			host->size += (uint64_t)status.st_size;
			if (status.st_mtime > host->last)
				host->last = status.st_mtime;
		} else if (S_ISDIR(status.st_mode) && depth < DEPTH) {
			below = open_below(dirfd(dir), entry->d_name);
			if (below == NULL)
				failed = is_gone(errno) ? 0 : -errno;
			else
				failed = count(below, depth + 1, host);
			if (below != NULL)
				closedir(below);
			rc = failed != 0 ? failed : rc;
		}
	}
	return errno != 0 ? -errno : rc;
}

static int compare(const void *a, const void *b)
{
	const struct rrd_host *left = a, *right = b;

	if (left->last != right->last)
		return left->last < right->last ? -1 : 1;
	return strcmp(left->name, right->name);
}

static void note_unread(struct rrd_hosts *hosts, const char *name, int error)
{
	if (hosts->unread_len++ > 0)
		return;
	hosts->unread = alloc_copy(name);
	hosts->error = error;
}

int rrd_find(const char *directory, time_t before, struct rrd_hosts *hosts)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	if (dir == NULL)
		return -errno;
	*hosts = (struct rrd_hosts){ 0 };
	while ((entry = readdir(dir)) != NULL) {
		struct rrd_host host = { 0 };
		DIR *below = entry->d_name[0] != '.' ? open_below(dirfd(dir), entry->d_name) : NULL;
		int rc;

		if (below == NULL)
			continue;
		rc = count(below, 1, &host);
		closedir(below);
		if (rc < 0)
			note_unread(hosts, entry->d_name, rc);
		if (host.files_len == 0 || host.last >= before || (rc < 0 && before != RRD_ALL))
			continue;
		host.name = alloc_copy(entry->d_name);
		hosts->items = alloc_resize(hosts->items, hosts->len + 1, sizeof(*hosts->items));
		hosts->items[hosts->len++] = host;
	}
	closedir(dir);
	if (hosts->len > 0)
		qsort(hosts->items, hosts->len, sizeof(*hosts->items), compare);
	return 0;
}

void rrd_free(struct rrd_hosts *hosts)
{
	for (size_t i = 0; i < hosts->len; i++)
		free(hosts->items[i].name);
	free(hosts->items);
	free(hosts->unread);
	*hosts = (struct rrd_hosts){ 0 };
}

/* Removes the files of a directory, and it if it is then empty. */
static int delete_below(int parent, const char *name, int depth)
{
	DIR *dir = open_below(parent, name);
	const struct dirent *entry;
	int rc = dir != NULL ? 0 : -errno;

	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		struct stat status;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(status.st_mode) && depth < DEPTH)
			rc = delete_below(dirfd(dir), entry->d_name, depth + 1);
		else if (S_ISREG(status.st_mode) && is_rrd(entry->d_name) &&
			 unlinkat(dirfd(dir), entry->d_name, 0) != 0)
			rc = -errno;
	}
	if (dir != NULL)
		closedir(dir);
	if (rc == 0 && unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY &&
	    errno != EEXIST)
		rc = -errno;
	return rc;
}

int rrd_delete(const char *directory, const char *host)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = delete_below(fd, host, 1);
	close(fd);
	return rc;
}

int rrd_archive(const char *directory, const char *folder, const char *host)
{
	int from = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	/* Not every libc has a function. */
	if (from < 0 || to < 0 ||
	    syscall(SYS_renameat2, from, host, to, host, RENAME_NOREPLACE) != 0)
		rc = -errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return rc;
}
