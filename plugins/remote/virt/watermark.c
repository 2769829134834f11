/* SPDX-License-Identifier: MIT */
/* watermark: virDomainSetBlockThreshold() and its traps.
 *
 * A threshold fires once, and is gone.  It does not fire if the disk was written beyond it before.
 * When a guest starts again, migrates, or when the event came while libvirtd was down, it is gone
 * without a word.  But the bulk statistics that are read anyway say which thresholds are set
 * ("block.N.threshold"), and how far each disk was written to: so every read makes good what was
 * missed. */
#include "watermark.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "connection.h"
#include "extend_look.h"
#include "links.h"
#include "notifications.h"
#include "standing.h"
#include "threshold.h"
#include "virt.h"

struct threshold_request {
	unsigned char uuid[VIR_UUID_BUFLEN];
	char disk[GUESTS_DISK_SIZE];
	uint64_t threshold, size; /* Bytes: to be set; of the disk. */
	bool tried, set;          /* It may be; and it was. */
};

/* --- What is wanted ------------------------------------------------------- */

static const struct watermark_rule *find_rule(const struct virt *self, const struct guest *guest,
					      const char *disk)
{
	const struct watermark_rule *rules = self->watermarks.items;

	for (size_t i = 0; i < self->watermarks.len; i++)
		if (threshold_matches(&rules[i], guest->name, disk))
			return &rules[i];
	return NULL;
}

static struct guest_watermark *find_watermark(const struct guest *guest, const char *disk)
{
	for (size_t i = 0; i < guest->watermarks_len; i++)
		if (strcmp(guest->watermarks[i].disk, disk) == 0)
			return &guest->watermarks[i];
	return NULL;
}

/* The disk's watermark; a new one if it has none. */
static struct guest_watermark *get_watermark(struct virt *self, struct guest *guest,
					     const char *disk)
{
	struct guest_watermark *watermark = find_watermark(guest, disk), *grown;

	if (watermark != NULL)
		return watermark;
	pthread_mutex_lock(&self->lock);
	grown = mc_alloc_resize(guest->watermarks, guest->watermarks_len + 1, sizeof(*grown));
	guest->watermarks = grown;
	watermark = &guest->watermarks[guest->watermarks_len++];
	*watermark = (struct guest_watermark){ .rate = NAN };
	snprintf(watermark->disk, sizeof(watermark->disk), "%s", disk);
	pthread_mutex_unlock(&self->lock);
	return watermark;
}

static void add_request(struct threshold_requests *requests, struct guest *guest,
			const struct guest_watermark *watermark, uint64_t threshold, uint64_t size)
{
	struct threshold_request *request;

	MC_ARRAY_GROW(requests->items, requests->len, requests->size);
	request = &requests->items[requests->len++];
	guest->poll.wanted = true; /* Until an answer shows that it is set. */
	*request = (struct threshold_request){ .threshold = threshold, .size = size };
	memcpy(request->uuid, guest->uuid, sizeof(request->uuid));
	memcpy(request->disk, watermark->disk, sizeof(request->disk));
}

static void put_left(struct mc_batch *out, const struct guest *guest, const char *disk,
		     const struct watermark_disk *state)
{
	uint64_t left = state->size > state->allocation ? state->size - state->allocation : 0;

	virt_put_gauge(out, guest, "virt_disk_headroom", disk, (double)left);
	if (isnan(state->rate))
		return;
	virt_put_gauge(out, guest, "virt_disk_fill_rate", disk, state->rate);
	if (state->rate > 0)
		virt_put_gauge(out, guest, "virt_disk_time_to_full", disk,
			       (double)left / state->rate);
}

/* Has the disk extended, while the lock is held. */
static void ask(struct virt *self, const struct guest *guest,
		const struct guest_watermark *watermark, bool by_event)
{
	struct extend_disk disk = { .by_event = by_event,
				    .guest = guest->name,
				    .host = guest->host,
				    .instance = guest->instance,
				    .disk = watermark->disk,
				    .path = watermark->path,
				    .size = watermark->last_size };
	const struct watermark_rule *rule = find_rule(self, guest, watermark->disk);

	if (self->extender == NULL || rule == NULL || disk.size == 0 || watermark->paused ||
	    strlen(watermark->path) + 1 >= sizeof(watermark->path))
		return;
	disk.mark = *rule;
	memcpy(disk.uuid, guest->uuid, sizeof(disk.uuid));
	memcpy(disk.uuid_text, guest->uuid_text, sizeof(disk.uuid_text));
	extend_ask(self->extender, &disk);
}

