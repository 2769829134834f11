/* SPDX-License-Identifier: MIT */
/* cycle: what a read does, in this order.
 *
 *  1. what events said since the last read
 *  2. a choice of the guests that are asked for their disks (adaptive.h)
 *  3. one bulk call for what only libvirt knows, of all guests but those that
 *     are held: a call about these hangs
 *  4. descriptions of guests that are new or changed
 *  5. a second, smaller bulk call for guests that the kernel does not know
 *  6. everything into series */
#include "cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>

#include "adaptive.h"
#include "agent.h"
#include "calls.h"
#include "chain.h"
#include "discover.h"
#include "each.h"
#include "image_space.h"
#include "label.h"
#include "limits_report.h"
#include "links.h"
#include "moving.h"
#include "notifications.h"
#include "probe.h"
#include "query.h"
#include "report.h"
#include "standing.h"
#include "virt.h"
#include "watermark.h"

/* How often, and at first how long after, guests are asked for again that a
 * reply passed over; it doubles. */
#define MISSED_TRIES 5
#define MISSED_WAIT (10 * MC_MILLISECOND)

/* --- 1. Changes ----------------------------------------------------------- */

static void take_changes(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	struct events_changes changes;

	events_take(ctx, &changes);
	if (changes.missed_some)
		watermark_resume(ctx);
	if (changes.all)
		for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
			at->described = false;
	for (size_t i = 0; i < changes.len; i++) {
		struct guest *guest = guests_find(&self->guests, changes.uuids[i]);

		if (guest != NULL)
			guest->described = false;
		else if (self->held_len > 0) /* Guests are asked by name. */
			discover_add(ctx, changes.uuids[i]);
	}
}

/* Without events all descriptions are read again after RefreshInterval. */
static void take_age(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	self->described += ctx->interval;
	if (self->events.works || self->refresh == 0 || self->described < self->refresh)
		return;
	self->described = 0;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		at->described = false;
}

/* --- 3. Guests ------------------------------------------------------------ */

/* Those of libvirt for which these bits of ExtraStats ask. */
static unsigned groups_for(unsigned due)
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
	unsigned groups = 0;

	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
		if ((due & extras[i].extra) != 0)
			groups |= extras[i].group;
	return groups;
}

static unsigned groups_of(const struct virt *self)
{
	unsigned groups = VIR_DOMAIN_STATS_STATE | groups_for(self->due);

	if (self->disks_due && ((self->report_disks && self->source != SOURCE_DEVICE) ||
				self->watermarks.len > 0 || self->time_to_full))
		groups |= VIR_DOMAIN_STATS_BLOCK;
	return groups;
}

/* The kernel's figures of a guest that is mapped. */
static unsigned fallback_groups(const struct virt *self)
{
	return VIR_DOMAIN_STATS_CPU_TOTAL | (self->report_nics ? VIR_DOMAIN_STATS_INTERFACE : 0);
}

/* --- 5. and 6. ------------------------------------------------------------ */

/* Whether the record that was decoded last is of a guest with disks but without their figures: it
 * holds its monitor, or another operation does. */
static bool is_silent(const struct virt *self, const struct guest *guest)
{
	const struct decode_devices *disks = &self->decode.disks;

	if (guest->state != VIR_DOMAIN_RUNNING || disks->len == 0)
		return false;
	for (size_t i = 0; i < disks->len; i++)
		if (decode_knows(disks->items[i].known, DISK_RD_REQUESTS))
			return false;
	return true;
}

/* One silent read may be another operation: only what lasts is reported, and is not a move. */
static void watch_guest(struct mc_ctx *ctx, struct guest *guest, bool silent)
{
	bool stuck;

	if (silent && moving_lasts(guest, mc_now()))
		return;
	guest->silent = silent ? guest->silent + 1 : 0;
	stuck = guest->silent >= 2;
	if (stuck == guest->stuck)
		return;
	guest->stuck = stuck;
	mc_log(ctx, stuck ? MC_WARN : MC_NOTE, "guest '%s' %s", guest->name,
	       stuck ? "does not answer" : "answers again");
	notifications_stuck(ctx, guest);
}

/* The record decoded last. */
static void report_guest(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			 struct threshold_requests *requests)
{
	struct virt *self = ctx->self;

	adaptive_take(ctx, guest, is_silent(self, guest));
	if (self->disks_due && (self->decode.disks.len > 0 || guest->stuck))
		watch_guest(ctx, guest, is_silent(self, guest));
	standing_guest(ctx, guest);
	report_daemon(ctx, out, guest);
	limits_report(self, out, guest);
	watermark_check(ctx, out, guest, requests);
	chain_report(ctx, out, guest);
	if (self->persistent_notifications && guest->persistent)
		notifications_state(ctx, guest);
	if (self->source == SOURCE_LIBVIRT)
		report_fallback(ctx, out, guest);
}

