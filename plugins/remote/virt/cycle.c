/* SPDX-License-Identifier: MIT */
/* cycle: what a read does, in this order.
 *
 *  1. what events said since the last read
 *  2. one bulk call for what only libvirt knows, of all guests
 *  3. descriptions of guests that are new or changed
 *  4. a second, smaller bulk call for guests that the kernel does not know
 *  5. everything into series */
#include "cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "calls.h"
#include "daemon.h"
#include "label.h"
#include "notices.h"
#include "report.h"
#include "virt.h"
#include "watermark.h"

#define DESCRIBE_MAX 500 /* Guests in one call. */

/* --- 1. Changes ----------------------------------------------------------- */

static void take_changes(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	struct events_changes changes;

	events_take(ctx, &changes);
	if (changes.all)
		watermark_resume(ctx);
	if (changes.all)
		for (struct guest *at = NULL;
		     (at = guests_next(&self->guests, at)) != NULL;)
			at->described = false;
	for (size_t i = 0; i < changes.len; i++) {
		struct guest *guest =
			guests_find(&self->guests, changes.uuids[i]);

		if (guest != NULL)
			guest->described = false;
	}
}

/* Without events all descriptions are read again after RefreshInterval. */
static void take_age(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	self->described += ctx->interval;
	if (self->events.works || self->refresh == 0 ||
	    self->described < self->refresh)
		return;
	self->described = 0;
	for (struct guest *at = NULL;
	     (at = guests_next(&self->guests, at)) != NULL;)
		at->described = false;
}

/* --- 2. Guests ------------------------------------------------------------ */

static unsigned groups_of(const struct virt *self)
{
	static const struct {
		unsigned extra, group;
	} extras[] = {
		{ EXTRA_MEMORY, VIR_DOMAIN_STATS_BALLOON },
		{ EXTRA_VCPU | EXTRA_VCPU_DELAY, VIR_DOMAIN_STATS_VCPU },
		{ EXTRA_PERF, VIR_DOMAIN_STATS_PERF },
		{ EXTRA_IOTHREAD, VIR_DOMAIN_STATS_IOTHREAD },
		{ EXTRA_BANDWIDTH, VIR_DOMAIN_STATS_MEMORY },
		{ EXTRA_DIRTYRATE, VIR_DOMAIN_STATS_DIRTYRATE },
	};
	unsigned groups = VIR_DOMAIN_STATS_STATE;

	if (self->disks_due &&
	    ((self->report_disks && self->source != SOURCE_DEVICE) ||
	     self->watermarks.len > 0))
		groups |= VIR_DOMAIN_STATS_BLOCK;
	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
		if ((self->due & extras[i].extra) != 0)
			groups |= extras[i].group;
	return groups;
}

/* What the kernel knows of a guest that is mapped. */
static unsigned fallback_groups(const struct virt *self)
{
	return VIR_DOMAIN_STATS_CPU_TOTAL |
	       (self->report_nics ? VIR_DOMAIN_STATS_INTERFACE : 0);
}

static void rename_guest(struct virt *self, struct guest *guest,
			 const char *name)
{
	struct names_guest parts = { .hostname = self->hostname,
				     .uuid = guest->uuid_text,
				     .metadata = guest->metadata };

	pthread_mutex_lock(&self->lock);
	if (name != guest->name)
		snprintf(guest->name, sizeof(guest->name), "%s", name);
	parts.name = guest->name;
	names_join(&self->host_format, &parts, guest->host);
	names_join(&self->instance_format, &parts, guest->instance);
	pthread_mutex_unlock(&self->lock);
}

/* The guest of a record; NULL if it cannot be told or was not selected. */
static struct guest *meet(struct virt *self, virDomainPtr domain)
{
	unsigned char uuid[VIR_UUID_BUFLEN];
	const char *name = virDomainGetName(domain);
	struct guest *guest;

	if (name == NULL || virDomainGetUUID(domain, uuid) < 0)
		return NULL;
	guest = guests_find(&self->guests, uuid);
	if (guest == NULL) {
		pthread_mutex_lock(&self->lock);
		guest = guests_get(&self->guests, uuid);
		pthread_mutex_unlock(&self->lock);
		virDomainGetUUIDString(domain, guest->uuid_text);
		guest->state = guest->reason = -1;
	}
	guest->seen = self->cycle;
	if (strncmp(guest->name, name, sizeof(guest->name) - 1) != 0) {
		rename_guest(self, guest, name);
		guest->selected =
			mc_selected(self->domains, self->ignore, name);
		guest->described = false;
	}
	return guest->selected ? guest : NULL;
}

