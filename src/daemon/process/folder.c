/* SPDX-License-Identifier: MIT */
/* Folders of the daemon itself. */
#include "daemon/process/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static int make(const char *path)
{
	struct stat st;

	if (mkdir(path, 0755) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return errno == EEXIST ? -ENOTDIR : -errno;
}

int folder_make(const char *path)
{
	char *copy;
	int rc = 0;

	if (path[0] == '\0')
		return -ENOENT;
	copy = alloc_copy(path);
	for (char *slash = strchr(copy + 1, '/'); slash != NULL && rc == 0;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = make(copy);
		*slash = '/';
	}
	free(copy);
	return rc < 0 ? rc : make(path);
}

int folder_make_parent(const char *path)
{
	char *copy = alloc_copy(path), *slash = strrchr(copy, '/');
	int rc = 0;

	if (slash != NULL && slash != copy) {
		*slash = '\0';
		rc = folder_make(copy);
	}
	free(copy);
	return rc;
}

void folder_enter(const char *path)
{
	char *copy = alloc_copy(path), *slash;

	while (chdir(copy) != 0 && strcmp(copy, "/") != 0 && (slash = strrchr(copy, '/')) != NULL)
		slash[slash == copy] = '\0';
	free(copy);
}
