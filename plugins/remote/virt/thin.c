/* SPDX-License-Identifier: MIT */
/* thin: asks the kernel by ioctl(2), as libdevmapper does, for the status of two devices: a small
 * part of that library, which would also take part in the locks and cookies of LVM and udev.
 * Without DM_NOFLUSH a question has the pool commit. */
#include "thin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/dm-ioctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CONTROL "/dev/" DM_DIR "/" DM_CONTROL_NODE

#define SECTOR 512
#define METADATA_BLOCK 4096

/* Of LVM, for the device that is the pool. */
#define POOL_SUFFIX "-tpool"

#define LINE_SIZE 512

/* --- Texts ---------------------------------------------------------------------- */

bool thin_take_volume(const char *table, dev_t *pool)
{
	unsigned high, low;

	if (sscanf(table, "%u:%u ", &high, &low) != 2)
		return false;
	*pool = makedev(high, low);
	return true;
}

bool thin_take_pool(const char *table, const char *status, struct thin_pool *pool)
{
	uint64_t block, metadata_used, metadata_size, used, size;

	if (sscanf(table, "%*s %*s %" SCNu64, &block) != 1 || block == 0 || block > UINT32_MAX ||
	    sscanf(status, "%*u %" SCNu64 "/%" SCNu64 " %" SCNu64 "/%" SCNu64, &metadata_used,
		   &metadata_size, &used, &size) != 4)
		return false;
	block *= SECTOR;
	if (used > size || metadata_used > metadata_size || size > INT64_MAX / block ||
	    metadata_size > INT64_MAX / METADATA_BLOCK)
		return false;
	pool->data_used = used * block;
	pool->data_size = size * block;
	pool->metadata_used = metadata_used * METADATA_BLOCK;
	pool->metadata_size = metadata_size * METADATA_BLOCK;
	return true;
}

void thin_name(const char *mapped, char out[THIN_NAME_SIZE])
{
	size_t len = strlen(mapped), size = 0;

	if (len > strlen(POOL_SUFFIX) &&
	    strcmp(mapped + len - strlen(POOL_SUFFIX), POOL_SUFFIX) == 0)
		len -= strlen(POOL_SUFFIX);
	for (size_t i = 0; i < len && size < THIN_NAME_SIZE - 1; i++) {
		bool twice = mapped[i] == '-' && i + 1 < len && mapped[i + 1] == '-';

		out[size++] = mapped[i] == '-' && !twice ? '/' : mapped[i];
		i += twice;
	}
	out[size] = '\0';
}

/* --- The kernel ------------------------------------------------------------------ */

struct answer { /* About a device with one target. */
	char name[DM_NAME_LEN];
	char type[DM_MAX_TYPE_NAME];
	char text[LINE_SIZE];
};

/* 'flags': DM_STATUS_TABLE_FLAG for its table, else its status. */
static bool ask(int control, dev_t device, unsigned flags, struct answer *answer)
{
	union {
		struct dm_ioctl head;
		char bytes[4096];
	} room = { .head = { .version = { DM_VERSION_MAJOR, 0, 0 },
			     .data_size = sizeof(room),
			     .data_start = sizeof(struct dm_ioctl),
			     .flags = DM_NOFLUSH_FLAG | flags,
			     .dev = device } };
	struct dm_target_spec target;
	size_t start;

	if (ioctl(control, DM_TABLE_STATUS, &room) < 0)
		return false;
	start = room.head.data_start;
	if (room.head.target_count != 1 || (room.head.flags & DM_BUFFER_FULL_FLAG) != 0 ||
	    start > sizeof(room) - sizeof(target)) {
		errno = ENODEV;
		return false;
	}
	memcpy(&target, room.bytes + start, sizeof(target));
	start += sizeof(target);
	snprintf(answer->name, sizeof(answer->name), "%.*s", DM_NAME_LEN - 1, room.head.name);
	snprintf(answer->type, sizeof(answer->type), "%.*s", DM_MAX_TYPE_NAME - 1,
		 target.target_type);
	snprintf(answer->text, sizeof(answer->text), "%.*s", (int)(sizeof(room) - start),
		 room.bytes + start);
	return true;
}

static bool look(int control, dev_t volume, struct thin_pool *pool)
{
	struct answer table, status;

	errno = ENODEV;
	if (!ask(control, volume, DM_STATUS_TABLE_FLAG, &table))
		return false;
	errno = ENODEV;
	if (strcmp(table.type, "thin") != 0 || !thin_take_volume(table.text, &pool->device) ||
	    !ask(control, pool->device, DM_STATUS_TABLE_FLAG, &table) ||
	    !ask(control, pool->device, 0, &status))
		return false;
	errno = ENODEV;
	if (strcmp(table.type, "thin-pool") != 0 || !thin_take_pool(table.text, status.text, pool))
		return false;
	thin_name(table.name, pool->name);
	return true;
}

bool thin_look(const char *path, struct thin_pool *pool)
{
	struct stat status;
	int control, errnum;
	bool found;

	if (stat(path, &status) < 0)
		return false;
	if (!S_ISBLK(status.st_mode)) {
		errno = ENODEV;
		return false;
	}
	control = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (control < 0)
		return false;
	found = look(control, status.st_rdev, pool);
	errnum = errno;
	close(control);
	errno = errnum;
	return found;
}
