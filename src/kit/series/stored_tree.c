/* SPDX-License-Identifier: MIT */
#include "kit/series/stored_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)

struct walk {
	struct mc_ctx *ctx;
	const struct mc_stored_walk *asked;
	size_t entries;
	char path[PATH_MAX];
};

static bool walk_folder(struct walk *walk, int fd, size_t size, unsigned level);

/* False: it is enough. */
static bool walk_entry(struct walk *walk, int fd, size_t size, unsigned level,
		       const struct dirent *entry)
{
	bool file = entry->d_type == DT_REG, folder = entry->d_type == DT_DIR;
	const struct mc_stored_file shown = { fd, entry->d_name, walk->path };
	size_t added;
	int below;

	if (entry->d_type == DT_UNKNOWN) /* The opener finds out. */
		file = folder = true;
	if (file && level >= walk->asked->least &&
	    !walk->asked->show(walk->asked->argument, &shown))
		return false;
	if (level == walk->asked->most)
		return true;
	added = (size_t)snprintf(walk->path + size, sizeof(walk->path) - size, "%s%s",
				 size > 0 ? "/" : "", entry->d_name);
	if (!folder || added >= sizeof(walk->path) - size)
		return true;
	below = openat(fd, entry->d_name, FOLDER | O_NOFOLLOW);
	return below < 0 || walk_folder(walk, below, size + added, level + 1);
}

/* Takes over the descriptor. */
static bool walk_folder(struct walk *walk, int fd, size_t size, unsigned level)
{
	DIR *entries = fdopendir(fd);
	struct dirent *entry;
	bool more = true;

	if (entries == NULL) {
		close(fd);
		return true;
	}
	while (more && (entry = readdir(entries)) != NULL) {
		more = ++walk->entries <= MC_STORED_TREE_MAX && !mc_stopping(walk->ctx);
		if (more && entry->d_name[0] != '.')
			more = walk_entry(walk, fd, size, level, entry);
		walk->path[size] = '\0';
	}
	closedir(entries);
	return more;
}

int mc_stored_tree(struct mc_ctx *ctx, const char *folder, const struct mc_stored_walk *asked)
{
	struct walk walk = { .ctx = ctx, .asked = asked };
	int fd = open(folder, FOLDER);

	if (fd < 0)
		return -errno;
	walk_folder(&walk, fd, 0, 0);
	return walk.entries > MC_STORED_TREE_MAX ? -E2BIG : 0;
}