static void take_state(struct guest *guest, const virDomainStatsRecord *record)
{
	int state = -1, reason = 0;

	virTypedParamsGetInt(record->params, record->nparams, "state.state",
			     &state);
	virTypedParamsGetInt(record->params, record->nparams, "state.reason",
			     &reason);
	if (state == VIR_DOMAIN_RUNNING && guest->state != state) {
		guest->described = false; /* It may be another process. */
		guest->cpu_time = 0;
	}
	guest->state = state;
	guest->reason = reason;
}

/* --- 3. Descriptions ------------------------------------------------------ */

/* Finds out which devices its disks are. */
static void find_devices(struct guest *guest)
{
	guest->on_devices = true;
	for (size_t i = 0; i < guest->xml.disks_len; i++) {
		struct describe_disk *disk = &guest->xml.disks[i];

		disk->number = blocks_number(disk->path);
		if (disk->number == 0)
			guest->on_devices = false;
	}
}

static void take_item(struct mc_ctx *ctx, struct guest *guest,
		      struct calls_item *item)
{
	struct virt *self = ctx->self;
	bool same = strcmp(guest->metadata, item->metadata) == 0;

	if (!item->found)
		return;
	describe_done(&guest->xml);
	free(guest->pins);
	guest->xml = item->xml;
	guest->pins = item->pins;
	guest->vcpus_len = item->vcpus_len;
	guest->pins_size = item->pins_size;
	guest->persistent = item->persistent;
	atomic_store(&guest->memory, item->xml.memory);
	item->xml = (struct describe){ 0 };
	item->pins = NULL;
	if (!same) {
		memcpy(guest->metadata, item->metadata,
		       sizeof(guest->metadata));
		rename_guest(self, guest, guest->name);
	}
	label_guest(ctx, guest);
	describe_forget_labels(&guest->xml);
	guest->map = (struct kernel_map){ 0 };
	if (self->local && self->source != SOURCE_LIBVIRT &&
	    guest->state == VIR_DOMAIN_RUNNING)
		kernel_find(ctx, &guest->map, guest->name, guest->uuid_text);
	guest->on_devices = false;
	if (self->local && self->source == SOURCE_DEVICE)
		find_devices(guest);
	for (size_t i = 0; i < guest->xml.nics_len && self->report_nics; i++)
		if (guest->xml.nics[i].view == DESCRIBE_DAEMON)
			guest->map.pid = 0;
	guest->described = true;
}

/* Describes some of the guests that need it.  Returns how many those were, 0 if
 * it could not be done. */
static size_t describe_some(struct mc_ctx *ctx, struct guest **guests,
			    size_t guests_len)
{
	struct virt *self = ctx->self;
	struct link *link = ask_link(self);
	struct calls_describe *describe;
	size_t len = 0;
	int rc;

	if (link == NULL || guests_len == 0)
		return 0;
	describe = calls_describe_new(
		guests_len, self->has_metadata ? self->metadata_ns : NULL,
		self->metadata_xpath, (self->extra & EXTRA_VCPUPIN) != 0);
	for (size_t i = 0; i < guests_len; i++)
		memcpy(describe->items[i].uuid, guests[i]->uuid,
		       VIR_UUID_BUFLEN);
	rc = link_call(ctx, link, &describe->job, ask_patience(ctx, 1));
	if (rc == -ETIMEDOUT)
		return 0;
	for (size_t i = 0; rc == 0 && i < guests_len; i++)
		take_item(ctx, guests[i], &describe->items[i]);
	len = rc == 0 ? guests_len : 0;
	calls_free(&describe->job);
	return len;
}

static void describe_all(struct mc_ctx *ctx, struct guest *const *guests,
			 size_t guests_len)
{
	struct guest *needy[DESCRIBE_MAX];
	size_t len = 0;

	for (size_t i = 0; i < guests_len; i++) {
		if (guests[i] == NULL || guests[i]->described)
			continue;
		needy[len++] = guests[i];
		if (len == DESCRIBE_MAX) {
			if (describe_some(ctx, needy, len) == 0)
				return;
			len = 0;
		}
	}
	describe_some(ctx, needy, len);
}

/* --- 4. and 5. ------------------------------------------------------------ */

/* A guest with disks of which nothing is told holds its monitor, or another
 * operation does.  The second may pass: only what lasts is reported. */
