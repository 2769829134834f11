/* SPDX-License-Identifier: MIT */
#include "storages.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/timed_call.h>
#include <collector/private/alerts.h>

#include "calls.h"
#include "disk_name.h"
#include "virt.h"

#define NS_OF_MS 1e6

/* --- Where disks are -------------------------------------------------------- */

struct search { /* The argument of the call, which may outlive what it is for. */
	char mountinfo[PATH_MAX], sys[PATH_MAX];
	size_t len;
	struct found {
		char path[DESCRIBE_PATH_SIZE];
		char storage[MC_STORAGE_SIZE];
	} items[];
};

/* Freed by the caller; NULL: it cannot be read. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t got = file != NULL ? getdelim(&text, &size, '\0', file) : -1;

	if (file != NULL)
		fclose(file);
	if (got >= 0)
		return text;
	free(text);
	return NULL;
}

static int search_now(void *argument)
{
	struct search *search = argument;
	struct storage_mounts mounts = { 0 };
	char *text = read_text(search->mountinfo);

	if (text == NULL)
		return -ENOENT;
	storage_parse_mounts(&mounts, text);
	for (size_t i = 0; i < search->len; i++)
		storage_of_path(&mounts, search->sys, search->items[i].path,
				search->items[i].storage);
	storage_free_mounts(&mounts);
	free(text);
	return 0;
}

static bool is_wanted(const struct describe_disk *disk)
{
	return disk->storage[0] == '\0' && disk->path[0] == '/';
}

/* Calls visit() for each disk whose storage is to be looked up; returns how many there are. */
static size_t each_wanted(struct calls_describe *describe, struct search *search,
			  void (*visit)(struct describe_disk *, struct found *))
{
	size_t len = 0;

	for (size_t i = 0; i < describe->items_len; i++)
		for (size_t j = 0; j < describe->items[i].xml.disks_len; j++) {
			struct describe_disk *disk = &describe->items[i].xml.disks[j];

			if (!is_wanted(disk))
				continue;
			if (search != NULL)
				visit(disk, &search->items[len]);
			len++;
		}
	return len;
}

static void ask(struct describe_disk *disk, struct found *found)
{
	memcpy(found->path, disk->path, sizeof(found->path));
}

/* is_wanted() of the others stays as it was. */
static void take(struct describe_disk *disk, struct found *found)
{
	memcpy(disk->storage, found->storage, sizeof(disk->storage));
}

void storages_find(struct mc_ctx *ctx, struct calls_describe *describe, mc_time limit)
{
	const struct virt *self = ctx->self;
	size_t len = each_wanted(describe, NULL, NULL);
	struct search *search;
	int rc;

	if (!self->local || !self->report_disks || len == 0)
		return;
	search = mc_alloc_zero(sizeof(*search) + len * sizeof(search->items[0]));
	search->len = len;
	mc_path(ctx, "/proc/self/mountinfo", search->mountinfo, sizeof(search->mountinfo));
	mc_path(ctx, "/sys", search->sys, sizeof(search->sys));
	each_wanted(describe, search, ask);
	rc = mc_timed_call(ctx, limit, search_now, search);
	if (rc == -ETIMEDOUT) /* The search is not ours any more. */
		return;
	if (rc == 0)
		each_wanted(describe, search, take);
	free(search);
}

/* --- Disks of guests -------------------------------------------------------- */

static struct storages_storage *have(struct storages *storages, const char *name)
{
	struct storages_storage *storage =
		(struct storages_storage *)mc_map_find(&storages->map, name, strlen(name));

	if (storage != NULL)
		return storage;
	storage = mc_alloc_zero(sizeof(*storage));
	snprintf(storage->name, sizeof(storage->name), "%s", name);
	storage->node.key = storage->name;
	storage->node.key_size = strlen(storage->name);
	mc_map_add(&storages->map, &storage->node);
	return storage;
}

static void leave(struct storages *storages, struct storages_storage *storage)
{
	if (storage == NULL || --storage->disks > 0)
		return;
	storages->reported -= storage->is_reported;
	mc_map_remove(&storages->map, &storage->node);
	free(storage);
}

static void free_disks(struct storages *storages, struct storages_disks *disks)
{
	for (size_t i = 0; i < disks->len; i++) {
		leave(storages, disks->items[i].storage);
		free(disks->items[i].name);
		free(disks->items[i].series);
	}
	free(disks->items);
	*disks = (struct storages_disks){ 0 };
}

void storages_forget(struct mc_ctx *ctx, struct guest *guest)
{
	struct virt *self = ctx->self;

	free_disks(&self->storages, &guest->storages);
}

