/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>

#include "agent_facts.h"
#include "decode.h"
#include "disk_name.h"
#include "fill.h"
#include "image_space.h"
#include "report.h"
#include "virt.h"

#define DISKS_MAX 64        /* Of a guest; further ones have no time. */
#define FILE_SYSTEMS_MAX 64 /* The same. */

/* A state ends if it is not set again for that many reads, but not before a minute. */
#define READS 5

struct chain_disk {
	char name[GUESTS_DISK_SIZE];
	char shown[FILL_NAME_SIZE]; /* In the names of its series. */
	struct fill_trend disk, image;
	struct fill_alarm alarm;
	struct fill_levels levels; /* Read by other threads, as 'shown'. */
};

struct chain_file_system {
	char disk[GUESTS_DISK_SIZE], point[FILL_NAME_SIZE];
	struct fill_trend trend;
	bool seen; /* In the last answer. */
};

struct chain {
	struct chain_disk *disks; /* Changed by the reader, with the plugin's lock. */
	size_t disks_len;
	struct chain_file_system *file_systems; /* The reader's. */
	size_t file_systems_len;
};

static struct chain *get_chain(struct virt *self, struct guest *guest)
{
	if (guest->chain != NULL)
		return guest->chain;
	pthread_mutex_lock(&self->lock);
	guest->chain = mc_alloc_zero(sizeof(*guest->chain));
	pthread_mutex_unlock(&self->lock);
	return guest->chain;
}

/* --- File systems in the guest -------------------------------------------------- */

static struct chain_file_system *get_file_system(struct chain *chain,
						 const struct agent_file_system *at)
{
	struct chain_file_system *found;

	for (size_t i = 0; i < chain->file_systems_len; i++)
		if (strcmp(chain->file_systems[i].point, at->point) == 0)
			return &chain->file_systems[i];
	if (chain->file_systems_len == FILE_SYSTEMS_MAX)
		return NULL;
	chain->file_systems = mc_alloc_resize(chain->file_systems, chain->file_systems_len + 1,
					      sizeof(*chain->file_systems));
	found = &chain->file_systems[chain->file_systems_len++];
	*found = (struct chain_file_system){ 0 };
	snprintf(found->point, sizeof(found->point), "%s", at->point);
	return found;
}

void chain_take_facts(struct mc_ctx *ctx, struct guest *guest, const struct agent_facts *facts)
{
	struct virt *self = ctx->self;
	struct chain *chain;

	if (self->image_spaces == NULL)
		return;
	chain = get_chain(self, guest);
	for (size_t i = 0; i < chain->file_systems_len; i++)
		chain->file_systems[i].seen = false;
	for (size_t i = 0; i < facts->file_systems_len; i++) {
		const struct agent_file_system *at = &facts->file_systems[i];
		struct chain_file_system *file_system;

		if (at->image || at->disk[0] == '\0')
			continue;
		file_system = get_file_system(chain, at);
		if (file_system == NULL)
			break;
		snprintf(file_system->disk, sizeof(file_system->disk), "%s", at->disk);
		fill_take(&file_system->trend, at->used, at->total, mc_now());
		file_system->seen = true;
	}
	for (size_t i = chain->file_systems_len; i-- > 0;)
		if (!chain->file_systems[i].seen)
			chain->file_systems[i] = chain->file_systems[--chain->file_systems_len];
}

/* --- Disks ---------------------------------------------------------------------- */

static struct chain_disk *get_disk(struct virt *self, struct chain *chain, const char *name)
{
	struct chain_disk *found;

	for (size_t i = 0; i < chain->disks_len; i++)
		if (strcmp(chain->disks[i].name, name) == 0)
			return &chain->disks[i];
	if (chain->disks_len == DISKS_MAX)
		return NULL;
	pthread_mutex_lock(&self->lock);
	chain->disks = mc_alloc_resize(chain->disks, chain->disks_len + 1, sizeof(*chain->disks));
	found = &chain->disks[chain->disks_len++];
	*found = (struct chain_disk){ 0 };
	snprintf(found->name, sizeof(found->name), "%s", name);
	pthread_mutex_unlock(&self->lock);
	return found;
}

static bool has_disk(const struct decode_devices *disks, const char *name)
{
	for (size_t i = 0; i < disks->len; i++)
		if (disks->items[i].name != NULL && strcmp(disks->items[i].name, name) == 0)
			return true;
	return false;
}

static void drop_detached(struct virt *self, struct chain *chain)
{
	const struct decode_devices *disks = &self->decode.disks;

	if (chain == NULL || disks->len == 0) /* They are not due. */
		return;
	for (size_t i = chain->disks_len; i-- > 0;) {
		if (has_disk(disks, chain->disks[i].name))
			continue;
		pthread_mutex_lock(&self->lock);
		chain->disks[i] = chain->disks[--chain->disks_len];
		pthread_mutex_unlock(&self->lock);
	}
}

static void add_file_systems(const struct chain *chain, const char *disk,
			     struct fill_levels *levels)
{
	for (size_t i = 0; i < chain->file_systems_len; i++)
		if (strcmp(chain->file_systems[i].disk, disk) == 0)
			fill_add(levels, FILL_GUEST_FILE_SYSTEM, chain->file_systems[i].point,
				 &chain->file_systems[i].trend, true);
}

/* The levels in the order in which bytes go down.  The end of the disk itself is where its guest
 * can write no further; if its file systems are known, they say that better: what they have freed
 * is written again. */
