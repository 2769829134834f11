/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include "kit/base/qemu.h"

#include "guest.h"

#define GUEST_NAME_SIZE 256
#define RENAMED_READS 16  /* Number of reads after which the names of containers are read again. */
#define GUEST_WAITS_MAX 2 /* Reads until the name of its folder will do. */

/* --- Paths with wildcards ------------------------------------------------- */

static void free_pattern(struct table_pattern *pattern)
{
	for (unsigned i = 0; i < pattern->len; i++)
		free(pattern->parts[i]);
	pattern->len = 0;
}

bool table_add_pattern(struct table *table, const char *path)
{
	struct table_pattern *pattern = &table->patterns[table->patterns_len];
	const char *at = path;

	if (table->patterns_len == TABLE_PATTERNS_MAX || *path != '/')
		return false;
	pattern->len = 0;
	while (*(at += strspn(at, "/")) != '\0') {
		size_t size = strcspn(at, "/");
		char *part = mc_alloc_zero(size + 1);

		memcpy(part, at, size);
		if (pattern->len == TABLE_DEPTH_MAX || strcmp(part, ".") == 0 ||
		    strcmp(part, "..") == 0) {
			free(part);
			free_pattern(pattern);
			return false;
		}
		pattern->parts[pattern->len++] = part;
		at += size;
	}
	if (pattern->len == 0)
		return false;
	table->patterns_len++;
	return true;
}

/* --- Names ---------------------------------------------------------------- */

/* QEMU is in one of these, some time after the group was made.  Its command
 * line says the guest's name. */
static bool read_command(struct table *table, struct mc_ctx *ctx, const char *path,
			 char name[GUEST_NAME_SIZE])
{
	static const char *const folders[] = { "", "libvirt/", "libvirt/emulator/", "emulator/" };
	struct mc_kept_files *files = &table->reads.files;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char file[MC_KEPT_PATH_SIZE], full[MC_KEPT_PATH_SIZE];
		const char *at = files->text;
		uint64_t pid;
		ssize_t size;

		snprintf(file, sizeof(file), "%s/%scgroup.procs", path, folders[i]);
		if (mc_kept_read_once(files, file) <= 0 || !mc_scan_u64(&at, &pid) ||
		    pid > INT32_MAX)
			continue;
		snprintf(file, sizeof(file), "/proc/%u/cmdline", (unsigned)pid);
		size = mc_kept_read_once(files, mc_path(ctx, file, full, sizeof(full)));
		if (size > 0 && mc_qemu_name(files->text, (size_t)size, name, GUEST_NAME_SIZE))
			return true;
	}
	return false;
}

/* Host and plugin instance with '\0' between and after them; no two groups have the same.  '/'
 * cannot occur in a series. */
static bool take_name(struct table *table, struct group *group)
{
	const char *host = group->host != NULL ? group->host : "",
		   *instance = group->instance != NULL ? group->instance : "";
	size_t host_size = strlen(host), size = strlen(instance);
	char *key = mc_alloc_zero(host_size + size + 2);

	memcpy(key, host, host_size);
	memcpy(key + host_size + 1, instance, size);
	for (char *at = key; at < key + host_size + size + 1; at++)
		if (*at == '/')
			*at = '_';
	if (mc_map_find(&table->names, key, host_size + size + 2) != NULL) {
		free(key);
		return false;
	}
	group->name.key = key;
	group->name.key_size = host_size + size + 2;
	mc_map_add(&table->names, &group->name);
	group->is_named = true;
	return true;
}

/* A group whose name is not known yet waits for it. */
static bool waits(struct table *table, struct group *group)
{
	group->is_waiting = group->waits++ < GUEST_WAITS_MAX;
	if (group->is_waiting)
		table->has_changed = true;
	return group->is_waiting;
}

/* The container's name; false: the group has another then. */
static bool name_container(struct table *table, struct mc_ctx *ctx, struct group *group)
{
	char id[CONTAINER_ID_SIZE], name[CONTAINER_NAME_SIZE];

	group->container = container_of_group(group->path, id);
	if (group->container == CONTAINER_NONE)
		return false;
	if (!containers_find(&table->containers, ctx, group->container, id, name))
		return !table->containers.has_failed && waits(table, group);
	group->is_waiting = false;
	group->instance = mc_alloc_copy(name);
	if (take_name(table, group))
		return true;
	free(group->instance);
	group->instance = NULL;
	return false;
}

