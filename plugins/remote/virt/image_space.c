/* SPDX-License-Identifier: MIT */
/* image_space: statvfs(3) of the folders with images, and thin_look() of images that are devices.
 * Many may be of one file system or pool, which then counts once, by its device number. */
#include "image_space.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <collector/kit/alloc.h>
#include <collector/kit/map.h>
#include <collector/kit/once.h>
#include <collector/kit/timed_call.h>

#include "guests.h"
#include "thin.h"

/* A look that takes longer hangs. */
#define HUNG (5 * MC_SECOND)

/* Folders of which no guest has had an image for this long are forgotten. */
#define KEPT (300 * MC_SECOND)

struct seen {
	bool found;
	int errnum; /* Why the device mapper was not asked; else 0. */
	bool pool;
	dev_t device;
	uint64_t used, size;
	uint64_t metadata_used, metadata_size;
	char name[FILL_NAME_SIZE];
};

struct look { /* At folders, by a thread. */
	atomic_uint references;
	atomic_size_t reached; /* Those before are seen. */
	atomic_bool abandoned;
	size_t len;
	struct look_item {
		char path[GUESTS_PATH_SIZE];
		struct seen seen;
	} items[];
};

struct folder {                  /* Or a device that is an image. */
	struct mc_map_node node; /* By its path. */
	char path[GUESTS_PATH_SIZE];
	mc_time wanted;    /* When it was last asked for. */
	struct look *hung; /* It hangs in this one; NULL: it does not. */
	bool known;
	dev_t device;
};

struct image_spaces {
	struct mc_map folders;
	struct image_space *items;
	size_t len, size;

	struct look *look; /* Under way; NULL: none is. */
	mc_time begun;
	struct look *hung[IMAGE_SPACE_HUNG_MAX];
	struct mc_once trouble, refused, full;
};

/* --- The thread ---------------------------------------------------------------- */

static bool is_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0;
}

static void release(struct look *look)
{
	if (look != NULL && atomic_fetch_sub(&look->references, 1) == 1)
		free(look);
}

/* The topmost folder of the same file system. */
static void find_point(const char *path, dev_t device, char out[FILL_NAME_SIZE])
{
	char *point = realpath(path, NULL);
	char *end;
	struct stat status;

	while (point != NULL && (end = strrchr(point, '/')) != NULL && point[1] != '\0') {
		char kept = end == point ? end[1] : end[0];

		*(end == point ? end + 1 : end) = '\0';
		if (stat(point, &status) == 0 && status.st_dev == device)
			continue;
		*(end == point ? end + 1 : end) = kept;
		break;
	}
	snprintf(out, FILL_NAME_SIZE, "%s", point != NULL ? point : path);
	free(point);
}

static void look_at_device(const char *path, struct seen *seen)
{
	struct thin_pool pool;

	if (!thin_look(path, &pool)) {
		if (errno == EACCES || errno == EPERM)
			seen->errnum = errno;
		return;
	}
	*seen = (struct seen){ .found = true,
			       .pool = true,
			       .device = pool.device,
			       .used = pool.data_used,
			       .size = pool.data_size,
			       .metadata_used = pool.metadata_used,
			       .metadata_size = pool.metadata_size };
	snprintf(seen->name, sizeof(seen->name), "%s", pool.name);
}

static void look_at_folder(const char *path, struct seen *seen)
{
	struct stat status;
	struct statvfs space;
	uint64_t block, used;

	if (stat(path, &status) != 0 || statvfs(path, &space) != 0 || space.f_blocks == 0)
		return;
	block = space.f_frsize != 0 ? space.f_frsize : space.f_bsize;
	used = space.f_blocks > space.f_bfree ? space.f_blocks - space.f_bfree : 0;
	/* Space for root alone is not free for images. */
	seen->size = (used + space.f_bavail) * block;
	seen->used = used * block;
	seen->device = status.st_dev;
	find_point(path, status.st_dev, seen->name);
	seen->found = true;
}