/* The counters go on where it was on the same storage before. */
static void take_over(struct storages_disk *disk, const struct storages_disks *before)
{
	for (size_t i = 0; i < before->len; i++) {
		const struct storages_disk *old = &before->items[i];

		if (strcmp(old->name, disk->name) != 0 || old->storage != disk->storage)
			continue;
		disk->is_counted = old->is_counted;
		memcpy(disk->last, old->last, sizeof(disk->last));
	}
}

static void add_disk(struct virt *self, const struct guest *guest, const struct describe_disk *disk,
		     struct storages_disks *disks)
{
	const struct decode_device shown = { .name = disk->name, .path = disk->path };
	struct storages_disk *added = &disks->items[disks->len++];
	char text[DECODE_NAME_MAX + 1];
	const char *series = disk_name(self, guest, &shown, text);

	added->name = mc_alloc_copy(disk->name);
	added->series = mc_alloc_copy(series != NULL ? series : "");
	if (disk->storage[0] == '\0')
		return;
	added->storage = have(&self->storages, disk->storage);
	added->storage->disks++;
	take_over(added, &guest->storages);
}

void storages_keep(struct mc_ctx *ctx, struct guest *guest, const struct describe *describe)
{
	struct virt *self = ctx->self;
	struct storages_disks disks = { 0 };

	if (self->report_disks && describe->disks_len > 0)
		disks.items = mc_alloc_array(describe->disks_len, sizeof(*disks.items));
	for (size_t i = 0; disks.items != NULL && i < describe->disks_len; i++)
		add_disk(self, guest, &describe->disks[i], &disks);
	free_disks(&self->storages, &guest->storages);
	guest->storages = disks;
}

void storages_done(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	mc_map_done(&self->storages.map);
}

/* --- The label -------------------------------------------------------------- */

/* Adds a word; false without room. */
static bool add_word(char *out, size_t size, size_t *used, const char *word)
{
	size_t len = strlen(word);

	if (*used + len + 1 > size)
		return false;
	for (size_t i = 0; i < len; i++)
		out[*used + i] = mc_storage_character(word[i]);
	*used += len;
	out[*used] = '\0';
	return true;
}

static bool is_first(const struct storages_disks *disks, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (disks->items[i].storage == disks->items[index].storage)
			return false;
	return disks->items[index].storage != NULL;
}

/* Adds the disks that are on the storage of that one.  Disks without room are left out. */
static void add_entry(const struct storages_disks *disks, size_t index, char *out, size_t size)
{
	const struct storages_storage *storage = disks->items[index].storage;
	size_t before = strlen(out), used = before, end = strlen(storage->name) + 1;
	bool has_disk = false;

	used += before > 0; /* The separator is set at the end. */
	for (size_t i = index; i < disks->len && end < size; i++) {
		const struct storages_disk *disk = &disks->items[i];

		if (disk->storage != storage || disk->series[0] == '\0' || used + end >= size)
			continue;
		if (!add_word(out, size - end, &used, disk->series))
			continue;
		out[used++] = ' ';
		has_disk = true;
	}
	if (!has_disk || !add_word(out, size, &used, storage->name))
		out[before] = '\0';
	else if (before > 0)
		out[before] = ';';
}

void storages_label(const struct storages_disks *disks, char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < disks->len; i++)
		if (is_first(disks, i))
			add_entry(disks, i, out, size);
}

/* --- Counters and series ---------------------------------------------------- */

static void read_counts(const struct decode_device *disk,
			struct storages_counts counts[STORAGES_REQUESTS])
{
	static const enum decode_disk_field fields[STORAGES_REQUESTS][3] = {
		{ DISK_RD_REQUESTS, DISK_RD_TIMES, DISK_RD_BYTES },
		{ DISK_WR_REQUESTS, DISK_WR_TIMES, DISK_WR_BYTES },
		{ DISK_FL_REQUESTS, DISK_FL_TIMES, DISK_FIELDS },
	};

	for (unsigned i = 0; i < STORAGES_REQUESTS; i++) {
		uint64_t *numbers[] = { &counts[i].requests, &counts[i].time, &counts[i].bytes };

		for (unsigned j = 0; j < 3; j++)
			*numbers[j] = fields[i][j] != DISK_FIELDS &&
						      decode_knows(disk->known, fields[i][j])
					      ? disk->values[fields[i][j]]
					      : 0;
	}
}

/* Whether one of them went back: the guest was reset, or its QEMU is another. */
static bool is_reset(const struct storages_counts *last, const struct storages_counts *now)
{
	for (unsigned i = 0; i < STORAGES_REQUESTS; i++)
		if (now[i].requests < last[i].requests || now[i].time < last[i].time ||
		    now[i].bytes < last[i].bytes)
			return true;
	return false;
}

