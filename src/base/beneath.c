/* SPDX-License-Identifier: MIT */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DIRECTORY_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Copies the next component, and moves '*path' past it and the slashes that follow. */
static int next_component(const char **path, char name[NAME_MAX + 1])
{
	size_t size = strcspn(*path, "/");

	if (size > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, *path, size);
	name[size] = '\0';
	*path += size;
	*path += strspn(*path, "/");
	return strcmp(name, "..") == 0 ? -EXDEV : 0;
}

static int walk(int folder, const char *path, int flags, mode_t mode)
{
	char name[NAME_MAX + 1];
	int at = folder, rc = *path == '/' ? -EXDEV : 0;

	while (rc == 0) {
		int before = at;
		bool last;

		rc = next_component(&path, name);
		if (rc < 0)
			break;
		last = *path == '\0';
		at = openat(before, name, last ? flags : DIRECTORY_FLAGS, mode);
		if (at < 0)
			rc = -errno;
		/* With O_NOFOLLOW a link is not a directory. */
		if (rc == -ENOTDIR) {
			struct stat status;

			if (fstatat(before, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(status.st_mode))
				rc = -ELOOP;
		}
		if (before != folder)
			close(before);
		if (last && rc == 0)
			return at;
		if (rc < 0)
			return rc;
	}
	if (at != folder && at >= 0)
		close(at);
	return rc;
}

int beneath_walk(int folder, const char *path, int flags, mode_t mode)
{
	return walk(folder, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

int mc_open_beneath(int folder, const char *path, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_NOFOLLOW | O_CLOEXEC,
		.mode = (flags & O_CREAT) != 0 ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	if (fd >= 0)
		return (int)fd;
	/* A filter of system calls may say EPERM for what it does not know, and
	 * a rename meanwhile makes the kernel say EAGAIN. */
	if (errno == ENOSYS || errno == EPERM || errno == EAGAIN)
		return beneath_walk(folder, path, flags, mode);
	return -errno;
}

/* The "." makes a link that is the last component as bad as any. */
int mc_parent_beneath(int folder, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t size = slash != NULL ? (size_t)(slash + 1 - path) : 0;
	char parent[PATH_MAX];

	if (size + sizeof(".") > sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(parent, path, size);
	memcpy(parent + size, ".", sizeof("."));
	return mc_open_beneath(folder, parent, O_PATH | O_DIRECTORY, 0);
}

int mc_mkdirs_beneath(int folder, const char *path, mode_t mode)
{
	char name[NAME_MAX + sizeof("/.")];
	int at = folder, rc = 0;

	while (rc == 0 && strchr(path, '/') != NULL) {
		int before = at;

		rc = next_component(&path, name);
		if (rc == 0 && mkdirat(before, name, mode) != 0 && errno != EEXIST)
			rc = -errno;
		if (rc == 0) {
			memcpy(name + strlen(name), "/.", sizeof("/."));
			rc = at = mc_open_beneath(before, name, O_PATH | O_DIRECTORY, 0);
		}
		if (before != folder)
			close(before);
		if (rc < 0)
			return rc;
		rc = 0;
	}
	if (at != folder)
		close(at);
	return rc;
}

/* Removes the last component, with AT_REMOVEDIR if it is a directory. */
static int remove_last(int folder, const char *path, int flags)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	int parent = mc_parent_beneath(folder, path), rc = 0;
	struct stat status;

	if (parent < 0)
		return parent;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		rc = -errno;
	else if (flags == 0 && !S_ISREG(status.st_mode))
		rc = -EINVAL;
	else if (unlinkat(parent, name, flags) != 0)
		rc = -errno;
	close(parent);
	return rc;
}

int mc_remove_beneath(int folder, const char *path)
{
	char parent[PATH_MAX], *slash;
	size_t size = strlen(path);
	int rc = size < sizeof(parent) ? remove_last(folder, path, 0) : -ENAMETOOLONG;

	if (rc < 0)
		return rc;
	memcpy(parent, path, size + 1);
	while (rc == 0 && (slash = strrchr(parent, '/')) != NULL) {
		*slash = '\0';
		rc = remove_last(folder, parent, AT_REMOVEDIR);
	}
	return 0;
}

int mc_remove_file(const char *folder, const char *path)
{
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : mc_remove_beneath(fd, path);

	if (fd >= 0)
		close(fd);
	return rc;
}

int mc_open_folder(const char *path, mode_t mode)
{
	char name[PATH_MAX];
	size_t size = strlen(path);
	int fd;

	if (size >= sizeof(name))
		return -ENAMETOOLONG;
	memcpy(name, path, size + 1);
	for (char *slash = strchr(name + (size > 0), '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(name, mode) != 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	if (mkdir(name, mode) != 0 && errno != EEXIST)
		return -errno;
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
