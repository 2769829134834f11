/* SPDX-License-Identifier: MIT */
/* Any bytes as a request for metrics, and as one for logs.  What is read must
 * be within its limits, and a notification must survive being written; so must a point of a
 * foreign metric, with its labels. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/label.h>
#include <collector/private/otlp.h>
#include <collector/serve.h>

#include "base/arena.h"
#include "engine/otlp/foreign/otlp_foreign_point.h"
#include "engine/otlp/foreign/otlp_metric.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"
#include "model/label_set.h"
#include "model/series.h"

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
	.threshold_metric = "t",
	.threshold_type = "cpu",
	.without = { ephemeral, 2 },
};
static const struct mc_otlp_naming naming = {
	.ephemeral = ephemeral,
	.ephemeral_len = 2,
	.maps = &map,
	.maps_len = 1,
	.claim = claim,
};

/* --- Foreign metrics ------------------------------------------------------- */

#define PARTS_MAX (MC_OTLP_BUCKETS_MAX + 4)
#define POINT_ROOM (1 << 20)

struct part { /* A number of the point. */
	struct mc_sample sample;
	union mc_value values[2];
};

static struct { /* The point being read. */
	const unsigned char *at;
	struct label_set *labels;
	struct part parts[PARTS_MAX];
	struct otlp_foreign foreign[PARTS_MAX];
	size_t len;
} point;

static const struct mc_type gauge = { .name = "gauge",
				      .sources_len = 1,
				      .sources = { { "value", MC_GAUGE, NAN, NAN } } };
static const struct mc_type derive = { .name = "derive",
				       .sources_len = 1,
				       .sources = { { "value", MC_DERIVE, 0, NAN } } };
static const struct mc_type absolute = { .name = "absolute",
					 .sources_len = 1,
					 .sources = { { "value", MC_ABSOLUTE, 0, NAN } } };
static const struct mc_type seconds = { .name = OTLP_TYPE_SECONDS,
					.sources_len = 1,
					.sources = { { "value", MC_DERIVE, 0, NAN } } };
static const struct mc_type *const types[] = { &gauge, &derive, &absolute, &seconds };

static const struct mc_type *type_of(const struct mc_otlp *otlp)
{
	const struct mc_name_parts *name = &otlp->name;
	size_t before = name->host_size + 1 + name->plugin_size + (name->plugin_instance_size > 0) +
			name->plugin_instance_size + 1;

	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]->name) == name->type_size &&
		    memcmp(name->name + before, types[i]->name, name->type_size) == 0 &&
		    types[i]->sources[0].kind == otlp->kinds[0])
			return types[i];
	return NULL;
}

static void forget_point(void)
{
	for (size_t i = 0; i < point.len; i++)
		series_free(point.foreign[i].sample->series, 0);
	free(point.labels);
	point.labels = NULL;
	point.len = 0;
}

static int by_part(const void *a, const void *b)
{
	const struct otlp_foreign *left = a, *right = b;

	if (left->metric.part != right->metric.part)
		return left->metric.part < right->metric.part ? -1 : 1;
	return (left->metric.bound > right->metric.bound) -
	       (left->metric.bound < right->metric.bound);
}

/* Writes the point, as far as it is there, and looks whether it is one message. */
static void finish_point(void)
{
	static unsigned char room[POINT_ROOM];
	struct mc_otlp_span span = { .end = room + sizeof(room) };
	struct protobuf_field field;
	bool broken = false;

	qsort(point.foreign, point.len, sizeof(point.foreign[0]), by_part);
	if (point.len > 0 && otlp_foreign_point_is_complete(point.foreign, point.len)) {
		span.at = otlp_foreign_point_put(room + sizeof(room), point.foreign, point.len);
		assert(protobuf_take(&span, &field, &broken));
		assert(field.number == OTLP_DATA_POINTS && span.at == span.end);
		while (protobuf_take(&field.span, &(struct protobuf_field){ 0 }, &broken))
			;
		assert(!broken);
	}
	forget_point();
}

static void check_labels(const struct mc_metric_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		assert(strlen(labels->items[i].name) > 0 &&
		       strlen(labels->items[i].value) < MC_METRIC_VALUE_SIZE);
}

static void check_foreign(const struct mc_otlp *otlp)
{
	const struct mc_type *type = type_of(otlp);
	struct mc_metric metric;
	struct arena arena;
	bool cut = false;
	struct part *part;

	if (point.len == PARTS_MAX || otlp->sent.point.at != point.at)
		finish_point();
	point.at = otlp->sent.point.at;
	arena_init(&arena, 4096);
	otlp_metric_read(otlp, &arena, &metric);
	if (point.labels == NULL)
		point.labels = label_set_copy(&metric.labels, &cut);
	metric.labels = label_set_view(point.labels);
	metric.resource = metric.scope_labels = (struct mc_metric_labels){ 0 };
	metric.name = metric.scope = metric.scope_version = "";
	check_labels(&metric.labels);
	if (type != NULL) {
		part = &point.parts[point.len];
		part->sample = (struct mc_sample){
			.series = series_new(type, &otlp->name, 0),
			.time = otlp->stamp.time,
			.interval = otlp->stamp.interval,
			.values_len = 1,
		};
		part->values[0] = otlp->values[0];
		point.foreign[point.len++] =
			(struct otlp_foreign){ .sample = &part->sample, .metric = metric };
	}
	(void)otlp_metric_sum(otlp);
	arena_done(&arena);
}

/* --- Requests --------------------------------------------------------------- */

static void read_as(const uint8_t *data, size_t size, bool logs, const struct mc_otlp_naming *names)
{
	struct mc_otlp otlp;
	enum mc_otlp_item item;

	mc_otlp_open(&otlp, data, size, logs, "caller");
	mc_otlp_name_by(&otlp, names);
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_SAMPLE)
			check_sample(&otlp);
		if (item == MC_OTLP_SAMPLE && otlp.sent.foreign)
			check_foreign(&otlp);
		else if (item == MC_OTLP_SAMPLE)
			continue;
		else if (item == MC_OTLP_NOTICE)
			check_notification(&otlp.notification);
		else if (item == MC_OTLP_REJECT)
			assert(otlp.rejected > 0 && otlp.why != NULL);
		else
			assert(otlp.why != NULL);
	}
	finish_point();
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
