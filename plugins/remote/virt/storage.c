/* SPDX-License-Identifier: MIT */
#include "storage.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>
#include <collector/private/storage_label.h>

#include "kit/base/mount_point.h"
#include "kit/base/mountinfo.h"

#define MOUNTS_MAX 100000 /* A container may have made any number. */
#define LINKS_MAX 40      /* Symbolic links on a path, as the kernel's limit. */
#define BELOW_MAX 16      /* Devices on one another. */

/* --- Mounts ----------------------------------------------------------------- */

static bool take_number(char *text, struct storage_mount *mount)
{
	char *colon = strchr(text, ':');
	uint64_t numbers[2];

	if (colon == NULL)
		return false;
	*colon = '\0';
	if (!mc_number_unsigned(text, 10, UINT_MAX, &numbers[0]) ||
	    !mc_number_unsigned(colon + 1, 10, UINT_MAX, &numbers[1]))
		return false;
	mount->major = (unsigned)numbers[0];
	mount->minor = (unsigned)numbers[1];
	return true;
}

static bool take_line(char *line, struct storage_mount *mount)
{
	struct mc_mountinfo found;

	if (!mc_mountinfo_parse(line, &found) || !take_number(found.number, mount))
		return false;
	mc_mount_point_unescape(found.point);
	mc_mount_point_unescape(found.source);
	mount->point = found.point;
	mount->type = found.type;
	mount->source = found.source;
	return true;
}

void storage_parse_mounts(struct storage_mounts *mounts, char *text)
{
	mounts->len = 0;
	while (text != NULL && *text != '\0' && mounts->len < MOUNTS_MAX) {
		char *line = text;
		struct storage_mount mount;

		text = strchr(text, '\n');
		if (text != NULL)
			*text++ = '\0';
		if (!take_line(line, &mount))
			continue;
		MC_ARRAY_GROW(mounts->items, mounts->len, mounts->size);
		mounts->items[mounts->len++] = mount;
	}
}

void storage_free_mounts(struct storage_mounts *mounts)
{
	free(mounts->items);
	*mounts = (struct storage_mounts){ 0 };
}

const struct storage_mount *storage_mount_of(const struct storage_mounts *mounts, const char *path)
{
	const struct storage_mount *found = NULL;
	size_t found_size = 0;

	for (size_t i = 0; i < mounts->len; i++) {
		const struct storage_mount *mount = &mounts->items[i];
		size_t size = strlen(mount->point);

		if (size == 1)
			size = 0; /* "/" */
		if (strncmp(path, mount->point, size) != 0 ||
		    (path[size] != '/' && path[size] != '\0'))
			continue;
		if (found == NULL || size >= found_size) { /* Later ones lie on top. */
			found = mount;
			found_size = size;
		}
	}
	return found;
}

bool storage_is_remote(const struct storage_mount *mount)
{
	/* autofs mounts what is looked at. */
	return strcmp(mount->type, "autofs") == 0 || mc_mount_is_remote(mount->type, mount->source);
}

/* --- Names ------------------------------------------------------------------ */

static void clean(char *text)
{
	for (; *text != '\0'; text++)
		*text = mc_storage_character(*text);
}

void storage_local(const char *name, char out[MC_STORAGE_SIZE])
{
	snprintf(out, MC_STORAGE_SIZE, "@%s", name);
	clean(out);
}

void storage_shared(const char *kind, const char *name, char out[MC_STORAGE_SIZE])
{
	snprintf(out, MC_STORAGE_SIZE, "%s:%s", kind, name);
	clean(out);
}

/* --- Devices ---------------------------------------------------------------- */

/* Joins; false without room. */
static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
	return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool exists(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return join(path, folder, name) && access(path, F_OK) == 0;
}

/* The folder of the device itself, of a folder that may be that of a partition. */
static void leave_partition(char folder[PATH_MAX])
{
	char *slash = strrchr(folder, '/');

	if (slash != NULL && exists(folder, "partition"))
		*slash = '\0';
}

/* Goes to the only device that it lies on; false: there is no device, or several. */
static bool go_below(char folder[PATH_MAX])
{
	char slaves[PATH_MAX], below[PATH_MAX], name[NAME_MAX + 1] = "";
	size_t len = 0;
	DIR *list;

	if (!join(slaves, folder, "slaves") || (list = opendir(slaves)) == NULL)
		return false;
	for (struct dirent *at; (at = readdir(list)) != NULL && len < 2;)
		if (at->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s", at->d_name);
			len++;
		}
	closedir(list);
	if (len != 1 || !join(below, slaves, name) || realpath(below, folder) == NULL)
		return false;
	leave_partition(folder);
	return true;
}

static void read_line(const char *folder, const char *name, char out[MC_STORAGE_SIZE])
{
	char path[PATH_MAX];
	FILE *file = join(path, folder, name) ? fopen(path, "re") : NULL;

	out[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(out, MC_STORAGE_SIZE, file) == NULL)
		out[0] = '\0';
	fclose(file);
	out[strcspn(out, "\n")] = '\0';
}

