/* SPDX-License-Identifier: MIT */
/* watermark: virDomainSetBlockThreshold() and its traps.
 *
 * A threshold fires once, and is gone.  It does not fire if the disk was
 * written beyond it before.  When a guest starts again, migrates, or when the
 * event came while libvirtd was down, it is gone without a word.  But the bulk
 * statistics that are read anyway say which thresholds are set
 * ("block.N.threshold"), and how far each disk was written to: so every read
 * makes good what was missed. */
#include "watermark.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "notifications.h"
#include "query.h"
#include "threshold.h"
#include "virt.h"

struct threshold_request {
	unsigned char uuid[VIR_UUID_BUFLEN];
	char disk[GUESTS_DISK_SIZE];
	uint64_t place, size; /* Of the threshold, of the disk. */
	bool tried, set;      /* It may be; and it was. */
};

/* --- What is wanted ------------------------------------------------------- */

static const struct mark_rule *find_rule(const struct virt *self,
					 const struct guest *guest,
					 const char *disk)
{
	const struct mark_rule *rules = self->watermarks.items;

	for (size_t i = 0; i < self->watermarks.len; i++)
		if (threshold_matches(&rules[i], guest->name, disk))
			return &rules[i];
	return NULL;
}

static struct guest_mark *find_mark(const struct guest *guest, const char *disk)
{
	for (size_t i = 0; i < guest->marks_len; i++)
		if (strcmp(guest->marks[i].disk, disk) == 0)
			return &guest->marks[i];
	return NULL;
}

/* Its mark, made if it is new. */
static struct guest_mark *get_mark(struct virt *self, struct guest *guest,
				   const char *disk)
{
	struct guest_mark *mark = find_mark(guest, disk), *grown;

	if (mark != NULL)
		return mark;
	pthread_mutex_lock(&self->lock);
	grown = realloc(guest->marks, (guest->marks_len + 1) * sizeof(*grown));
	if (grown == NULL)
		abort();
	guest->marks = grown;
	mark = &guest->marks[guest->marks_len++];
	*mark = (struct guest_mark){ .rate = NAN };
	snprintf(mark->disk, sizeof(mark->disk), "%s", disk);
	pthread_mutex_unlock(&self->lock);
	return mark;
}

static void add_wish(struct threshold_requestes *threshold_requestes,
		     const struct guest *guest, const struct guest_mark *mark,
		     uint64_t place, uint64_t size)
{
	struct threshold_request *threshold_request;

	if (threshold_requestes->len == threshold_requestes->size) {
		threshold_requestes->size = threshold_requestes->size * 2 + 16;
		threshold_requestes->items = realloc(
			threshold_requestes->items,
			threshold_requestes->size * sizeof(*threshold_request));
		if (threshold_requestes->items == NULL)
			abort();
	}
	threshold_request =
		&threshold_requestes->items[threshold_requestes->len++];
	*threshold_request =
		(struct threshold_request){ .place = place, .size = size };
	memcpy(threshold_request->uuid, guest->uuid,
	       sizeof(threshold_request->uuid));
	memcpy(threshold_request->disk, mark->disk,
	       sizeof(threshold_request->disk));
}

static void put_left(struct mc_batch *out, const struct guest *guest,
		     const char *disk, const struct mark_disk *state)
{
	uint64_t left = state->size > state->allocation
				? state->size - state->allocation
				: 0;

	virt_put_gauge(out, guest, "virt_disk_headroom", disk, (double)left);
	if (isnan(state->rate))
		return;
	virt_put_gauge(out, guest, "virt_disk_fill_rate", disk, state->rate);
	if (state->rate > 0)
		virt_put_gauge(out, guest, "virt_disk_time_to_full", disk,
			       (double)left / state->rate);
}

/* What events write, too. */
static bool look(struct virt *self, const bool *flag)
{
	bool is;

	pthread_mutex_lock(&self->lock);
	is = *flag;
	pthread_mutex_unlock(&self->lock);
	return is;
}

/* The disk was emptied, or its guest was started again. */
static void forget_heard(struct virt *self, struct guest_mark *mark)
{
	pthread_mutex_lock(&self->lock);
	mark->heard = 0;
	pthread_mutex_unlock(&self->lock);
}

/* A write beyond the threshold of which no event told.  One may have, while
 * statistics from before it were looked at, and the same threshold was set
 * again by them. */
static void make_good(struct mc_ctx *ctx, const struct guest *guest,
		      struct guest_mark *mark, uint64_t allocation,
		      const char *path)
{
	struct virt *self = ctx->self;
	bool missed;

	pthread_mutex_lock(&self->lock);
	missed = !mark->paused && mark->place > 0 &&
		 allocation >= mark->place && !mark->crossed &&
		 mark->place != mark->heard;
	if (missed) {
		mark->crossed = true;
		mark->told = mark->place;
	}
	pthread_mutex_unlock(&self->lock);
	if (missed)
		notifications_passed(ctx, guest,
				     &(struct notifications_threshold){
					     mark->disk, path, mark->place,
					     allocation - mark->place });
}

