/* SPDX-License-Identifier: MIT */
/* Any bytes as a request for metrics, and as one for logs.  What is read must
 * be within its limits, and a notification must survive being written. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/label.h>
#include <collector/private/otlp.h>
#include <collector/serve.h>

#include "formats/otlp/otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sample(const struct mc_otlp *otlp)
{
	const struct mc_name_parts *name = &otlp->name;
	size_t size = name->host_size + 1 + name->plugin_size + 1 + name->type_size;

	size += name->plugin_instance_size + (name->plugin_instance_size > 0);
	size += name->type_instance_size + (name->type_instance_size > 0);
	assert(strlen(name->name) == size);
	assert(name->host_size <= 127 && name->plugin_size <= 127 && name->type_size <= 127 &&
	       name->plugin_instance_size <= 127 && name->type_instance_size <= 127);
	assert(otlp->values_len > 0 && otlp->values_len <= MC_SOURCES_MAX);
	assert(otlp->stamp.time >= 0 && otlp->stamp.interval >= 0);
	for (unsigned i = 0; i < otlp->values_len; i++)
		assert(otlp->kinds[i] <= MC_ABSOLUTE);
}

static void check_notification(const struct mc_notification *notification)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_otlp again;

	mc_otlp_write_notification(writer, notification, &bytes);
	mc_otlp_open(&again, bytes.at, bytes.size, true, "");
	assert(mc_otlp_next(&again) == MC_OTLP_NOTICE);
	assert(again.notification.severity == notification->severity);
	assert(again.notification.time == notification->time);
	assert(strcmp(again.notification.id.host, notification->id.host) == 0);
	assert(strcmp(again.notification.id.plugin, notification->id.plugin) == 0);
	assert(strcmp(again.notification.id.type_instance, notification->id.type_instance) == 0);
	assert(strcmp(again.notification.message, notification->message) == 0);
	mc_otlp_writer_free(writer);
}

/* One of the three answers. */
static enum mc_otlp_name claim(void *argument, const struct mc_otlp_claim *claim)
{
	(void)argument;
	assert(mc_otlp_age(claim->items) >= -1);
	return (enum mc_otlp_name)(claim->series % 3);
}

static const char *const ephemeral[] = { "service.instance.id", "container.id" };
static const struct mc_otlp_map map = {
	.attribute = "service.name",
	.host = "container.name",
	.plugin = "process.pid",
	.plugin_instance = "service.name",
	.type_instance = "cpu",
	.metric = "m",
	.without = { ephemeral, 2 },
};
static const struct mc_otlp_naming naming = {
	.ephemeral = ephemeral,
	.ephemeral_len = 2,
	.maps = &map,
	.maps_len = 1,
	.claim = claim,
};

static void read_as(const uint8_t *data, size_t size, bool logs, const struct mc_otlp_naming *names)
{
	struct mc_otlp otlp;
	enum mc_otlp_item item;

	mc_otlp_open(&otlp, data, size, logs, "caller");
	mc_otlp_name_by(&otlp, names);
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_SAMPLE)
			check_sample(&otlp);
		else if (item == MC_OTLP_NOTICE)
			check_notification(&otlp.notification);
		else if (item == MC_OTLP_REJECT)
			assert(otlp.rejected > 0 && otlp.why != NULL);
		else
			assert(otlp.why != NULL);
	}
	assert(mc_otlp_next(&otlp) == MC_OTLP_END);
}

static bool check_resource(void *argument, const struct mc_otlp_resource *resource)
{
	struct mc_otlp_labels labels;
	unsigned *left = argument;

	assert(mc_otlp_labels(resource, &labels) <= MC_LABELS_MAX);
	for (unsigned i = 0; i < labels.len; i++)
		assert(strlen(labels.items[i].name) < MC_LABEL_SIZE &&
		       strlen(labels.items[i].value) < MC_LABEL_SIZE);
	return --*left > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned left = 1000;

	struct mc_otlp_span rest = { data, data + size };
	struct mc_otlp_piece piece;

	mc_otlp_each_resource(
		&(struct mc_otlp_request){ .host = "caller", .bytes = data, .size = size },
		check_resource, &left);
	while (mc_otlp_next_piece(&rest, &piece))
		assert(piece.all.at < piece.all.end && piece.all.end == rest.at &&
		       piece.head.at == piece.all.at && piece.head.end <= piece.all.end);
	read_as(data, size, false, NULL);
	read_as(data, size, false, &naming);
	read_as(data, size, true, &naming);
	return 0;
}
