/* SPDX-License-Identifier: MIT */
/* label: labels belong to a host, so guests that share one have no labels, as with HostnameFormat
 * "hostname". */
#include "label.h"

#include <collector/label.h>
#include <collector/private/storage_label.h>

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "virt.h"

static bool is_own_host(const struct virt *self)
{
	for (unsigned i = 0; i < self->host_format.len; i++)
		if (self->host_format.parts[i] == NAMES_NAME ||
		    self->host_format.parts[i] == NAMES_UUID)
			return true;
	return false;
}

static void add_known(struct fields *fields, const char *name, const char *value)
{
	if (value[0] != '\0')
		fields_add(fields, name, value);
}

void label_stream(struct mc_ctx *ctx, const struct guest *guest, char stream[MC_STREAM_SIZE])
{
	stream[0] = '\0';
	if (guest->generation[0] != '\0' && is_own_host(ctx->self))
		snprintf(stream, MC_STREAM_SIZE, "%s %s %c %s", guest->generation, guest->uuid_text,
			 guest->migrated ? 'm' : '-', ctx->host);
}

void label_guest(struct mc_ctx *ctx, const struct guest *guest,
		 const struct describe_labels *labels)
{
	const struct virt *self = ctx->self;
	char stream[MC_STREAM_SIZE], storage[MC_LABEL_SIZE];
	struct fields fields = { 0 };

	if (!is_own_host(self))
		return;
	label_stream(ctx, guest, stream);
	add_known(&fields, MC_STREAM_LABEL, stream);
	storages_label(&guest->storages, storage, sizeof(storage));
	add_known(&fields, MC_STORAGE_LABEL, storage);
	fields_add(&fields, "uuid", guest->uuid_text);
	fields_add(&fields, "name", guest->name);
	fields_add(&fields, "hypervisor", ctx->host); /* Until it moves. */
	add_known(&fields, "metadata", guest->metadata);
	if (labels != NULL) {
		add_known(&fields, "title", labels->title);
		add_known(&fields, "owner", labels->owner);
		add_known(&fields, "project", labels->project);
		add_known(&fields, "flavor", labels->flavor);
	}
	if (guest->agent.labels != NULL) {
		add_known(&fields, "os", guest->agent.labels->os);
		add_known(&fields, "kernel", guest->agent.labels->kernel);
		add_known(&fields, "guest_hostname", guest->agent.labels->hostname);
		add_known(&fields, "addresses", guest->agent.labels->addresses);
	}
	mc_label(ctx, guest->host, fields.items, fields.len);
}

struct claim { /* Whether a host's labels are still those of a guest. */
	const char *uuid;
	bool holds;
};

static void check(void *argument, const struct mc_field *label)
{
	struct claim *claim = argument;

	if (strcmp(label->name, "uuid") == 0)
		claim->holds = strcmp(label->value, claim->uuid) == 0;
}

/* Another may have its name by now. */
void label_forget(struct mc_ctx *ctx, const struct guest *guest)
{
	struct claim claim = { .uuid = guest->uuid_text };

	mc_each_label(ctx, guest->host, check, &claim);
	if (claim.holds)
		mc_label(ctx, guest->host, NULL, 0);
}

void label_sweep(struct mc_ctx *ctx)
{
	const struct virt *self = ctx->self;

	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (at->seen != self->cycle)
			label_forget(ctx, at);
}
