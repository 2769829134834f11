/* SPDX-License-Identifier: MIT */
/* Reads /proc/mounts (proc(5), fstab(5)): device, mount point, type, options,
 * separated by a space; one in a name is written "\040". */
#include "mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/base/mount_point.h"
#include "kit/base/mountinfo.h"

/* Types of the kernel itself, which have no blocks; and autofs, which would
 * mount what nobody uses.  It is a third of the work to leave them out here. */
static const char *const left_out[] = {
	"autofs",  "binfmt_misc", "bpf",        "cgroup",    "cgroup2", "configfs",
	"debugfs", "devpts",      "fusectl",    "mqueue",    "nsfs",    "proc",
	"pstore",  "rpc_pipefs",  "securityfs", "selinuxfs", "sysfs",   "tracefs",
};

static bool is_left_out(const char *type)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		if (strcmp(type, left_out[i]) == 0)
			return true;
	return false;
}

/* FNV-1a, to distinguish most strings without a comparison. */
static uint32_t hash(const char *text)
{
	uint32_t sum = UINT32_C(2166136261);

	for (; *text != '\0'; text++)
		sum = (sum ^ (unsigned char)*text) * UINT32_C(16777619);
	return sum;
}

static void parse_line(struct mounts *mounts, char *line)
{
	/* The kernel puts one space between words. */
	char *device = strsep(&line, " "), *point = strsep(&line, " ");
	char *type = strsep(&line, " ");
	struct mount mount;

	if (type == NULL || *device == '\0' || *point != '/' || is_left_out(type))
		return;
	mc_mount_point_unescape(device);
	mc_mount_point_unescape(point);
	mount = (struct mount){ .device = device,
				.point = point,
				.type = type,
				.device_hash = hash(device),
				.point_hash = hash(point) };
	mount.remote = mc_mount_is_remote(type, device);
	mount.may_hang = mount.remote;
	MC_ARRAY_GROW(mounts->items, mounts->len, mounts->size);
	mounts->items[mounts->len++] = mount;
}

/* Marks all that is mounted on or below a mount point, because the way to it
 * leads through there. */
static void mark_below(struct mounts *mounts, const char *point)
{
	size_t size = strlen(point);

	if (size == 1) /* "/" */
		size = 0;
	for (size_t i = 0; i < mounts->len; i++) {
		const char *other = mounts->items[i].point;

		if (strncmp(other, point, size) == 0 && (other[size] == '/' || other[size] == '\0'))
			mounts->items[i].may_hang = true;
	}
}

void mounts_parse(struct mounts *mounts, char *text)
{
	mounts->len = 0;
	while (*text != '\0') {
		char *line = text, *newline = strchr(text, '\n');

		if (newline != NULL)
			*newline = '\0';
		text = newline == NULL ? text + strlen(text) : newline + 1;
		parse_line(mounts, line);
	}
	for (size_t i = 0; i < mounts->len; i++)
		if (mounts->items[i].remote)
			mark_below(mounts, mounts->items[i].point);
}

static bool is_own(const struct mount *mount, const struct mounts *all)
{
	bool elsewhere = false;

	if (mount->device[0] != '/')
		return false;
	for (size_t i = 0; i < all->len; i++) {
		const struct mount *other = &all->items[i];

		if (other->device_hash != mount->device_hash)
			continue;
		if (other->point_hash == mount->point_hash)
			return false;
		elsewhere = true;
	}
	return elsewhere;
}

void mounts_leave_out_own(struct mounts *mounts, const struct mounts *all)
{
	size_t len = 0;

	for (size_t i = 0; i < mounts->len; i++)
		if (!is_own(&mounts->items[i], all))
			mounts->items[len++] = mounts->items[i];
	mounts->len = len;
}

bool mounts_repeated(const struct mounts *mounts, size_t index, bool by_device)
{
	const struct mount *mount = &mounts->items[index];

	for (const struct mount *other = mounts->items; other < mount; other++) {
		if (by_device && other->device_hash == mount->device_hash &&
		    strcmp(other->device, mount->device) == 0)
			return true;
		if (!by_device && other->point_hash == mount->point_hash &&
		    strcmp(other->point, mount->point) == 0)
			return true;
	}
	return false;
}

void mounts_name_point(const char *point, char out[MOUNTS_NAME_SIZE])
{
	mc_mount_point_name(point, out, MOUNTS_NAME_SIZE);
}

void mounts_free(struct mounts *mounts)
{
	free(mounts->items);
	*mounts = (struct mounts){ 0 };
}