static void watch_guest(struct mc_ctx *ctx, struct guest *guest)
{
	struct virt *self = ctx->self;
	const struct decode_devices *disks = &self->decode.disks;
	bool silent = guest->state == VIR_DOMAIN_RUNNING && disks->len > 0;
	bool stuck;

	for (size_t i = 0; i < disks->len; i++)
		if (decode_knows(disks->items[i].known, DISK_RD_REQUESTS))
			silent = false;
	guest->silent = silent ? guest->silent + 1 : 0;
	stuck = guest->silent >= 2;
	self->stuck_len += stuck;
	if (stuck == guest->stuck)
		return;
	guest->stuck = stuck;
	mc_log(ctx, stuck ? MC_WARN : MC_NOTE, "guest '%s' %s", guest->name,
	       stuck ? "does not answer" : "answers again");
	notices_stuck(ctx, guest);
}

static void report_all(struct mc_ctx *ctx, struct mc_batch *out,
		       const struct calls_bulk *bulk,
		       struct guest *const *guests)
{
	struct virt *self = ctx->self;

	struct wishes wishes = { 0 };

	/* Only disks tell, so what they told last stays. */
	if (self->disks_due)
		self->stuck_len = 0;
	for (size_t i = 0; i < bulk->records_len; i++) {
		const virDomainStatsRecord *record = bulk->records[i];

		if (guests[i] == NULL)
			continue;
		decode_params(&self->decode, record->params,
			      (size_t)record->nparams);
		if (self->disks_due &&
		    (self->decode.disks.len > 0 || guests[i]->stuck))
			watch_guest(ctx, guests[i]);
		report_daemon(ctx, out, guests[i]);
		watermark_check(ctx, out, guests[i], &wishes);
		if (self->persistent_notices && guests[i]->persistent)
			notices_state(ctx, guests[i]);
		if (self->source == SOURCE_LIBVIRT)
			report_fallback(ctx, out, guests[i]);
	}
	watermark_set(ctx, &wishes);
}

/* Whether a guest's disks were not asked for, but must be. */
static bool lacks_disks(const struct virt *self, const struct guest *guest)
{
	return self->source == SOURCE_DEVICE && self->report_disks &&
	       self->disks_due && self->watermarks.len == 0 &&
	       !guest->on_devices;
}

static void report_from_kernel(struct mc_ctx *ctx, struct mc_batch *out,
			       struct guest *guest)
{
	guest->by_kernel = report_kernel(ctx, out, guest);
	if (!guest->by_kernel && guest->map.pid != 0)
		guest->described = false;
	if (guest->on_devices)
		report_devices(ctx, out, guest);
}

static void read_kernel(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	if (self->report_nics)
		kernel_read_nics(ctx, &self->host_nics);
	if (self->report_disks && self->source == SOURCE_DEVICE)
		blocks_read(ctx, &self->host_disks);
}

/* From the kernel; returns those it does not know, to be freed. */
static struct calls_bulk *report_mapped(struct mc_ctx *ctx,
					struct mc_batch *out,
					struct guest *const *guests,
					size_t guests_len)
{
	struct calls_bulk *rest = calls_bulk_new(0, false, guests_len);

	rest->only_len = 0;
	read_kernel(ctx);
	for (size_t i = 0; i < guests_len; i++) {
		struct guest *guest = guests[i];

		if (guest == NULL || guest->state != VIR_DOMAIN_RUNNING)
			continue;
		report_from_kernel(ctx, out, guest);
		if (!guest->by_kernel || lacks_disks(ctx->self, guest))
			memcpy(rest->only[rest->only_len++], guest->uuid,
			       VIR_UUID_BUFLEN);
	}
	return rest;
}

static void report_rest(struct mc_ctx *ctx, struct mc_batch *out,
			const struct calls_bulk *rest)
{
	struct virt *self = ctx->self;
	unsigned groups = VIR_DOMAIN_STATS_STATE | fallback_groups(self);
	struct calls_bulk *bulk;

	if (rest->only_len == 0)
		return;
	if (self->source == SOURCE_DEVICE && self->report_disks &&
	    self->disks_due)
		groups |= VIR_DOMAIN_STATS_BLOCK;
	bulk = ask_bulk(ctx, groups, rest);
	if (bulk == NULL)
		return;
	for (size_t i = 0; i < bulk->records_len; i++) {
		const virDomainStatsRecord *record = bulk->records[i];
		struct guest *guest = meet(self, record->dom);

		if (guest == NULL)
			continue;
		decode_params(&self->decode, record->params,
			      (size_t)record->nparams);
		if (!guest->by_kernel)
			report_fallback(ctx, out, guest);
		if (lacks_disks(self, guest))
			report_disks(ctx, out, guest);
	}
	calls_free(&bulk->job);
}

