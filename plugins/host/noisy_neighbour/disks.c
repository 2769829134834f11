/* SPDX-License-Identifier: MIT */
#include "disks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define KEPT 2.5 /* Intervals for which values of others count. */
#define KEPT_MIN (5 * MC_SECOND)
#define GAP 5 /* Intervals without values: the guest was paused, and its disk begins anew. */

/* --- Tables ----------------------------------------------------------------- */

static struct disks_guest *have_guest(struct disks *disks, const char *host, const char *instance)
{
	size_t host_size = strlen(host) + 1, size = host_size + strlen(instance) + 1;
	char *key = mc_alloc_zero(size);
	struct disks_guest *guest;

	memcpy(key, host, host_size);
	memcpy(key + host_size, instance, size - host_size);
	guest = (struct disks_guest *)mc_map_find(&disks->guests, key, size);
	if (guest == NULL) {
		guest = mc_alloc_zero(sizeof(*guest) + size);
		memcpy(guest->key, key, size);
		guest->host = guest->key;
		guest->instance = guest->key + host_size;
		guest->number = ++disks->last_number;
		guest->node.key = guest->key;
		guest->node.key_size = size;
		mc_map_add(&disks->guests, &guest->node);
	}
	free(key);
	return guest;
}

static struct disk *new_disk(struct disks *disks, struct disks_guest *guest, const char *name)
{
	struct disk *disk = mc_alloc_zero(sizeof(*disk) + strlen(name) + 1);

	memcpy(disk->name, name, strlen(name) + 1);
	disk->guest = guest;
	disk->state.guest = guest->number;
	disk->next = guest->first;
	if (disk->next != NULL)
		disk->next->previous = disk;
	guest->first = disk;
	guest->len++;
	disks->len++;
	for (unsigned i = 0; i < DISKS_KINDS; i++)
		disk->slots[i] = (struct disks_slot){ disk, i };
	return disk;
}

struct disk *disks_have(struct disks *disks, const char *host, const char *instance,
			const char *name)
{
	struct disks_guest *guest = have_guest(disks, host, instance);

	for (struct disk *disk = guest->first; disk != NULL; disk = disk->next)
		if (strcmp(disk->name, name) == 0)
			return disk;
	return new_disk(disks, guest, name);
}

static void free_storage(struct disks *disks, struct disks_storage *storage)
{
	mc_map_remove(&disks->storages, &storage->node);
	contention_view_free(storage->view);
	free(storage->disks);
	free(storage);
}

static void leave_storage(struct disks *disks, struct disk *disk)
{
	struct disks_storage *storage = disk->storage;

	if (storage == NULL)
		return;
	disk->storage = NULL;
	storage->disks[disk->index] = storage->disks[--storage->len];
	storage->disks[disk->index]->index = disk->index;
	if (storage->len == 0)
		free_storage(disks, storage);
}

static void free_disk(struct disks *disks, struct disk *disk)
{
	struct disks_guest *guest = disk->guest;
	struct disk **at = &disks->touched;

	while (disk->is_touched && *at != disk)
		at = &(*at)->touched;
	if (disk->is_touched)
		*at = disk->touched;
	leave_storage(disks, disk);
	if (disk->previous != NULL)
		disk->previous->next = disk->next;
	else
		guest->first = disk->next;
	if (disk->next != NULL)
		disk->next->previous = disk->previous;
	free(disk);
	disks->len--;
	if (--guest->len > 0)
		return;
	mc_map_remove(&disks->guests, &guest->node);
	free(guest);
	if (disks->len > 0)
		return;
	mc_map_done(&disks->guests);
	mc_map_done(&disks->storages);
}

void disks_release(struct disks *disks, struct disks_slot *slot)
{
	struct disk *disk = slot->disk;

	disk->used &= ~(1U << slot->kind);
	if (disk->used == 0)
		free_disk(disks, disk);
}

/* --- Where disks are -------------------------------------------------------- */