/* The folder's name, as in collectd, or the guest's; the whole path if another
 * group has that.  A guest that starts has no name yet: its group waits. */
static void name_group(struct table *table, struct mc_ctx *ctx, struct group *group)
{
	const char *slash = strrchr(group->path, '/'),
		   *folder = slash != NULL ? slash + 1 : group->path;
	char guest[GUEST_NAME_SIZE];

	if (table->names_containers && name_container(table, ctx, group))
		return;
	if (table->guests && guest_of_group(folder, guest, sizeof(guest))) {
		if (!read_command(table, ctx, group->path, guest) && waits(table, group))
			return;
		group->is_waiting = false;
		group->host = mc_alloc_copy(guest);
		if (take_name(table, group))
			return;
		free(group->host);
		group->host = NULL;
	}
	group->instance = mc_alloc_copy(folder);
	if (take_name(table, group))
		return;
	free(group->instance);
	group->instance = mc_alloc_copy(group->path);
	if (take_name(table, group))
		return;
	free(group->instance); /* Tried again when one has gone. */
	group->instance = NULL;
}

/* A container has another name now, or one that was not known: its values are of other series from
 * now on. */
static void rename_group(struct table *table, struct group *group, const char *name)
{
	char *earlier = group->instance, *key = (char *)group->name.key;
	size_t key_size = group->name.key_size;

	mc_map_remove(&table->names, &group->name);
	group->instance = mc_alloc_copy(name);
	if (take_name(table, group)) {
		free(earlier);
		free(key);
		group_release_series(group);
		return;
	}
	free(group->instance);
	group->instance = earlier;
	group->name.key = key;
	group->name.key_size = key_size;
	mc_map_add(&table->names, &group->name);
}

static void look_for_renamed(struct table *table, struct mc_ctx *ctx)
{
	containers_begin(&table->containers, ctx);
	for (size_t i = 0; i < table->groups.len; i++) {
		struct group *group = table->order[i];
		char id[CONTAINER_ID_SIZE], name[CONTAINER_NAME_SIZE];

		if (group->is_named && group->container != CONTAINER_NONE &&
		    container_of_group(group->path, id) != CONTAINER_NONE &&
		    containers_find(&table->containers, ctx, group->container, id, name) &&
		    strcmp(name, group->instance) != 0)
			rename_group(table, group, name);
	}
	containers_end(&table->containers, ctx);
}

/* --- The walk ------------------------------------------------------------- */

struct walk {             /* One folder of it. */
	const char *path; /* "" or "system.slice"; relative. */
	unsigned depth;
	uint64_t patterns; /* A bit for each whose parts match so far. */
};

/* NULL if there are too many. */
static struct group *find(struct table *table, const char *path)
{
	struct group *group = (struct group *)mc_map_find(&table->groups, path, strlen(path));

	if (group != NULL)
		return group;
	if (table->groups.len >= table->groups_max) {
		table->skipped++;
		return NULL;
	}
	group = group_new(path);
	mc_map_add(&table->groups, &group->node);
	table->has_changed = true;
	return group;
}