static void decode_record(struct virt *self, const struct calls_bulk *bulk, size_t index)
{
	const virDomainStatsRecord *record = bulk->records[index];

	decode_params(&self->decode, record->params, (size_t)record->nparams);
	record = bulk->disks != NULL ? bulk->disks[index] : NULL;
	if (record != NULL)
		decode_add(&self->decode, record->params, (size_t)record->nparams);
}

/* Reports those of 'missed' that have figures now, and keeps the rest in it. */
static void report_found(struct mc_ctx *ctx, struct mc_batch *out, const struct calls_bulk *found,
			 struct calls_bulk *missed, struct threshold_requests *requests)
{
	struct virt *self = ctx->self;

	for (size_t i = 0; i < found->records_len; i++) {
		struct guest *guest = discover_guest(ctx, found->records[i]->dom);

		if (guest == NULL || !guest->missed)
			continue;
		decode_record(self, found, i);
		if (is_silent(self, guest))
			continue;
		guest->missed = false;
		report_guest(ctx, out, guest, requests);
	}
	for (size_t i = missed->only_len; i-- > 0;) {
		const struct guest *guest = guests_find(&self->guests, missed->only[i]);

		if (guest == NULL || !guest->missed)
			memcpy(missed->only[i], missed->only[--missed->only_len], VIR_UUID_BUFLEN);
	}
}

/* A reply without waiting passes over guests that somebody else asks about just then.  They are
 * free again in a moment, but for one that is stuck and not known as such. */
static void report_missed(struct mc_ctx *ctx, struct mc_batch *out, unsigned groups,
			  struct calls_bulk *missed, struct threshold_requests *requests)
{
	mc_time wait = MISSED_WAIT, end = mc_now() + ctx->interval / 4;

	for (unsigned tries = 0;
	     tries < MISSED_TRIES && missed->only_len > 0 && mc_now() + wait < end;
	     tries++, wait *= 2) {
		struct calls_bulk *found;

		mc_poll(NULL, 0, mc_now() + wait);
		found = query_again(ctx, groups, missed);
		if (found == NULL)
			return;
		report_found(ctx, out, found, missed, requests);
		calls_free(&found->job);
	}
}

static void report_all(struct mc_ctx *ctx, struct mc_batch *out, unsigned groups,
		       const struct calls_bulk *bulk, struct guest *const *guests)
{
	struct virt *self = ctx->self;
	struct calls_bulk *missed = calls_bulk_new(0, false, bulk->records_len);
	struct threshold_requests requests = { 0 };

	missed->only_len = 0;
	for (size_t i = 0; i < bulk->records_len; i++) {
		struct guest *guest = guests[i];

		if (guest == NULL)
			continue;
		decode_record(self, bulk, i);
		guest->missed =
			self->disks_due && !bulk->waits && !guest->stuck && is_silent(self, guest);
		if (guest->missed)
			memcpy(missed->only[missed->only_len++], guest->uuid, VIR_UUID_BUFLEN);
		else
			report_guest(ctx, out, guest, &requests);
	}
	report_missed(ctx, out, groups, missed, &requests);
	for (size_t i = 0; i < bulk->records_len && missed->only_len > 0; i++) {
		if (guests[i] == NULL || !guests[i]->missed)
			continue;
		decode_record(self, bulk, i);
		report_guest(ctx, out, guests[i], &requests);
	}
	calls_free(&missed->job);
	watermark_set(ctx, &requests);
}

/* Whether a guest's disks were not asked for, but must be. */
static bool lacks_disks(const struct virt *self, const struct guest *guest)
{
	return self->source == SOURCE_DEVICE && self->report_disks && self->disks_due &&
	       self->watermarks.len == 0 && !self->time_to_full && !guest->on_devices;
}

static void report_from_kernel(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest)
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
static struct calls_bulk *report_mapped(struct mc_ctx *ctx, struct mc_batch *out,
					struct guest *const *guests, size_t guests_len)
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
			memcpy(rest->only[rest->only_len++], guest->uuid, VIR_UUID_BUFLEN);
	}
	return rest;
}

static void report_rest(struct mc_ctx *ctx, struct mc_batch *out, const struct calls_bulk *rest)
{
	struct virt *self = ctx->self;
	unsigned groups = VIR_DOMAIN_STATS_STATE | fallback_groups(self);
	struct calls_bulk *bulk;

	if (rest->only_len == 0)
		return;
	if (self->source == SOURCE_DEVICE && self->report_disks && self->disks_due)
		groups |= VIR_DOMAIN_STATS_BLOCK;
	bulk = query_bulk(ctx, groups, rest);
	if (bulk == NULL)
		return;
	for (size_t i = 0; i < bulk->records_len; i++) {
		const virDomainStatsRecord *record = bulk->records[i];
		struct guest *guest = discover_guest(ctx, record->dom);

		if (guest == NULL)
			continue;
		decode_record(self, bulk, i);
		if (!guest->by_kernel)
			report_fallback(ctx, out, guest);
		if (lacks_disks(self, guest))
			report_disks(ctx, out, guest);
	}
	calls_free(&bulk->job);
}