static void check_disk(struct mc_ctx *ctx, struct mc_batch *out,
		       struct guest *guest, const struct decode_device *disk,
		       struct threshold_requestes *threshold_requestes)
{
	struct virt *self = ctx->self;
	const struct mark_rule *rule = find_rule(self, guest, disk->name);
	bool device = strncmp(disk->path, "/dev/", 5) == 0;
	struct guest_mark *mark;
	struct mark_disk state = {
		.size = disk->values[device ? DISK_PHYSICAL : DISK_CAPACITY],
		.allocation = disk->values[DISK_ALLOCATION],
	};
	uint64_t place, set;
	mc_time now = mc_now();

	if (rule == NULL || state.size == 0)
		return;
	mark = get_mark(self, guest, disk->name);
	if (!mark->seen)
		mark->size = state.size;
	/* The read before may be longer ago than an interval. */
	if (mark->seen && state.allocation >= mark->allocation &&
	    now > mark->looked)
		mark->rate = threshold_rate(
			mark->rate, state.allocation - mark->allocation,
			(double)(now - mark->looked) / MC_SECOND);
	if (state.allocation < mark->allocation)
		forget_heard(self, mark);
	mark->seen = true;
	mark->allocation = state.allocation;
	mark->looked = now;
	state.rate = mark->rate;
	put_left(out, guest, disk->name, &state);
	if (look(self, &mark->paused))
		return;
	if (isnan(state.rate))
		state.rate = 0;
	make_good(ctx, guest, mark, state.allocation, disk->path);
	set = decode_knows(disk->known, DISK_THRESHOLD)
		      ? disk->values[DISK_THRESHOLD]
		      : 0;
	if (!self->events.writes && !look(self, &mark->crossed))
		set = mark->place; /* Only statistics tell. */
	place = threshold_bytes(rule, &state);
	if (place == 0)
		return;
	if (set != 0 && mark->size == state.size &&
	    threshold_stays(rule, &state, set)) {
		/* Perhaps by the collector that ran before this one. */
		pthread_mutex_lock(&self->lock);
		mark->place = set;
		pthread_mutex_unlock(&self->lock);
		return;
	}
	add_wish(threshold_requestes, guest, mark, place, state.size);
}

void watermark_check(struct mc_ctx *ctx, struct mc_batch *out,
		     struct guest *guest,
		     struct threshold_requestes *threshold_requestes)
{
	const unsigned needed = 1U << DISK_ALLOCATION | 1U << DISK_CAPACITY |
				1U << DISK_PHYSICAL;
	struct virt *self = ctx->self;
	const struct decode_devices *disks = &self->decode.disks;

	if (self->watermarks.len == 0 || guest->state != VIR_DOMAIN_RUNNING)
		return;
	guest->slow = groups_interval(&self->groups, GROUP_DISKS);
	for (size_t i = 0; i < disks->len; i++) {
		const struct decode_device *disk = &disks->items[i];

		if (disk->name != NULL && disk->path != NULL &&
		    strlen(disk->name) < GUESTS_DISK_SIZE &&
		    (disk->known & needed) == needed)
			check_disk(ctx, out, guest, disk, threshold_requestes);
	}
	guest->slow = 0;
}

/* --- Setting -------------------------------------------------------------- */

struct setting {
	struct connection_job job;
	mc_time until;
	size_t len;
	struct threshold_request threshold_requestes[];
};

static void setting_free(struct connection_job *job)
{
	free(job);
}

/* Whether a job copies, commits or pulls the disk.  No event tells of its
 * begin; so it is asked for where a threshold is to be set, which is rare. */
static bool has_job(virDomainPtr domain, const char *disk)
{
	virDomainBlockJobInfo info;

	return virDomainGetBlockJobInfo(domain, disk, &info, 0) == 1;
}

static int setting_run(struct connection_job *job, virConnectPtr conn,
		       bool fresh)
{
	struct setting *setting = (struct setting *)job;

	(void)fresh;
	for (size_t i = 0; i < setting->len; i++) {
		struct threshold_request *threshold_request =
			&setting->threshold_requestes[i];
		virDomainPtr domain;

		if (i > 0 && mc_now() >= setting->until)
			break; /* The next read wishes for the rest again. */
		domain = virDomainLookupByUUID(conn, threshold_request->uuid);
		if (domain == NULL)
			continue;
		threshold_request->tried =
			!has_job(domain, threshold_request->disk);
		threshold_request->set =
			threshold_request->tried &&
			virDomainSetBlockThreshold(
				domain, threshold_request->disk,
				threshold_request->place, 0) == 0;
		if (threshold_request->tried && !threshold_request->set)
			connection_explain(job, threshold_request->disk);
		virDomainFree(domain);
	}
	return 0;
}