static bool is_folder(int folder, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

/* Patterns that the next part matches, too; those of them that end here are in '*whole'. */
static uint64_t match(const struct table *table, const struct walk *walk, const char *name,
		      bool *whole)
{
	uint64_t matching = 0;

	*whole = false;
	for (unsigned i = 0; i < table->patterns_len; i++) {
		const struct table_pattern *pattern = &table->patterns[i];

		if (!(walk->patterns >> i & 1) ||
		    fnmatch(pattern->parts[walk->depth], name, 0) != 0)
			continue;
		if (pattern->len == walk->depth + 1)
			*whole = true;
		else
			matching |= UINT64_C(1) << i;
	}
	return matching;
}

/* Marks the groups that are there.  A folder that goes away meanwhile has nothing to say. */
static int walk_folder(struct table *table, const struct walk *walk)
{
	DIR *folder = mc_kept_open_folder(&table->reads.files, walk->depth > 0 ? walk->path : ".");
	const struct dirent *entry;

	if (folder == NULL)
		return -errno;
	while ((entry = readdir(folder)) != NULL) {
		struct walk next = { .depth = walk->depth + 1 };
		struct group *group = NULL;
		char path[MC_KEPT_PATH_SIZE];
		bool whole;

		if (entry->d_name[0] == '.' || !is_folder(dirfd(folder), entry))
			continue;
		next.patterns = match(table, walk, entry->d_name, &whole);
		if (!whole && next.patterns == 0)
			continue;
		if (snprintf(path, sizeof(path), "%s%s%s", walk->path, walk->depth > 0 ? "/" : "",
			     entry->d_name) >= (int)sizeof(path)) {
			table->skipped++;
			continue;
		}
		if (whole && table->selects(table->argument, entry->d_name))
			group = find(table, path);
		if (group != NULL)
			group->seen = table->reads.reads;
		next.path = path;
		if (next.patterns != 0)
			walk_folder(table, &next);
	}
	closedir(folder);
	return 0;
}

/* --- What is there -------------------------------------------------------- */

static void forget(struct table *table, struct group *group)
{
	table->has_changed = true;
	mc_map_remove(&table->groups, &group->node);
	if (group->is_named)
		mc_map_remove(&table->names, &group->name);
	group_free(group, &table->reads);
}

static void forget_gone(struct table *table)
{
	struct mc_map_node *node = mc_map_next(&table->groups, NULL);

	while (node != NULL) {
		struct group *group = (struct group *)node;

		node = mc_map_next(&table->groups, node);
		if (group->seen != table->reads.reads)
			forget(table, group);
	}
}

static int compare(const void *a, const void *b)
{
	const struct group *const *left = a, *const *right = b;

	return strcmp((*left)->path, (*right)->path);
}

/* In the order of paths, so that it does not depend on the kernel's order which
 * of two new groups gets a name. */
static void put_in_order(struct table *table, struct mc_ctx *ctx)
{
	struct mc_map_node *node = NULL;
	size_t len = 0;

	table->order = mc_alloc_resize(table->order, table->groups.len, sizeof(struct group *));
	while ((node = mc_map_next(&table->groups, node)) != NULL)
		table->order[len++] = (struct group *)node;
	if (len > 0)
		qsort(table->order, len, sizeof(struct group *), compare);
	table->has_changed = false;
	if (table->names_containers)
		containers_load(&table->containers, ctx);
	for (size_t i = 0; i < len; i++)
		if (!table->order[i]->is_named)
			name_group(table, ctx, table->order[i]);
}

static void read_groups(struct table *table, struct mc_batch *out)
{
	for (size_t i = 0; i < table->groups.len; i++)
		if (table->order[i]->is_named)
			group_read(table->order[i], &table->reads, out);
		else if (!table->order[i]->is_waiting)
			table->skipped++;
}

int table_read(struct table *table, struct mc_ctx *ctx, const char *mount, struct mc_batch *out)
{
	struct walk top = { .path = "", .patterns = UINT64_MAX };
	struct group_reads *reads = &table->reads;
	int folder = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC), rc;

	if (folder < 0)
		return -errno;
	reads->files.folder = folder;
	reads->failed = 0;
	reads->reads++;
	table->skipped = 0;
	if (reads->reads % TABLE_DEPTH_MAX == 0)
		devices_forget(&reads->devices);
	rc = walk_folder(table, &top);
	if (rc == 0) {
		forget_gone(table);
		if (table->has_changed)
			put_in_order(table, ctx);
		if (table->names_containers && reads->reads % RENAMED_READS == 0)
			look_for_renamed(table, ctx);
		read_groups(table, out);
	}
	close(folder);
	reads->files.folder = -1;
	return rc;
}

void table_forget(struct table *table)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&table->groups, NULL)) != NULL)
		forget(table, (struct group *)node);
}

void table_done(struct table *table)
{
	table_forget(table);
	free(table->order);
	mc_map_done(&table->groups);
	mc_map_done(&table->names);
	devices_forget(&table->reads.devices);
	containers_done(&table->containers);
	for (unsigned i = 0; i < table->patterns_len; i++)
		free_pattern(&table->patterns[i]);
}
