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

#define MOUNTS_MAX 100000 /* A container may have made any number. */
#define LINKS_MAX 40      /* Symbolic links on a path, as the kernel's limit. */
#define BELOW_MAX 16      /* Devices on one another. */

/* --- Mounts ----------------------------------------------------------------- */

/* Ends the word at '*at' and moves on; NULL at the end. */
static char *take_word(char **at)
{
	char *word = *at, *space;

	if (word == NULL || *word == '\0')
		return NULL;
	space = strchr(word, ' ');
	if (space != NULL)
		*space++ = '\0';
	*at = space;
	return word;
}

static bool is_octal(const char *text)
{
	return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
	       text[2] >= '0' && text[2] <= '7';
}

/* Blanks in names are "\040". */
static void decode(char *text)
{
	char *out = text;

	for (; *text != '\0'; out++)
		if (*text == '\\' && is_octal(text + 1) && memcmp(text + 1, "000", 3) != 0) {
			*out = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*out = *text++;
		}
	*out = '\0';
}

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
	char *number = NULL, *point = NULL, *word = NULL, *type, *source;

	for (unsigned i = 0; i < 6 && (word = take_word(&line)) != NULL; i++) {
		number = i == 2 ? word : number;
		point = i == 4 ? word : point;
	}
	while (word != NULL && strcmp(word, "-") != 0)
		word = take_word(&line);
	type = word != NULL ? take_word(&line) : NULL;
	source = type != NULL ? take_word(&line) : NULL;
	if (source == NULL || *point != '/' || !take_number(number, mount))
		return false;
	decode(point);
	decode(source);
	mount->point = point;
	mount->type = type;
	mount->source = source;
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
	static const char *const types[] = { "nfs",       "nfs4",   "cifs", "smb3", "smbfs",
					     "ceph",      "9p",     "afs",  "gpfs", "lustre",
					     "glusterfs", "autofs", "coda", "ncpfs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(mount->type, types[i]) == 0)
			return true;
	return strncmp(mount->type, "fuse", 4) == 0 && strcmp(mount->type, "fuseblk") != 0;
}

/* --- Names ------------------------------------------------------------------ */

char storage_character(char c)
{
	return (unsigned char)c <= ' ' || c == ';' || c == 127 ? '_' : c;
}

static void clean(char *text)
{
	for (; *text != '\0'; text++)
		*text = storage_character(*text);
}

void storage_local(const char *name, char out[STORAGE_SIZE])
{
	snprintf(out, STORAGE_SIZE, "@%s", name);
	clean(out);
}

void storage_shared(const char *kind, const char *name, char out[STORAGE_SIZE])
{
	snprintf(out, STORAGE_SIZE, "%s:%s", kind, name);
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

static void read_line(const char *folder, const char *name, char out[STORAGE_SIZE])
{
	char path[PATH_MAX];
	FILE *file = join(path, folder, name) ? fopen(path, "re") : NULL;

	out[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(out, STORAGE_SIZE, file) == NULL)
		out[0] = '\0';
	fclose(file);
	out[strcspn(out, "\n")] = '\0';
}

bool storage_device(const char *sys, unsigned major, unsigned minor, char out[STORAGE_SIZE])
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
		snprintf(out, STORAGE_SIZE, "%.*s", STORAGE_SIZE - 2, slash + 1);
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

static bool name_device(const char *sys, unsigned major, unsigned minor, char out[STORAGE_SIZE])
{
	char name[STORAGE_SIZE];

	if (!storage_device(sys, major, minor, name))
		return false;
	storage_local(name, out);
	return true;
}

/* File systems such as btrfs have numbers of their own, and name a device. */
static bool name_source(const char *sys, const struct storage_mount *mount, char out[STORAGE_SIZE])
{
	struct stat state;

	return strncmp(mount->source, "/dev/", 5) == 0 && stat(mount->source, &state) == 0 &&
	       S_ISBLK(state.st_mode) &&
	       name_device(sys, major(state.st_rdev), minor(state.st_rdev), out);
}

static void name_mount(const char *sys, const struct storage_mount *mount, char out[STORAGE_SIZE])
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
		     char out[STORAGE_SIZE])
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
