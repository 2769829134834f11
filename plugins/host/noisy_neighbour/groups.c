/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "parse.h"

/* In place of the number of a guest: such a group is named itself. */
#define NO_GUEST (-1)
#define SEVERAL_GUESTS (-2)

/* --- The hierarchy -------------------------------------------------------- */

void groups_init(struct groups *groups)
{
	groups->files.folder = -1;
	groups->files.kept_max = mc_kept_limit() / 4;
}

void groups_find_mount(struct groups *groups, struct mc_ctx *ctx)
{
	static const struct {
		const char *mount, *file;
		unsigned version;
	} places[] = {
		{ "/sys/fs/cgroup", "cgroup.controllers", 2 },
		{ "/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1 },
		{ "/sys/fs/cgroup/cpu,cpuacct", "cpuacct.usage", 1 },
		{ "/sys/fs/cgroup/unified", "cgroup.controllers", 2 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && groups->version == 0; i++) {
		char path[128], full[4096];

		snprintf(path, sizeof(path), "%s/%s", places[i].mount, places[i].file);
		if (access(mc_path(ctx, path, full, sizeof(full)), R_OK) != 0)
			continue;
		snprintf(groups->mount, sizeof(groups->mount), "%s", places[i].mount);
		groups->version = places[i].version;
	}
}

void groups_enter(struct groups *groups, struct mc_ctx *ctx)
{
	char full[4096];

	if (groups->version != 0)
		groups->files.folder = open(mc_path(ctx, groups->mount, full, sizeof(full)),
					    O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void groups_leave(struct groups *groups)
{
	if (groups->files.folder >= 0)
		close(groups->files.folder);
	groups->files.folder = -1;
}

/* --- The groups ----------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct one_group *)a)->path, ((const struct one_group *)b)->path);
}

static struct one_group *find(const struct groups *groups, size_t len, const char *path)
{
	struct one_group key = { .path = (char *)path };

	return len > 0 ? bsearch(&key, groups->items, len, sizeof(key), compare) : NULL;
}

/* The first 'old' ones are in order. */
static void add(struct groups *groups, size_t old, const char *path)
{
	struct one_group *group = find(groups, old, path);

	if (group == NULL && groups->len < GROUPS_MAX) {
		MC_ARRAY_GROW(groups->items, groups->len, groups->room);
		group = &groups->items[groups->len++];
		*group = (struct one_group){ .path = mc_alloc_copy(path), .fd = -1 };
	}
	if (group != NULL)
		group->is_there = true;
}

static bool is_folder(int folder, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_name[0] == '.')
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

static void walk_slice(struct groups *groups, size_t old, const char *slice)
{
	DIR *folder = mc_kept_open_folder(&groups->files, slice);
	const struct dirent *entry;
	bool has_groups = false;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		char path[GUESTS_GROUP_SIZE];

		if (!is_folder(dirfd(folder), entry))
			continue;
		has_groups = true;
		if (snprintf(path, sizeof(path), "%s/%s", slice, entry->d_name) < (int)sizeof(path))
			add(groups, old, path);
	}
	if (!has_groups)
		add(groups, old, slice);
	closedir(folder);
}

static void forget_gone(struct groups *groups)
{
	size_t len = 0;

	for (size_t i = 0; i < groups->len; i++) {
		if (groups->items[i].is_there) {
			groups->items[len++] = groups->items[i];
			continue;
		}
		mc_kept_close(&groups->files, &groups->items[i].fd);
		free(groups->items[i].path);
	}
	groups->len = len;
}

static void walk(struct groups *groups, DIR *folder)
{
	size_t old = groups->len;
	const struct dirent *entry;

	for (size_t i = 0; i < groups->len; i++)
		groups->items[i].is_there = false;
	while ((entry = readdir(folder)) != NULL)
		if (is_folder(dirfd(folder), entry))
			walk_slice(groups, old, entry->d_name);
	forget_gone(groups);
	if (groups->len > 1)
		qsort(groups->items, groups->len, sizeof(*groups->items), compare);
}

void groups_scan(struct groups *groups, struct mc_ctx *ctx)
{
	DIR *folder;

	groups_enter(groups, ctx);
	folder = mc_kept_open_folder(&groups->files, ".");
	if (folder != NULL) {
		walk(groups, folder);
		closedir(folder);
	}
	groups_leave(groups);
}

/* --- What they used ------------------------------------------------------- */

static void read_one(struct groups *groups, struct one_group *group, struct blame_group *used,
		     double time)
{
	char path[MC_KEPT_PATH_SIZE];
	uint64_t usage;

	*used = (struct blame_group){ .guest = NO_GUEST };
	snprintf(path, sizeof(path), "%s/%s", group->path,
		 groups->version == 1 ? "cpuacct.usage" : "cpu.stat");
	if (mc_kept_read(&groups->files, path, &group->fd) <= 0 ||
	    !parse_usage(groups->files.text, groups->version, &usage)) {
		group->has_before = false;
		return;
	}
	if (group->has_before && usage > group->usage && time > 0)
		used->run = (double)(usage - group->usage) / time;
	group->usage = usage;
	group->has_before = true;
}

/* The group that the process of a guest is in, or below. */
static struct one_group *group_of(const struct groups *groups, const struct guest *guest)
{
	char path[GUESTS_GROUP_SIZE];
	char *slash;

	snprintf(path, sizeof(path), "%s", guest->group);
	for (;;) {
		struct one_group *group = find(groups, groups->len, path);

		slash = strrchr(path, '/');
		if (group != NULL || slash == NULL)
			return group;
		*slash = '\0';
	}
}

/* The rest in a guest's own group are its other threads. */
static void take_guest(struct groups *groups, const struct guests *guests, size_t number)
{
	const struct guest *guest = &guests->items[number];
	const struct one_group *group = group_of(groups, guest);
	struct blame_group *used;

	if (group == NULL)
		return;
	used = &groups->used[group - groups->items];
	for (size_t i = 0; i < guest->vcpus_len; i++)
		used->run -= guest->vcpus[i].run_part;
	if (strstr(group->path, "qemu") != NULL)
		used->guest = used->guest == NO_GUEST ? (int)number : SEVERAL_GUESTS;
}

void groups_read(struct groups *groups, struct mc_ctx *ctx, const struct guests *guests,
		 double time)
{
	groups_enter(groups, ctx);
	groups->used = mc_alloc_resize(groups->used, groups->len, sizeof(*groups->used));
	for (size_t i = 0; i < groups->len; i++)
		read_one(groups, &groups->items[i], &groups->used[i], time);
	groups_leave(groups);
	for (size_t i = 0; i < guests->len; i++)
		take_guest(groups, guests, i);
	for (size_t i = 0; i < groups->len; i++)
		if (groups->used[i].run < 0)
			groups->used[i].run = 0;
}

void groups_forget(struct groups *groups)
{
	for (size_t i = 0; i < groups->len; i++)
		groups->items[i].has_before = false;
}

void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->len; i++) {
		mc_kept_close(&groups->files, &groups->items[i].fd);
		free(groups->items[i].path);
	}
	free(groups->items);
	free(groups->used);
}