static void take_result(struct mc_ctx *ctx,
			const struct threshold_request *threshold_request,
			const char *reason)
{
	struct virt *self = ctx->self;
	struct guest *guest =
		guests_find(&self->guests, threshold_request->uuid);
	struct guest_mark *mark =
		guest != NULL ? find_mark(guest, threshold_request->disk)
			      : NULL;

	if (mark == NULL || !threshold_request->tried)
		return;
	if (!threshold_request->set) {
		if (!mark->failed)
			mc_log(ctx, MC_WARN,
			       "cannot set a threshold on guest '%s', disk %s",
			       guest->name, reason);
		mark->failed = true;
		return;
	}
	mark->failed = false;
	mark->size = threshold_request->size;
}

/* Before it is set, since it may fire at once.  Until it is, and if it cannot
 * be, statistics tell when it is passed. */
static void expect(struct virt *self,
		   const struct threshold_request *threshold_request)
{
	struct guest *guest =
		guests_find(&self->guests, threshold_request->uuid);
	struct guest_mark *mark =
		guest != NULL ? find_mark(guest, threshold_request->disk)
			      : NULL;

	if (mark == NULL)
		return;
	mark->size = self->events.writes ? 0 : threshold_request->size;
	pthread_mutex_lock(&self->lock);
	mark->place = threshold_request->place;
	mark->crossed = false;
	if (mark->told ==
	    threshold_request->place) /* The disk was emptied meanwhile. */
		mark->told = 0;
	pthread_mutex_unlock(&self->lock);
}

static void set_all(struct mc_ctx *ctx,
		    const struct threshold_requestes *threshold_requestes)
{
	struct virt *self = ctx->self;
	size_t size =
		threshold_requestes->len * sizeof(*threshold_requestes->items);
	struct setting *setting = calloc(1, sizeof(*setting) + size);
	int rc;

	if (setting == NULL)
		abort();
	setting->job.run = setting_run;
	setting->job.free = setting_free;
	setting->job.only_open = true; /* With its events registered. */
	setting->until = query_until(ctx);
	setting->len = threshold_requestes->len;
	memcpy(setting->threshold_requestes, threshold_requestes->items, size);
	rc = connection_call(ctx, self->events.link, &setting->job,
			     query_patience(ctx));
	if (rc == -ETIMEDOUT)
		return;
	for (size_t i = 0; rc == 0 && i < setting->len; i++)
		take_result(ctx, &setting->threshold_requestes[i],
			    setting->job.reason);
	free(setting);
}

void watermark_set(struct mc_ctx *ctx,
		   struct threshold_requestes *threshold_requestes)
{
	struct virt *self = ctx->self;

	for (size_t i = 0; i < threshold_requestes->len; i++)
		expect(self, &threshold_requestes->items[i]);
	if (threshold_requestes->len > 0 && self->events.writes &&
	    self->events.works)
		set_all(ctx, threshold_requestes);
	free(threshold_requestes->items);
	*threshold_requestes = (struct threshold_requestes){ 0 };
}

/* The disk's mark, while the lock is held. */
static struct guest_mark *mark_of(struct virt *self, virDomainPtr domain,
				  const char *disk)
{
	unsigned char uuid[VIR_UUID_BUFLEN];
	struct guest *guest;

	if (virDomainGetUUID(domain, uuid) < 0)
		return NULL;
	guest = guests_find(&self->guests, uuid);
	return guest != NULL ? find_mark(guest, disk) : NULL;
}

bool watermark_crossed(struct mc_ctx *ctx, virDomainPtr domain,
		       const char *disk, uint64_t threshold)
{
	struct virt *self = ctx->self;
	struct guest_mark *mark;
	bool tell = true;

	pthread_mutex_lock(&self->lock);
	mark = mark_of(self, domain, disk);
	if (mark != NULL) {
		tell = !mark->paused && mark->told != threshold;
		if (mark->told == threshold)
			mark->told = 0;
		if (!mark->paused && mark->place == threshold)
			mark->crossed = true;
		if (!mark->paused)
			mark->heard = threshold;
	}
	pthread_mutex_unlock(&self->lock);
	return tell;
}

void watermark_job(struct mc_ctx *ctx, virDomainPtr domain, const char *disk,
		   bool runs)
{
	struct virt *self = ctx->self;
	struct guest_mark *mark;

	pthread_mutex_lock(&self->lock);
	mark = mark_of(self, domain, disk);
	if (mark != NULL)
		mark->paused = runs;
	pthread_mutex_unlock(&self->lock);
}

void watermark_resume(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	for (struct guest *at = NULL;
	     (at = guests_next(&self->guests, at)) != NULL;)
		for (size_t i = 0; i < at->marks_len; i++)
			at->marks[i].paused = false;
	pthread_mutex_unlock(&self->lock);
}