/* Keeps what the program of an <Extend> needs, and asks for it if no event has. */
static void keep_and_ask(struct virt *self, const struct guest *guest,
			 struct guest_watermark *watermark, const char *path,
			 const struct watermark_disk *state)
{
	const struct watermark_disk empty = { .size = state->size,
					      .rate = isnan(state->rate) ? 0 : state->rate };
	uint64_t lowest = threshold_bytes(find_rule(self, guest, watermark->disk), &empty);

	pthread_mutex_lock(&self->lock);
	watermark->last_size = state->size;
	snprintf(watermark->path, sizeof(watermark->path), "%s", path);
	if (lowest != 0 && state->allocation >= lowest)
		ask(self, guest, watermark, false);
	pthread_mutex_unlock(&self->lock);
}

/* Fields that events write, too. */
static bool look(struct virt *self, const bool *flag)
{
	bool is;

	pthread_mutex_lock(&self->lock);
	is = *flag;
	pthread_mutex_unlock(&self->lock);
	return is;
}

/* The disk was emptied, or its guest was started again. */
static void forget_heard(struct virt *self, struct guest_watermark *watermark)
{
	pthread_mutex_lock(&self->lock);
	watermark->heard = 0;
	pthread_mutex_unlock(&self->lock);
}

/* A write beyond the threshold that no event reported.  One may have, while statistics from before
 * it were looked at, and the same threshold was set again by them. */
static void make_good(struct mc_ctx *ctx, const struct guest *guest,
		      struct guest_watermark *watermark, uint64_t allocation, const char *path)
{
	struct virt *self = ctx->self;
	bool missed;

	pthread_mutex_lock(&self->lock);
	missed = !watermark->paused && watermark->threshold > 0 &&
		 allocation >= watermark->threshold && !watermark->crossed &&
		 watermark->threshold != watermark->heard;
	if (missed) {
		watermark->crossed = true;
		watermark->reported = watermark->threshold;
	}
	pthread_mutex_unlock(&self->lock);
	if (missed)
		notifications_passed(ctx, guest,
				     &(struct notifications_threshold){
					     watermark->disk, path, watermark->threshold,
					     allocation - watermark->threshold });
}

static void check_disk(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		       const struct decode_device *disk, struct threshold_requests *requests)
{
	struct virt *self = ctx->self;
	const struct watermark_rule *rule = find_rule(self, guest, disk->name);
	bool device = strncmp(disk->path, "/dev/", 5) == 0;
	struct guest_watermark *watermark;
	struct watermark_disk state = {
		.size = disk->values[device ? DISK_PHYSICAL : DISK_CAPACITY],
		.allocation = disk->values[DISK_ALLOCATION],
	};
	uint64_t threshold, set;
	mc_time now = mc_now();

	if (rule == NULL || state.size == 0)
		return;
	watermark = get_watermark(self, guest, disk->name);
	if (!watermark->seen)
		watermark->size = state.size;
	/* The read before may be longer ago than an interval. */
	if (watermark->seen && state.allocation >= watermark->allocation && now > watermark->looked)
		watermark->rate =
			threshold_rate(watermark->rate, state.allocation - watermark->allocation,
				       (double)(now - watermark->looked) / MC_SECOND);
	if (state.allocation < watermark->allocation)
		forget_heard(self, watermark);
	watermark->seen = true;
	watermark->allocation = state.allocation;
	watermark->looked = now;
	state.rate = watermark->rate;
	put_left(out, guest, disk->name, &state);
	standing_disk(ctx, guest, disk->name, rule, &state);
	keep_and_ask(self, guest, watermark, disk->path, &state);
	if (look(self, &watermark->paused))
		return;
	if (isnan(state.rate))
		state.rate = 0;
	make_good(ctx, guest, watermark, state.allocation, disk->path);
	set = decode_knows(disk->known, DISK_THRESHOLD) ? disk->values[DISK_THRESHOLD] : 0;
	if (!self->events.writes && !look(self, &watermark->crossed))
		set = watermark->threshold; /* Only statistics show it. */
	threshold = threshold_bytes(rule, &state);
	if (threshold == 0)
		return;
	if (set != 0 && watermark->size == state.size && threshold_stays(rule, &state, set)) {
		/* Perhaps by the collector that ran before this one. */
		pthread_mutex_lock(&self->lock);
		watermark->threshold = set;
		pthread_mutex_unlock(&self->lock);
		return;
	}
	add_request(requests, guest, watermark, threshold, state.size);
}