static void collect(struct virt *self, const struct chain *chain, const struct chain_disk *disk,
		    const struct decode_device *at, struct fill_levels *levels)
{
	const struct image_space *space = NULL;

	if (self->local)
		space = image_space_find(self->image_spaces, at->path);
	add_file_systems(chain, disk->name, levels);
	fill_add(levels, FILL_DISK, "", &disk->disk, levels->len == 0);
	fill_add(levels, FILL_IMAGE, at->path, &disk->image, true);
	if (space == NULL)
		return;
	fill_add(levels, space->pool ? FILL_POOL : FILL_FILE_SYSTEM, space->name, &space->trend,
		 true);
	fill_add(levels, FILL_POOL_METADATA, space->name, &space->metadata, true);
}

static void stand(struct mc_ctx *ctx, const struct guest *guest, const struct chain_disk *disk,
		  enum mc_severity severity)
{
	mc_time lasting = ctx->interval * READS;
	char words[512], reason[768];

	if (severity == MC_OKAY)
		snprintf(words, sizeof(words), "has room");
	else
		fill_write(&disk->levels, words, sizeof(words));
	snprintf(reason, sizeof(reason), "disk %.60s of guest %.120s%s %s", disk->name, guest->name,
		 severity == MC_OKAY ? "" : " is", words);
	mc_stand(ctx, &(struct mc_standing){
			      .id = { .host = guest->host,
				      .plugin_instance = guest->instance,
				      .type = "virt_time_to_full",
				      .type_instance = disk->shown },
			      .severity = severity,
			      .reason = reason,
			      .advice = "Enlarge or empty the first that is named, before the "
					"guest is paused or fails to write.",
			      .lasting = lasting > 60 * MC_SECOND ? lasting : 60 * MC_SECOND });
}

static void report_disk(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			const struct decode_device *at)
{
	struct virt *self = ctx->self;
	bool device = strncmp(at->path, "/dev/", 5) == 0;
	uint64_t allocation = at->values[DISK_ALLOCATION], capacity = at->values[DISK_CAPACITY];
	uint64_t physical = at->values[DISK_PHYSICAL];
	struct chain *chain = get_chain(self, guest);
	struct chain_disk *disk = get_disk(self, chain, at->name);
	struct fill_levels levels = { .len = 0 };
	const struct fill_level *tightest;
	char text[DECODE_NAME_MAX + 1];
	const char *name = disk_name(self, guest, at, text);
	double seconds;

	if (disk == NULL || name == NULL)
		return;
	fill_take(&disk->disk, allocation < capacity ? allocation : capacity, capacity, mc_now());
	if (device && physical < capacity) /* Else the disk is full before. */
		fill_take(&disk->image, allocation, physical, mc_now());
	else
		disk->image = (struct fill_trend){ 0 };
	collect(self, chain, disk, at, &levels);
	pthread_mutex_lock(&self->lock);
	disk->levels = levels;
	snprintf(disk->shown, sizeof(disk->shown), "%s", name);
	pthread_mutex_unlock(&self->lock);
	tightest = fill_tightest(&levels);
	if (tightest == NULL)
		return;
	seconds = fill_seconds(&tightest->trend);
	virt_put_gauge(out, guest, "virt_time_to_full", name, seconds);
	stand(ctx, guest, disk, fill_judge(&disk->alarm, seconds, mc_now()));
}

void chain_report(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
{
	const unsigned needed = 1U << DISK_ALLOCATION | 1U << DISK_CAPACITY | 1U << DISK_PHYSICAL;
	struct virt *self = ctx->self;
	const struct decode_devices *disks = &self->decode.disks;

	if (self->image_spaces == NULL || guest->state != VIR_DOMAIN_RUNNING)
		return;
	drop_detached(self, guest->chain);
	guest->slow = groups_interval(&self->groups, GROUP_DISKS);
	for (size_t i = 0; i < disks->len; i++) {
		const struct decode_device *disk = &disks->items[i];

		/* One to which nothing was written, as a CD, does not fill. */
		if (disk->name != NULL && disk->path != NULL &&
		    strlen(disk->name) < GUESTS_DISK_SIZE && (disk->known & needed) == needed &&
		    decode_knows(disk->known, DISK_WR_REQUESTS) &&
		    disk->values[DISK_WR_REQUESTS] > 0)
			report_disk(ctx, out, guest, disk);
	}
	guest->slow = 0;
}

void chain_forget(struct mc_ctx *ctx, struct guest *guest)
{
	struct virt *self = ctx->self;
	struct chain *chain = guest->chain;

	if (chain == NULL)
		return;
	pthread_mutex_lock(&self->lock);
	guest->chain = NULL;
	pthread_mutex_unlock(&self->lock);
	free(chain->disks);
	free(chain->file_systems);
	free(chain);
}

/* --- Explanations --------------------------------------------------------------- */

static void explain_disk(const struct guest *guest, const struct mc_series *series,
			 struct mc_answer *answer)
{
	const struct chain *chain = guest->chain;

	for (size_t i = 0; chain != NULL && i < chain->disks_len; i++) {
		char words[768];

		if (strcmp(chain->disks[i].shown, mc_type_instance(series)) != 0)
			continue;
		fill_write(&chain->disks[i].levels, words, sizeof(words));
		if (words[0] != '\0')
			mc_explain(answer, "%s's %s is %s", guest->name, chain->disks[i].name,
				   words);
	}
}

void chain_explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct virt *self = ctx->self;

	if (strcmp(mc_plugin(series), "virt") != 0 ||
	    strcmp(mc_type(series)->name, "virt_time_to_full") != 0)
		return;
	pthread_mutex_lock(&self->lock);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (strcmp(at->host, mc_host(series)) == 0 &&
		    strcmp(at->instance, mc_plugin_instance(series)) == 0)
			explain_disk(at, series, answer);
	pthread_mutex_unlock(&self->lock);
}
