/* SPDX-License-Identifier: MIT */
/* All of it that is used has its place on the disk before: a disk that is full later would else
 * kill the process, by SIGBUS. */
#include "raws_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/state_file.h>

#define MAGIC "mc raws1"
#define BOOT "/proc/sys/kernel/random/boot_id"
#define SLOTS_MIN 4096
#define SLOTS_MAX ((size_t)4 << 20) /* 64 MiB. */

struct head {
	char magic[8];
	char boot[56];
};

static size_t size_of(size_t slots)
{
	return sizeof(struct head) + slots * sizeof(struct raws_slot);
}

static struct head head_of_now(void)
{
	struct head head = { { 0 }, { 0 } };
	FILE *file = fopen(BOOT, "re");

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	if (file != NULL) {
		if (fgets(head.boot, sizeof(head.boot), file) == NULL)
			head.boot[0] = '\0';
		fclose(file);
	}
	return head;
}

struct raws_left raws_file_read(const char *path)
{
	struct head now = head_of_now();
	struct raws_left left = { 0 };
	struct mc_buffer bytes = { 0 };
	struct raws_slot *slots;
	size_t len;

	if (mc_state_file_read(path, &bytes) == 0 && bytes.size >= sizeof(now) &&
	    now.boot[0] != '\0' && memcmp(bytes.at, &now, sizeof(now)) == 0) {
		len = (bytes.size - sizeof(now)) / sizeof(*slots);
		slots = mc_alloc_array(len + 1, sizeof(*slots)); /* Aligned. */
		memcpy(slots, bytes.at + sizeof(now), len * sizeof(*slots));
		left = raws_leave(slots, len);
		free(slots);
	}
	mc_buffer_free(&bytes);
	return left;
}

static int map(struct raws_file *file)
{
	struct head *head;
	int rc;

	file->fd = open(file->new_path,
			O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
	if (file->fd < 0)
		return -errno;
	rc = -posix_fallocate(file->fd, 0, (off_t)size_of(SLOTS_MIN));
	if (rc < 0)
		return rc;
	file->size = size_of(SLOTS_MAX); /* Of addresses, so that no place ever moves. */
	file->memory = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (file->memory == MAP_FAILED) {
		file->memory = NULL;
		return -errno;
	}
	head = file->memory;
	*head = head_of_now();
	file->raws =
		(struct raws){ .slots = (struct raws_slot *)(head + 1), .capacity = SLOTS_MIN };
	return 0;
}

int raws_file_open(struct raws_file *file, const char *path)
{
	int rc;

	*file = (struct raws_file){ .path = mc_alloc_copy(path),
				    .new_path = mc_alloc_printf("%s.new", path),
				    .fd = -1 };
	rc = map(file);
	if (rc < 0)
		raws_file_close(file, true);
	return rc;
}

int raws_file_place(struct raws_file *file)
{
	return rename(file->new_path, file->path) < 0 ? -errno : 0;
}

size_t raws_file_grow(struct raws_file *file, size_t used)
{
	size_t capacity = file->raws.capacity;

	if (file->memory == NULL || used < capacity / 2 || capacity >= SLOTS_MAX)
		return capacity;
	return posix_fallocate(file->fd, 0, (off_t)size_of(2 * capacity)) == 0 ? 2 * capacity
									       : capacity;
}

void raws_file_close(struct raws_file *file, bool remove)
{
	if (file->memory != NULL)
		munmap(file->memory, file->size);
	if (file->path != NULL) {
		unlink(file->new_path);
		if (remove)
			unlink(file->path);
		if (file->fd >= 0)
			close(file->fd);
	}
	free(file->path);
	free(file->new_path);
	*file = (struct raws_file){ .fd = -1 };
}
