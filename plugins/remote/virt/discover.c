/* SPDX-License-Identifier: MIT */
/* meet: guests are known by their UUID; their names and devices may change. */
#include "discover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "adaptive.h"
#include "agent.h"
#include "calls.h"
#include "label.h"
#include "links.h"
#include "storages.h"

#define DESCRIBE_MAX 500 /* Guests in one call. */
#define STORAGES_PART 10 /* Of an interval, that the search for their storages may take. */

static void rename_guest(struct mc_ctx *ctx, struct guest *guest, const char *name,
			 const char *metadata)
{
	struct virt *self = ctx->self;
	struct names_guest parts = { .hostname = self->hostname,
				     .name = name,
				     .uuid = guest->uuid_text,
				     .metadata = metadata };
	char host[NAMES_SIZE], instance[NAMES_SIZE];

	names_join(&self->host_format, &parts, host);
	names_join(&self->instance_format, &parts, instance);
	if (strcmp(host, guest->host) != 0)
		label_forget(ctx, guest);
	pthread_mutex_lock(&self->lock);
	guests_rename(guest, name, metadata, host, instance);
	pthread_mutex_unlock(&self->lock);
}

static struct guest *add_guest(struct virt *self, const unsigned char uuid[VIR_UUID_BUFLEN])
{
	struct guest *guest;

	pthread_mutex_lock(&self->lock);
	guest = guests_get(&self->guests, uuid);
	pthread_mutex_unlock(&self->lock);
	guest->state = guest->reason = -1;
	return guest;
}

void discover_add(struct mc_ctx *ctx, const unsigned char uuid[VIR_UUID_BUFLEN])
{
	add_guest(ctx->self, uuid);
}

struct guest *discover_guest(struct mc_ctx *ctx, virDomainPtr domain)
{
	struct virt *self = ctx->self;
	unsigned char uuid[VIR_UUID_BUFLEN];
	const char *name = virDomainGetName(domain);
	struct guest *guest;

	if (name == NULL || virDomainGetUUID(domain, uuid) < 0)
		return NULL;
	guest = guests_find(&self->guests, uuid);
	if (guest == NULL)
		guest = add_guest(self, uuid);
	if (guest->uuid_text[0] == '\0')
		virDomainGetUUIDString(domain, guest->uuid_text);
	guest->seen = self->cycle;
	if (strcmp(guest->name, name) != 0) {
		rename_guest(ctx, guest, name, guest->metadata);
		guest->selected = mc_selected(self->domains, self->ignore, name);
		guest->described = false;
	}
	return guest->selected ? guest : NULL;
}

void discover_state(struct guest *guest, const virDomainStatsRecord *record)
{
	int state = -1, reason = 0;

	virTypedParamsGetInt(record->params, record->nparams, "state.state", &state);
	virTypedParamsGetInt(record->params, record->nparams, "state.reason", &reason);
	guest->ran |= state == VIR_DOMAIN_RUNNING;
	if (state == VIR_DOMAIN_RUNNING && guest->state != state) {
		guest->described = false; /* It may be another process. */
		guest->cpu_time = 0;
		percentiles_free(&guest->percentiles);
		agent_begins(guest);
	}
	guest->state = state;
	guest->reason = reason;
}

bool discover_is_incoming(const struct guest *guest)
{
	return !guest->ran && guest->state == VIR_DOMAIN_PAUSED &&
	       guest->reason == VIR_DOMAIN_PAUSED_MIGRATION;
}

/* --- Descriptions --------------------------------------------------------- */

/* Finds out which devices the disks are, and whether all are devices. */
static bool find_devices(struct describe *xml)
{
	for (size_t i = 0; i < xml->disks_len; i++) {
		if (xml->disks[i].device)
			xml->disks[i].number = blocks_number(xml->disks[i].path);
		if (xml->disks[i].number == 0)
			return false;
	}
	return true;
}

/* Keeps what is needed of a description between reads. */
static void keep_description(struct guest *guest, const struct calls_item *item)
{
	size_t size = (size_t)item->vcpus_len * item->pins_size;

	describe_done(&guest->xml);
	describe_keep(&guest->xml, &item->xml);
	guest_limits_done(&guest->limits);
	guest_limits_keep(&guest->limits, &item->limits);
	free(guest->pins);
	guest->pins = size > 0 ? mc_alloc_bytes(item->pins, size) : NULL;
	guest->vcpus_len = size > 0 ? item->vcpus_len : 0;
	guest->pins_size = item->pins_size;
	guest->persistent = item->persistent;
	atomic_store(&guest->memory, item->xml.memory);
}