static struct disks_storage *have_storage(struct disks *disks, const char *hypervisor,
					  const char *name)
{
	bool is_local = name[0] == '@';
	char key[MC_LABEL_SIZE + MC_STORAGE_SIZE + 1];
	int size = snprintf(key, sizeof(key), "%s %s", is_local ? hypervisor : "", name);
	struct disks_storage *storage =
		(struct disks_storage *)mc_map_find(&disks->storages, key, (size_t)size);

	if (storage != NULL)
		return storage;
	storage = mc_alloc_zero(sizeof(*storage) + (size_t)size + 1);
	memcpy(storage->key, key, (size_t)size + 1);
	storage->name = storage->key + ((size_t)size - strlen(name)) + is_local;
	storage->node.key = storage->key;
	storage->node.key_size = (size_t)size;
	mc_map_add(&disks->storages, &storage->node);
	return storage;
}

static void begin_anew(struct disk *disk)
{
	disk->state = (struct contention_disk){ .guest = disk->state.guest };
}

void disks_place(struct disks *disks, struct disk *disk, const char *hypervisor, const char *name)
{
	struct disks_storage *storage = NULL;

	if (name[0] != '\0' && (name[0] != '@' || hypervisor[0] != '\0'))
		storage = have_storage(disks, hypervisor, name);
	if (storage == disk->storage)
		return;
	leave_storage(disks, disk);
	begin_anew(disk);
	if (storage == NULL)
		return;
	MC_ARRAY_GROW(storage->disks, storage->len, storage->room);
	disk->index = storage->len;
	storage->disks[storage->len++] = disk;
	disk->storage = storage;
}

/* --- Values ----------------------------------------------------------------- */

static bool is_whole(const struct disk *disk)
{
	mc_time time = disk->values[DISKS_OPS].time;

	return time == disk->values[DISKS_OCTETS].time &&
	       (time == disk->values[DISKS_TIME].time || time == disk->values[DISKS_LATENCY].time);
}

static bool is_after_gap(const struct disk *disk, const struct disks_value *value)
{
	mc_time longest = disk->interval > value->interval ? disk->interval : value->interval;

	return disk->whole != 0 && longest > 0 && value->time - disk->whole > GAP * longest;
}

void disks_take(struct disks *disks, const struct disks_slot *slot, const struct disks_value *value,
		mc_time now)
{
	struct disk *disk = slot->disk;

	disk->values[slot->kind].time = value->time;
	memcpy(disk->values[slot->kind].pair, value->pair, sizeof(value->pair));
	if (disk->is_touched || disk->whole == value->time || !is_whole(disk))
		return;
	if (is_after_gap(disk, value))
		begin_anew(disk);
	disk->interval = value->interval;
	disk->seen = now;
	disk->is_touched = true;
	disk->touched = disks->touched;
	disks->touched = disk;
}

/* Seconds a request; NaN: without a request, or if that is unknown. */
static double latency_of(const struct disk *disk)
{
	const double *ops = disk->values[DISKS_OPS].pair;
	const double *ms = disk->values[DISKS_LATENCY].pair;
	double sum = 0;

	if (!(ops[0] + ops[1] > 0))
		return NAN;
	if (disk->values[DISKS_TIME].time == disk->values[DISKS_OPS].time)
		return (disk->values[DISKS_TIME].pair[0] + disk->values[DISKS_TIME].pair[1]) / 1e9 /
		       (ops[0] + ops[1]);
	for (unsigned i = 0; i < 2; i++) /* It is unknown where there was no request. */
		if (ops[i] > 0)
			sum += ops[i] * ms[i] / 1e3;
	return sum / (ops[0] + ops[1]);
}

static void follow(struct disk *disk, const struct contention_rule *rule)
{
	const double *ops = disk->values[DISKS_OPS].pair, *octets = disk->values[DISKS_OCTETS].pair;

	disk->whole = disk->values[DISKS_OPS].time;
	contention_follow(&disk->state, rule, octets[0] + octets[1], ops[0] + ops[1],
			  latency_of(disk));
}