void storages_take(struct storages_disks *disks, size_t index, const struct decode_device *device)
{
	struct storages_counts now[STORAGES_REQUESTS];
	struct storages_disk *disk = NULL;

	/* Both lists are usually in the same order. */
	for (size_t i = 0; i < disks->len && disk == NULL && device->name != NULL; i++)
		if (strcmp(disks->items[(index + i) % disks->len].name, device->name) == 0)
			disk = &disks->items[(index + i) % disks->len];
	if (disk == NULL || disk->storage == NULL ||
	    !decode_knows(device->known, DISK_RD_REQUESTS) ||
	    !decode_knows(device->known, DISK_WR_REQUESTS))
		return;
	read_counts(device, now);
	disk->storage->has_values = true;
	for (unsigned i = 0; disk->is_counted && i < STORAGES_REQUESTS; i++) {
		struct storages_counts *sum = &disk->storage->now[i];

		if (is_reset(disk->last, now))
			break;
		sum->requests += now[i].requests - disk->last[i].requests;
		sum->time += now[i].time - disk->last[i].time;
		sum->bytes += now[i].bytes - disk->last[i].bytes;
	}
	memcpy(disk->last, now, sizeof(disk->last));
	disk->is_counted = true;
}

static double mean_of(const struct storages_counts *counts)
{
	return counts->requests > 0 ? (double)counts->time / NS_OF_MS / (double)counts->requests
				    : NAN;
}

static struct mc_series *series_of(const struct virt *self, struct mc_batch *out, const char *type,
				   const char *instance)
{
	return mc_series(out, MC_ID(.plugin_instance = self->series_instance, .type = type,
				    .type_instance = instance));
}

static void put(const struct virt *self, struct mc_batch *out, struct mc_series *series,
		const union mc_value *values, unsigned len)
{
	mc_time interval = groups_interval(&self->groups, GROUP_DISKS);

	if (interval == 0)
		mc_put(out, series, values, len);
	else
		mc_put_at(out, series, (struct mc_stamp){ mc_wall(), interval }, values, len);
}

static void put_storage(const struct virt *self, struct mc_batch *out,
			const struct storages_storage *storage)
{
	const struct storages_counts *sums = storage->sums, *now = storage->now;
	char name[MC_STORAGE_SIZE + 32], flush[MC_STORAGE_SIZE + 64];

	snprintf(name, sizeof(name), "storage-%s", storage->name + (storage->name[0] == '@'));
	for (char *slash = name; (slash = strchr(slash, '/')) != NULL;)
		*slash = '_';
	snprintf(flush, sizeof(flush), "%s-flush", name);
	put(self, out, series_of(self, out, "disk_latency", name),
	    (union mc_value[2]){ { .gauge = mean_of(&now[STORAGES_READ]) },
				 { .gauge = mean_of(&now[STORAGES_WRITE]) } },
	    2);
	put(self, out, series_of(self, out, "latency", flush),
	    &(union mc_value){ .gauge = mean_of(&now[STORAGES_FLUSH]) }, 1);
	put(self, out, series_of(self, out, "disk_ops", name),
	    (union mc_value[2]){ { .derive = (int64_t)sums[STORAGES_READ].requests },
				 { .derive = (int64_t)sums[STORAGES_WRITE].requests } },
	    2);
	put(self, out, series_of(self, out, "disk_octets", name),
	    (union mc_value[2]){ { .derive = (int64_t)sums[STORAGES_READ].bytes },
				 { .derive = (int64_t)sums[STORAGES_WRITE].bytes } },
	    2);
}

static void end_read(struct storages_storage *storage)
{
	for (unsigned i = 0; i < STORAGES_REQUESTS; i++)
		storage->now[i] = (struct storages_counts){ 0 };
	storage->has_values = false;
}

void storages_report(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct storages *storages = &self->storages;
	size_t refused = 0;

	if (!self->report_storages)
		return;
	for (struct mc_map_node *at = NULL; (at = mc_map_next(&storages->map, at)) != NULL;) {
		struct storages_storage *storage = (struct storages_storage *)at;

		if (!storage->has_values)
			continue;
		if (!storage->is_reported && storages->reported >= (size_t)self->storage_limit) {
			refused++;
			end_read(storage);
			continue;
		}
		storages->reported += !storage->is_reported;
		storage->is_reported = true;
		for (unsigned i = 0; i < STORAGES_REQUESTS; i++) {
			storage->sums[i].requests += storage->now[i].requests;
			storage->sums[i].bytes += storage->now[i].bytes;
		}
		put_storage(self, out, storage);
		end_read(storage);
	}
	if (refused > 0)
		mc_complain(ctx, &self->storages_full, 0,
			    "there are more storages than StorageLimit: %zu are not reported",
			    refused);
	else
		mc_works(ctx, &self->storages_full, "there are fewer storages than StorageLimit");
}
