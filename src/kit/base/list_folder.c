/* SPDX-License-Identifier: MIT */
#include <collector/kit/list_folder.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define PATH_SIZE 1024

static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* 0, or an errno. */
static int add_all(struct mc_names *names, DIR *folder, const char *prefix)
{
	struct dirent *entry;

	while (errno = 0, (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		if (names->len == MC_NAMES_MAX)
			return E2BIG;
		if ((names->len & (names->len - 1)) == 0)
			names->items = mc_alloc_resize(names->items, names->len * 2 + 1,
						       sizeof(*names->items));
		names->items[names->len++] = mc_alloc_copy(entry->d_name);
	}
	return errno;
}

int mc_list_folder(struct mc_ctx *ctx, struct mc_names *names, const char *path, const char *prefix)
{
	char full[PATH_SIZE];
	int rc = mc_list_path(names, mc_path(ctx, path, full, sizeof(full)), prefix);

	return rc != 0 ? mc_fail(ctx, -rc, "cannot list '%s'", path) : 0;
}

int mc_list_path(struct mc_names *names, const char *full, const char *prefix)
{
	DIR *folder = opendir(full);
	int errnum;

	if (folder == NULL)
		return -errno;
	errnum = add_all(names, folder, prefix);
	closedir(folder);
	if (errnum != 0) {
		mc_names_done(names);
		return -errnum;
	}
	if (names->len > 0)
		qsort(names->items, names->len, sizeof(*names->items), compare);
	return 0;
}

void mc_names_done(struct mc_names *names)
{
	for (size_t i = 0; i < names->len; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct mc_names){ 0 };
}