/* --- Judgement -------------------------------------------------------------- */

static bool is_kept(const struct disk *disk, mc_time now)
{
	mc_time age = now - disk->seen;

	return age <= KEPT_MIN || (double)age <= KEPT * (double)disk->interval;
}

static const struct contention_view *view_of(struct disks_storage *storage, mc_time now)
{
	const struct contention_disk **kept;
	size_t len = 0;

	if (storage->view != NULL)
		return storage->view;
	kept = mc_alloc_array(storage->len, sizeof(*kept));
	for (size_t i = 0; i < storage->len; i++)
		if (is_kept(storage->disks[i], now))
			kept[len++] = &storage->disks[i]->state;
	storage->view = contention_view_new(kept, len);
	free(kept);
	return storage->view;
}

/* The guest with that number has a disk there, or it would not be named. */
static const struct disks_guest *find_guest(const struct disks_storage *storage, unsigned number)
{
	for (size_t i = 0; i < storage->len; i++)
		if (storage->disks[i]->state.guest == number)
			return storage->disks[i]->guest;
	return NULL;
}

static void add_names(struct disks_news *news, const struct contention_answer *answer)
{
	news->measure = answer->measure;
	for (size_t i = 0; i < answer->shares_len; i++) {
		const struct disks_guest *guest =
			find_guest(news->disk->storage, answer->shares[i].guest);

		if (guest != NULL)
			news->names[news->names_len++] =
				(struct disks_name){ guest->host, guest->instance,
						     answer->shares[i].part };
	}
}

/* Returns whether the verdict has changed. */
static bool judge(struct disk *disk, const struct contention_rule *rule, mc_time now,
		  struct contention_answer *answer)
{
	bool was_bad = disk->verdict.is_bad;

	*answer = (struct contention_answer){ 0 };
	if (disk->storage != NULL && contention_waits(&disk->state, rule, was_bad))
		contention_blame(view_of(disk->storage, now), &disk->state, was_bad, answer);
	return contention_take(&disk->verdict, rule,
			       disk->storage == NULL || !isnan(disk->state.latency), answer);
}

static bool waits(const struct disks_guest *guest)
{
	for (const struct disk *disk = guest->first; disk != NULL; disk = disk->next)
		if (disk->verdict.is_bad)
			return true;
	return false;
}

bool disks_end(struct disk *disk)
{
	bool waited = waits(disk->guest);

	begin_anew(disk);
	disk->verdict = (struct contention_verdict){ 0 };
	return waited && !waits(disk->guest);
}

/* Fills the news about a judged disk; false without any.  A disk that waits for nobody has none
 * until its verdict changes. */
static bool find_news(const struct disks *disks, const struct contention_answer *answer,
		      bool has_changed, struct disks_news *news)
{
	struct disks_guest *guest = news->disk->guest;

	if (!news->disk->verdict.is_bad)
		return has_changed && !waits(guest);
	add_names(news, answer);
	if (news->names_len == 0 || guest->shown == disks->judgements)
		return false;
	guest->shown = disks->judgements;
	return true;
}

void disks_judge(struct disks *disks, const struct contention_rule *rule, mc_time now,
		 disks_show *show, void *argument)
{
	for (struct disk *disk = disks->touched; disk != NULL; disk = disk->touched)
		follow(disk, rule);
	disks->judgements++;
	for (struct disk *disk = disks->touched; disk != NULL; disk = disk->touched) {
		struct disks_news news = { .disk = disk };
		struct contention_answer answer;
		bool has_changed = judge(disk, rule, now, &answer);

		if (find_news(disks, &answer, has_changed, &news))
			show(argument, &news);
	}
	while (disks->touched != NULL) {
		struct disk *disk = disks->touched;

		disks->touched = disk->touched;
		disk->is_touched = false;
		if (disk->storage == NULL || disk->storage->view == NULL)
			continue;
		contention_view_free(disk->storage->view);
		disk->storage->view = NULL;
	}
}