/* One that is paused may go on at any time, and by a full disk, needs a larger one.  Not one that
 * moves. */
static bool may_write(const struct guest *guest)
{
	return guest->state == VIR_DOMAIN_RUNNING ||
	       (guest->state == VIR_DOMAIN_PAUSED && (guest->reason == VIR_DOMAIN_PAUSED_USER ||
						      guest->reason == VIR_DOMAIN_PAUSED_IOERROR));
}

void watermark_check(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		     struct threshold_requests *requests)
{
	const unsigned needed = 1U << DISK_ALLOCATION | 1U << DISK_CAPACITY | 1U << DISK_PHYSICAL;
	struct virt *self = ctx->self;
	const struct decode_devices *disks = &self->decode.disks;

	if (self->watermarks.len == 0 || !may_write(guest))
		return;
	guest->slow = groups_interval(&self->groups, GROUP_DISKS);
	for (size_t i = 0; i < disks->len; i++) {
		const struct decode_device *disk = &disks->items[i];

		if (disk->name != NULL && disk->path != NULL &&
		    strlen(disk->name) < GUESTS_DISK_SIZE && (disk->known & needed) == needed)
			check_disk(ctx, out, guest, disk, requests);
	}
	guest->slow = 0;
}

/* --- Setting -------------------------------------------------------------- */

struct setting {
	struct connection_job job;
	mc_time until;
	size_t len;
	struct threshold_request requests[];
};

static void setting_free(struct connection_job *job)
{
	free(job);
}

/* Whether a job copies, commits or pulls the disk.  No event reports its begin; so it is asked for
 * where a threshold is to be set, which is rare. */
static bool has_job(virDomainPtr domain, const char *disk)
{
	virDomainBlockJobInfo info;

	return virDomainGetBlockJobInfo(domain, disk, &info, 0) == 1;
}

static int setting_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct setting *setting = (struct setting *)job;

	(void)fresh;
	for (size_t i = 0; i < setting->len; i++) {
		struct threshold_request *request = &setting->requests[i];
		virDomainPtr domain;

		if (i > 0 && mc_now() >= setting->until)
			break; /* The next read requests the rest again. */
		domain = virDomainLookupByUUID(conn, request->uuid);
		if (domain == NULL)
			continue;
		request->tried = !has_job(domain, request->disk);
		request->set =
			request->tried && virDomainSetBlockThreshold(domain, request->disk,
								     request->threshold, 0) == 0;
		if (request->tried && !request->set)
			connection_explain(job, request->disk);
		virDomainFree(domain);
	}
	return 0;
}

static void take_result(struct mc_ctx *ctx, const struct threshold_request *request,
			const char *reason)
{
	struct virt *self = ctx->self;
	struct guest *guest = guests_find(&self->guests, request->uuid);
	struct guest_watermark *watermark =
		guest != NULL ? find_watermark(guest, request->disk) : NULL;

	if (watermark == NULL || !request->tried)
		return;
	if (!request->set) {
		mc_complain(ctx, &watermark->once, 0,
			    "cannot set a threshold on guest '%s', disk %s", guest->name, reason);
		return;
	}
	mc_works(ctx, &watermark->once, "a threshold is set on guest '%s', disk '%s'", guest->name,
		 watermark->disk);
	watermark->size = request->size;
}

/* Before it is set, since it may fire at once.  Until it is, and if it cannot be, statistics show
 * when it is passed. */