/* Finds out which process it is, and how that has begun. */
static void find_process(struct mc_ctx *ctx, struct guest *guest)
{
	const struct virt *self = ctx->self;
	char generation[KERNEL_GENERATION_SIZE] = "";
	bool incoming;

	kernel_forget(&guest->map);
	if (self->local && kernel_find(ctx, &guest->map, guest->name, guest->uuid_text))
		kernel_generation(ctx, &guest->map, generation);
	incoming = guest->map.incoming;
	if (self->source == SOURCE_LIBVIRT || guest->state != VIR_DOMAIN_RUNNING)
		kernel_forget(&guest->map);
	if (strcmp(generation, guest->generation) != 0)
		guest->migrated = false;
	memcpy(guest->generation, generation, sizeof(generation));
	/* libvirt's reason is another one as soon as the guest was paused. */
	guest->migrated |= incoming || (guest->state == VIR_DOMAIN_RUNNING &&
					(guest->reason == VIR_DOMAIN_RUNNING_MIGRATED ||
					 guest->reason == VIR_DOMAIN_RUNNING_POSTCOPY));
}

static void take_item(struct mc_ctx *ctx, struct guest *guest, struct calls_item *item)
{
	struct virt *self = ctx->self;
	bool same = strcmp(guest->metadata, item->metadata) == 0;

	if (!item->found)
		return;
	guest->on_devices =
		self->local && self->source == SOURCE_DEVICE && find_devices(&item->xml);
	storages_keep(ctx, guest, &item->xml);
	/* Else nobody asks what disks it has. */
	if (!guest->on_devices && !self->latency_histogram)
		describe_forget_disks(&item->xml);
	keep_description(guest, item);
	if (!same)
		rename_guest(ctx, guest, guest->name, item->metadata);
	find_process(ctx, guest);
	label_guest(ctx, guest, item->xml.labels);
	adaptive_follow(ctx, guest);
	for (size_t i = 0; i < guest->xml.nics_len && self->report_nics; i++)
		if (guest->xml.nics[i].view == DESCRIBE_DAEMON)
			guest->map.pid = 0;
	guest->described = true;
}

/* Describes some of the guests that need it.  Returns how many those were, 0 if it could not be
 * done, or not of all in the time there is: the rest is for the next read. */
static size_t describe_some(struct mc_ctx *ctx, struct guest **guests, size_t guests_len)
{
	struct virt *self = ctx->self;
	struct link *link = links_for_all(self);
	struct calls_describe *describe;
	size_t len = 0;
	int rc;

	if (link == NULL || guests_len == 0)
		return 0;
	describe = calls_describe_new(guests_len, self->has_metadata ? self->metadata_ns : NULL,
				      self->metadata_xpath, (self->extra & EXTRA_VCPUPIN) != 0,
				      links_until(ctx));
	describe->limits = (self->extra & EXTRA_LIMITS) != 0;
	for (size_t i = 0; i < guests_len; i++)
		memcpy(describe->items[i].uuid, guests[i]->uuid, VIR_UUID_BUFLEN);
	rc = connection_call(ctx, link, &describe->job, links_patience(ctx));
	if (rc == -ETIMEDOUT)
		return 0;
	if (rc == 0)
		storages_find(ctx, describe, ctx->interval / STORAGES_PART);
	for (size_t i = 0; rc == 0 && i < guests_len; i++)
		take_item(ctx, guests[i], &describe->items[i]);
	len = rc == 0 && !describe->ended ? guests_len : 0;
	calls_free(&describe->job);
	return len;
}

void discover_describe(struct mc_ctx *ctx, struct guest *const *guests, size_t guests_len)
{
	struct guest *to_describe[DESCRIBE_MAX];
	size_t len = 0;

	for (size_t i = 0; i < guests_len; i++) {
		if (guests[i] == NULL || guests[i]->described)
			continue;
		to_describe[len++] = guests[i];
		if (len == DESCRIBE_MAX) {
			if (describe_some(ctx, to_describe, len) == 0)
				return;
			len = 0;
		}
	}
	describe_some(ctx, to_describe, len);
}