/* --- All of it ------------------------------------------------------------ */

/* For a judge of this collector; for others they have a label. */
static void set_stream(struct mc_ctx *ctx, struct mc_batch *out, const struct guest *guest)
{
	char stream[MC_STREAM_SIZE];

	label_stream(ctx, guest, stream);
	if (stream[0] != '\0')
		mc_set_stream(out, guest->host, stream);
}

static void report_records(struct mc_ctx *ctx, struct mc_batch *out, unsigned groups,
			   const struct calls_bulk *bulk)
{
	struct virt *self = ctx->self;
	size_t len = bulk->records_len;
	struct guest **guests = mc_alloc_array(len + 1, sizeof(struct guest *));

	for (size_t i = 0; i < len; i++) {
		guests[i] = discover_guest(ctx, bulk->records[i]->dom);
		if (guests[i] != NULL)
			discover_state(guests[i], bulk->records[i]);
		/* Until then the host that it comes from has its values. */
		if (guests[i] != NULL && discover_is_incoming(guests[i]))
			guests[i] = NULL;
	}
	if (self->image_spaces != NULL)
		image_space_report(ctx, self->image_spaces);
	discover_describe(ctx, guests, len);
	for (size_t i = 0; i < len; i++)
		if (guests[i] != NULL)
			set_stream(ctx, out, guests[i]);
	report_all(ctx, out, groups, bulk, guests);
	if (self->source != SOURCE_LIBVIRT) {
		struct calls_bulk *rest = report_mapped(ctx, out, guests, len);

		report_rest(ctx, out, rest);
		calls_free(&rest->job);
	}
	each_report(ctx, out, guests, len);
	agent_report(ctx, out);
	free(guests);
}

/* The kernel goes on without libvirt. */
static void report_known(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;

	if (self->source == SOURCE_LIBVIRT)
		return;
	read_kernel(ctx);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (at->selected && at->state == VIR_DOMAIN_RUNNING) {
			set_stream(ctx, out, at);
			report_from_kernel(ctx, out, at);
		}
}

/* Guests that were not asked for because they are held are still there. */
static void report_held(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;

	if (self->held_len == 0)
		return;
	if (self->source != SOURCE_LIBVIRT)
		read_kernel(ctx);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		if (!at->held.lasts)
			continue;
		at->seen = self->cycle;
		set_stream(ctx, out, at);
		if (at->held.hangs && at->selected)
			watch_guest(ctx, at, true);
		if (self->source != SOURCE_LIBVIRT && at->selected &&
		    at->state == VIR_DOMAIN_RUNNING)
			report_from_kernel(ctx, out, at);
	}
}

/* Fails if guests do not answer, so that STATUS shows how many; the values of the others are not
 * affected. */
static int count_unanswered(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	size_t unanswered = 0, selected = 0;

	self->stuck_len = 0;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		self->stuck_len += at->stuck;
		unanswered += at->stuck || at->each_held.lasts;
		selected += at->selected;
	}
	return unanswered == 0 ? 0
			       : mc_fail(ctx, EAGAIN, "%zu of %zu guests do not answer", unanswered,
					 selected);
}

int cycle_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct calls_bulk *bulk;
	unsigned groups;

	self->cycle++;
	self->begun = mc_now();
	cost_begin(ctx);
	self->due = groups_extra(&self->groups, self->extra, self->cycle);
	self->spared = groups_spared(&self->groups, self->due, self->cycle);
	self->spared_groups = groups_for(self->spared);
	self->disks_due = groups_due(&self->groups, GROUP_DISKS, self->cycle);
	groups = groups_of(self);
	events_connect(ctx, links_patience(ctx) / 2);
	take_changes(ctx);
	take_age(ctx);
	if (self->source == SOURCE_LIBVIRT)
		groups |= fallback_groups(self);
	adaptive_choose(ctx, (groups & VIR_DOMAIN_STATS_BLOCK) != 0);
	probe_held(ctx);
	cost_ask(ctx);
	bulk = query_bulk(ctx, groups, NULL);
	cost_answered(ctx, out);
	if (bulk == NULL) {
		report_known(ctx, out);
		return mc_fail(ctx, EAGAIN, "%s", self->away);
	}
	self->host_cpus = bulk->host_cpus;
	report_records(ctx, out, groups, bulk);
	report_held(ctx, out);
	adaptive_settle(ctx, out);
	storages_report(ctx, out);
	groups_taken(&self->groups, self->cycle);
	cost_end(ctx, out);
	calls_free(&bulk->job);
	label_sweep(ctx);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (at->seen != self->cycle) {
			agent_forget(at);
			chain_forget(ctx, at);
			storages_forget(ctx, at);
		}
	pthread_mutex_lock(&self->lock);
	guests_sweep(&self->guests, &self->files, self->cycle);
	pthread_mutex_unlock(&self->lock);
	links_drop_idle(ctx);
	calls_tidy();
	return count_unanswered(ctx);
}