static int run(void *argument)
{
	struct look *look = *(struct look **)argument;

	for (size_t i = 0; i < look->len && !atomic_load(&look->abandoned); i++) {
		if (is_device(look->items[i].path))
			look_at_device(look->items[i].path, &look->items[i].seen);
		else
			look_at_folder(look->items[i].path, &look->items[i].seen);
		atomic_store(&look->reached, i + 1);
	}
	release(look);
	return 0;
}

/* --- What it has seen ---------------------------------------------------------- */

static struct folder *next_folder(const struct image_spaces *self, const struct folder *folder)
{
	return (struct folder *)mc_map_next(&self->folders, folder != NULL ? &folder->node : NULL);
}

static struct folder *find_folder(const struct image_spaces *self, const char *path, size_t len)
{
	return (struct folder *)mc_map_find(&self->folders, path, len);
}

static struct image_space *find_space(struct image_spaces *self, dev_t device, bool pool)
{
	for (size_t i = 0; i < self->len; i++)
		if (self->items[i].device == device && self->items[i].pool == pool)
			return &self->items[i];
	return NULL;
}

static void take_item(struct mc_ctx *ctx, struct image_spaces *self, const struct look_item *item,
		      mc_time when)
{
	struct folder *folder = find_folder(self, item->path, strlen(item->path));
	struct image_space *space;

	if (folder == NULL)
		return;
	folder->known = item->seen.found;
	folder->device = item->seen.device;
	if (item->seen.errnum != 0)
		mc_complain(ctx, &self->refused, item->seen.errnum,
			    "cannot ask the device mapper for the thin pool of '%s'", item->path);
	if (!item->seen.found)
		return;
	space = find_space(self, item->seen.device, item->seen.pool);
	if (space == NULL) {
		MC_ARRAY_GROW(self->items, self->len, self->size);
		space = &self->items[self->len++];
		*space = (struct image_space){ .device = item->seen.device,
					       .pool = item->seen.pool };
	}
	snprintf(space->name, sizeof(space->name), "%s", item->seen.name);
	fill_take(&space->trend, item->seen.used, item->seen.size, when);
	if (space->pool)
		fill_take(&space->metadata, item->seen.metadata_used, item->seen.metadata_size,
			  when);
}

static void take(struct mc_ctx *ctx, struct image_spaces *self, const struct look *look)
{
	size_t reached = atomic_load(&look->reached);

	for (size_t i = 0; i < reached; i++)
		take_item(ctx, self, &look->items[i], self->begun);
}

/* Its folder is left out as long as the call has not come back. */
static void leave(struct mc_ctx *ctx, struct image_spaces *self)
{
	struct look *look = self->look;
	size_t reached = atomic_load(&look->reached), i = 0;
	struct folder *folder;

	while (i < IMAGE_SPACE_HUNG_MAX && self->hung[i] != NULL)
		i++;
	if (i == IMAGE_SPACE_HUNG_MAX)
		return;
	atomic_store(&look->abandoned, true);
	self->hung[i] = look;
	self->look = NULL;
	folder = find_folder(self, look->items[reached].path, strlen(look->items[reached].path));
	if (folder == NULL)
		return;
	folder->hung = look;
	mc_complain(ctx, &self->trouble, 0,
		    "the file system or pool of '%s' does not answer: its guests have no time "
		    "until it is "
		    "full",
		    folder->path);
}

static void take_looks(struct mc_ctx *ctx, struct image_spaces *self)
{
	for (size_t i = 0; i < IMAGE_SPACE_HUNG_MAX; i++) {
		if (self->hung[i] == NULL || atomic_load(&self->hung[i]->references) > 1)
			continue;
		for (struct folder *at = NULL; (at = next_folder(self, at)) != NULL;)
			if (at->hung == self->hung[i])
				at->hung = NULL;
		release(self->hung[i]);
		self->hung[i] = NULL;
		mc_works(ctx, &self->trouble, "file systems with images answer");
	}
	if (self->look == NULL)
		return;
	if (atomic_load(&self->look->reached) == self->look->len) {
		take(ctx, self, self->look);
		release(self->look);
		self->look = NULL;
	} else if (mc_now() - self->begun >= HUNG) {
		take(ctx, self, self->look);
		leave(ctx, self);
	}
}