static void expect(struct virt *self, const struct threshold_request *request)
{
	struct guest *guest = guests_find(&self->guests, request->uuid);
	struct guest_watermark *watermark =
		guest != NULL ? find_watermark(guest, request->disk) : NULL;

	if (watermark == NULL)
		return;
	watermark->size = self->events.writes ? 0 : request->size;
	pthread_mutex_lock(&self->lock);
	watermark->threshold = request->threshold;
	watermark->crossed = false;
	if (watermark->reported == request->threshold) /* The disk was emptied meanwhile. */
		watermark->reported = 0;
	pthread_mutex_unlock(&self->lock);
}

static void set_all(struct mc_ctx *ctx, const struct threshold_requests *requests)
{
	struct virt *self = ctx->self;
	size_t size = requests->len * sizeof(*requests->items);
	struct setting *setting = mc_alloc_zero(sizeof(*setting) + size);
	int rc;

	setting->job.run = setting_run;
	setting->job.free = setting_free;
	setting->job.only_open = true; /* With its events registered. */
	setting->until = links_until(ctx);
	setting->len = requests->len;
	memcpy(setting->requests, requests->items, size);
	rc = connection_call(ctx, self->events.link, &setting->job, links_patience(ctx));
	if (rc == -ETIMEDOUT)
		return;
	for (size_t i = 0; rc == 0 && i < setting->len; i++)
		take_result(ctx, &setting->requests[i], setting->job.reason);
	free(setting);
}

void watermark_set(struct mc_ctx *ctx, struct threshold_requests *requests)
{
	struct virt *self = ctx->self;

	for (size_t i = 0; i < requests->len; i++)
		expect(self, &requests->items[i]);
	if (requests->len > 0 && self->events.writes && self->events.works)
		set_all(ctx, requests);
	free(requests->items);
	*requests = (struct threshold_requests){ 0 };
}

/* The guest, while the lock is held; NULL: it is not known. */
static struct guest *guest_of(struct virt *self, virDomainPtr domain)
{
	unsigned char uuid[VIR_UUID_BUFLEN];

	return virDomainGetUUID(domain, uuid) < 0 ? NULL : guests_find(&self->guests, uuid);
}

/* The disk's watermark, while the lock is held. */
static struct guest_watermark *watermark_of(struct virt *self, virDomainPtr domain,
					    const char *disk)
{
	struct guest *guest = guest_of(self, domain);

	return guest != NULL ? find_watermark(guest, disk) : NULL;
}

bool watermark_crossed(struct mc_ctx *ctx, virDomainPtr domain, const char *disk,
		       uint64_t threshold)
{
	struct virt *self = ctx->self;
	struct guest_watermark *watermark;
	bool tell = true;

	pthread_mutex_lock(&self->lock);
	watermark = watermark_of(self, domain, disk);
	if (watermark != NULL) {
		tell = !watermark->paused && watermark->reported != threshold;
		if (watermark->reported == threshold)
			watermark->reported = 0;
		if (!watermark->paused && watermark->threshold == threshold)
			watermark->crossed = true;
		if (!watermark->paused)
			watermark->heard = threshold;
		ask(self, guest_of(self, domain), watermark, true);
	}
	pthread_mutex_unlock(&self->lock);
	return tell;
}

void watermark_extended(struct mc_ctx *ctx, const struct extend_look *look)
{
	struct virt *self = ctx->self;
	struct guest *guest;
	struct guest_watermark *watermark;

	pthread_mutex_lock(&self->lock);
	guest = guests_find(&self->guests, look->uuid);
	watermark = guest != NULL ? find_watermark(guest, look->disk) : NULL;
	if (watermark != NULL) {
		watermark->last_size = look->size;
		if (look->set) {
			watermark->threshold = look->threshold;
			watermark->crossed = false;
		}
	}
	pthread_mutex_unlock(&self->lock);
}

void watermark_job(struct mc_ctx *ctx, virDomainPtr domain, const char *disk, bool runs)
{
	struct virt *self = ctx->self;
	struct guest_watermark *watermark;

	pthread_mutex_lock(&self->lock);
	watermark = watermark_of(self, domain, disk);
	if (watermark != NULL)
		watermark->paused = runs;
	pthread_mutex_unlock(&self->lock);
}

void watermark_resume(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		for (size_t i = 0; i < at->watermarks_len; i++)
			at->watermarks[i].paused = false;
	pthread_mutex_unlock(&self->lock);
}
