/* SPDX-License-Identifier: MIT */
/* meet: guests are known by their UUID; their names and devices may change. */
#include "meet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "calls.h"
#include "label.h"

#define DESCRIBE_MAX 500 /* Guests in one call. */

static void rename_guest(struct virt *self, struct guest *guest,
			 const char *name)
{
	struct names_guest parts = { .hostname = self->hostname,
				     .name = name,
				     .uuid = guest->uuid_text,
				     .metadata = guest->metadata };
	char host[NAMES_SIZE], instance[NAMES_SIZE];

	names_join(&self->host_format, &parts, host);
	names_join(&self->instance_format, &parts, instance);
	pthread_mutex_lock(&self->lock);
	if (name != guest->name)
		guests_set(&guest->name, name);
	guests_set(&guest->host, host);
	guests_set(&guest->instance, instance);
	pthread_mutex_unlock(&self->lock);
}

struct guest *meet_guest(struct virt *self, virDomainPtr domain)
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
	if (strcmp(guest->name, name) != 0) {
		rename_guest(self, guest, name);
		guest->selected =
			mc_selected(self->domains, self->ignore, name);
		guest->described = false;
	}
	return guest->selected ? guest : NULL;
}

void meet_state(struct guest *guest, const virDomainStatsRecord *record)
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

/* --- Descriptions --------------------------------------------------------- */

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
		guests_set(&guest->metadata, item->metadata);
		rename_guest(self, guest, guest->name);
	}
	label_guest(ctx, guest);
	describe_forget_labels(&guest->xml);
	kernel_forget(&guest->map);
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

void meet_describe(struct mc_ctx *ctx, struct guest *const *guests,
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