/* --- What is asked of one guest at a time --------------------------------- */

static void report_each(struct mc_ctx *ctx, struct mc_batch *out,
			struct guest *const *guests, size_t guests_len)
{
	const unsigned wanted = EXTRA_DISK_ERR | EXTRA_JOB_COMPLETED |
				EXTRA_JOB_BACKGROUND | EXTRA_FS_INFO;
	struct virt *self = ctx->self;
	struct calls_each *each;
	size_t len = 0;
	int rc;

	if ((self->due & wanted) == 0)
		return;
	/* Only a read-write connection may ask for file systems. */
	if (self->each_link == NULL)
		self->each_link = link_new(self->connection,
					   (self->extra & EXTRA_FS_INFO) != 0);
	if (link_busy(self->each_link))
		return;
	each = calls_each_new(self->due, guests_len);
	for (size_t i = 0; i < guests_len; i++)
		if (guests[i] != NULL && !guests[i]->stuck &&
		    guests[i]->state == VIR_DOMAIN_RUNNING)
			memcpy(each->only[len++], guests[i]->uuid,
			       VIR_UUID_BUFLEN);
	each->only_len = len;
	rc = link_call(ctx, self->each_link, &each->job, ask_patience(ctx, 1));
	if (rc == -ETIMEDOUT)
		return;
	for (size_t i = 0; rc == 0 && i < each->facts_len; i++) {
		struct guest *guest = guests_find(
			&self->guests, each->only[each->facts[i].guest]);

		if (guest != NULL)
			report_fact(ctx, out, guest, &each->facts[i]);
	}
	calls_free(&each->job);
}

/* --- All of it ------------------------------------------------------------ */

static void report_records(struct mc_ctx *ctx, struct mc_batch *out,
			   const struct calls_bulk *bulk)
{
	struct virt *self = ctx->self;
	size_t len = bulk->records_len;
	struct guest **guests = calloc(len + 1, sizeof(struct guest *));

	if (guests == NULL)
		abort();
	for (size_t i = 0; i < len; i++) {
		guests[i] = meet(self, bulk->records[i]->dom);
		if (guests[i] != NULL)
			take_state(guests[i], bulk->records[i]);
	}
	describe_all(ctx, guests, len);
	report_all(ctx, out, bulk, guests);
	if (self->source != SOURCE_LIBVIRT) {
		struct calls_bulk *rest = report_mapped(ctx, out, guests, len);

		report_rest(ctx, out, rest);
		calls_free(&rest->job);
	}
	report_each(ctx, out, guests, len);
	free(guests);
}

/* The kernel goes on without libvirt. */
static void report_known(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;

	if (self->source == SOURCE_LIBVIRT)
		return;
	read_kernel(ctx);
	for (struct guest *at = NULL;
	     (at = guests_next(&self->guests, at)) != NULL;)
		if (at->selected && at->state == VIR_DOMAIN_RUNNING)
			report_from_kernel(ctx, out, at);
}

int cycle_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct daemon_cost cost;
	struct calls_bulk *bulk;
	unsigned groups;

	self->cycle++;
	self->due = groups_extra(&self->groups, self->extra, self->cycle);
	self->disks_due = groups_due(&self->groups, GROUP_DISKS, self->cycle);
	groups = groups_of(self);
	events_connect(ctx, ask_patience(ctx, 1) / 2);
	take_changes(ctx);
	take_age(ctx);
	if (self->source == SOURCE_LIBVIRT)
		groups |= fallback_groups(self);
	daemon_begin(ctx, &cost);
	bulk = ask_bulk(ctx, groups, NULL);
	daemon_end(ctx, &cost, out);
	if (bulk == NULL) {
		report_known(ctx, out);
		return 0;
	}
	self->host_cpus = bulk->host_cpus;
	report_records(ctx, out, bulk);
	groups_taken(&self->groups, self->cycle);
	calls_free(&bulk->job);
	label_sweep(ctx);
	pthread_mutex_lock(&self->lock);
	guests_sweep(&self->guests, self->cycle);
	pthread_mutex_unlock(&self->lock);
	ask_drop_spares(ctx);
	return 0;
}