/* Whether another folder of the same file system hangs. */
static bool is_beside_hung(const struct image_spaces *self, const struct folder *folder)
{
	for (const struct folder *at = NULL; (at = next_folder(self, at)) != NULL;)
		if (at->hung != NULL &&
		    (at == folder || (at->known && folder->known && at->device == folder->device)))
			return true;
	return false;
}

static void begin(struct mc_ctx *ctx, struct image_spaces *self)
{
	struct look *look = mc_alloc_zero(sizeof(*look) + self->folders.len * sizeof(*look->items));
	struct look **argument = mc_alloc(sizeof(struct look *));
	int rc;

	atomic_init(&look->references, 2);
	for (const struct folder *at = NULL; (at = next_folder(self, at)) != NULL;)
		if (!is_beside_hung(self, at))
			memcpy(look->items[look->len++].path, at->path, sizeof(at->path));
	*argument = look;
	self->look = look;
	self->begun = mc_now();
	rc = mc_timed_call(ctx, 0, run, argument);
	if (rc == -ETIMEDOUT) /* It goes on, and 'argument' is freed. */
		return;
	free(argument);
	if (rc == 0) /* So quick. */
		return;
	self->look = NULL; /* The next read tries again. */
	free(look);
}

static void forget_folder(struct image_spaces *self, struct folder *folder)
{
	mc_map_remove(&self->folders, &folder->node);
	free(folder);
}

static void forget_folders(struct image_spaces *self)
{
	for (struct folder *at = next_folder(self, NULL), *next; at != NULL; at = next) {
		next = next_folder(self, at);
		if (at->hung == NULL && mc_now() - at->wanted > KEPT)
			forget_folder(self, at);
	}
	for (size_t i = self->len; i-- > 0;)
		if (mc_now() - self->items[i].trend.looked > KEPT)
			self->items[i] = self->items[--self->len];
}

/* --- The reader ---------------------------------------------------------------- */

struct image_spaces *image_space_new(void)
{
	return mc_alloc_zero(sizeof(struct image_spaces));
}

void image_space_free(struct image_spaces *self)
{
	if (self == NULL)
		return;
	if (self->look != NULL)
		atomic_store(&self->look->abandoned, true);
	release(self->look);
	for (size_t i = 0; i < IMAGE_SPACE_HUNG_MAX; i++)
		release(self->hung[i]);
	for (struct folder *first; (first = next_folder(self, NULL)) != NULL;)
		forget_folder(self, first);
	mc_map_done(&self->folders);
	free(self->items);
	free(self);
}

void image_space_report(struct mc_ctx *ctx, struct image_spaces *self)
{
	take_looks(ctx, self);
	forget_folders(self);
	if (self->folders.len >= IMAGE_SPACE_FOLDERS_MAX)
		mc_complain(ctx, &self->full, 0,
			    "images are in %d folders and devices: those in further ones have no "
			    "time until they are full",
			    IMAGE_SPACE_FOLDERS_MAX);
	if (self->look == NULL && self->folders.len > 0 &&
	    (self->begun == 0 || mc_now() - self->begun >= IMAGE_SPACE_INTERVAL))
		begin(ctx, self);
}

const struct image_space *image_space_find(struct image_spaces *self, const char *image)
{
	struct folder *folder;
	size_t len;

	if (image[0] != '/')
		return NULL;
	len = is_device(image) ? strlen(image) : (size_t)(strrchr(image, '/') - image);
	if (len == 0) /* In "/". */
		len = 1;
	if (len >= GUESTS_PATH_SIZE)
		return NULL;
	folder = find_folder(self, image, len);
	if (folder == NULL && self->folders.len < IMAGE_SPACE_FOLDERS_MAX) {
		folder = mc_alloc_zero(sizeof(*folder));
		memcpy(folder->path, image, len);
		folder->node.key = folder->path;
		folder->node.key_size = len;
		mc_map_add(&self->folders, &folder->node);
	}
	if (folder == NULL)
		return NULL;
	folder->wanted = mc_now();
	return folder->known ? find_space(self, folder->device, is_device(image)) : NULL;
}