bool storage_device(const char *sys, unsigned major, unsigned minor, char out[MC_STORAGE_SIZE])
{
	char number[64], link[PATH_MAX], folder[PATH_MAX];
	const char *slash;

	snprintf(number, sizeof(number), "dev/block/%u:%u", major, minor);
	if (!join(link, sys, number) || realpath(link, folder) == NULL)
		return false;
	leave_partition(folder);
	for (unsigned i = 0; i < BELOW_MAX && go_below(folder); i++)
		;
	read_line(folder, "dm/name", out);
	slash = strrchr(folder, '/');
	if (out[0] == '\0' && slash != NULL)
		snprintf(out, MC_STORAGE_SIZE, "%.*s", MC_STORAGE_SIZE - 2, slash + 1);
	return out[0] != '\0';
}

/* --- Paths ------------------------------------------------------------------ */

struct walk {
	const struct storage_mounts *mounts;
	char done[PATH_MAX]; /* Without symbolic links; "" is "/". */
	char rest[PATH_MAX];
	unsigned links;
};

/* Takes the next part of 'rest' to 'done'.  False without room. */
static bool step(struct walk *walk)
{
	size_t used = strlen(walk->done), skipped = strspn(walk->rest, "/");
	const char *part = walk->rest + skipped;
	size_t size = strcspn(part, "/");

	if (size == 2 && memcmp(part, "..", 2) == 0) {
		char *slash = strrchr(walk->done, '/');

		if (slash != NULL)
			*slash = '\0';
	} else if (size > 0 && !(size == 1 && part[0] == '.')) {
		if (used + size + 2 > sizeof(walk->done))
			return false;
		snprintf(walk->done + used, sizeof(walk->done) - used, "/%.*s", (int)size, part);
	}
	memmove(walk->rest, part + size, strlen(part + size) + 1);
	return true;
}

/* If the last part is a symbolic link, goes on from where it leads to. */
static bool follow_link(struct walk *walk)
{
	char target[PATH_MAX], *slash = strrchr(walk->done, '/');
	ssize_t size = readlink(walk->done, target, sizeof(target) - 1);
	size_t rest = strlen(walk->rest);

	if (size < 0 || slash == NULL)
		return true;
	target[size] = '\0';
	if (++walk->links > LINKS_MAX || (size_t)size + rest + 2 > sizeof(walk->rest))
		return false;
	memmove(walk->rest + size, walk->rest, rest + 1);
	memcpy(walk->rest, target, (size_t)size);
	if (target[0] == '/')
		walk->done[0] = '\0';
	else
		*slash = '\0';
	return true;
}

/* The file system of a path, after its symbolic links as far as they are not on a remote one; NULL:
 * unknown. */
static const struct storage_mount *walk_path(struct walk *walk, const char *path)
{
	const struct storage_mount *mount = NULL;

	snprintf(walk->rest, sizeof(walk->rest), "%s", path);
	while (walk->rest[strspn(walk->rest, "/")] != '\0') {
		if (!step(walk))
			return NULL;
		mount = storage_mount_of(walk->mounts, walk->done);
		if (mount == NULL || storage_is_remote(mount))
			return mount;
		if (!follow_link(walk))
			return NULL;
	}
	return mount;
}

static bool name_device(const char *sys, unsigned major, unsigned minor, char out[MC_STORAGE_SIZE])
{
	char name[MC_STORAGE_SIZE];

	if (!storage_device(sys, major, minor, name))
		return false;
	storage_local(name, out);
	return true;
}

/* File systems such as btrfs have numbers of their own, and name a device. */
static bool name_source(const char *sys, const struct storage_mount *mount,
			char out[MC_STORAGE_SIZE])
{
	struct stat state;

	return strncmp(mount->source, "/dev/", 5) == 0 && stat(mount->source, &state) == 0 &&
	       S_ISBLK(state.st_mode) &&
	       name_device(sys, major(state.st_rdev), minor(state.st_rdev), out);
}

static void name_mount(const char *sys, const struct storage_mount *mount,
		       char out[MC_STORAGE_SIZE])
{
	if (storage_is_remote(mount)) {
		if (strchr(mount->source, ':') != NULL || strncmp(mount->type, "fuse", 4) != 0)
			storage_shared(mount->type, mount->source, out);
		else
			storage_local(mount->point, out);
	} else if (!(mount->major != 0 && name_device(sys, mount->major, mount->minor, out)) &&
		   !name_source(sys, mount, out)) {
		storage_local(mount->point, out);
	}
}

void storage_of_path(const struct storage_mounts *mounts, const char *sys, const char *path,
		     char out[MC_STORAGE_SIZE])
{
	struct walk *walk = mc_alloc_zero(sizeof(*walk));
	const struct storage_mount *mount;
	struct stat state;

	out[0] = '\0';
	walk->mounts = mounts;
	mount = path[0] == '/' && strlen(path) < PATH_MAX ? walk_path(walk, path) : NULL;
	if (mount != NULL && !storage_is_remote(mount) && stat(walk->done, &state) == 0 &&
	    S_ISBLK(state.st_mode)) {
		if (!name_device(sys, major(state.st_rdev), minor(state.st_rdev), out))
			out[0] = '\0';
	} else if (mount != NULL) {
		name_mount(sys, mount, out);
	}
	free(walk);
}
