/* SPDX-License-Identifier: MIT */
/* An item is the size of the attributes, 2, the host, '\0', the attributes. */
#include "engine/otlp/otlp_labels.h"

#include <collector/label.h>
#include <collector/private/stream.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/context.h"
#include "engine/store/labels.h"
#include "engine/store/registry.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"
#include "model/batch.h"

/* Of a host at most, with their heads. */
#define LABELS_SIZE (MC_LABELS_MAX * 2 * (MC_LABEL_SIZE + 8))
#define ITEM_SIZE (2 + OTLP_PART_MAX + 1 + LABELS_SIZE)

struct labelling { /* Written backwards, as all is. */
	unsigned char *at;
	bool plain; /* The stream is written apart. */
	unsigned char bytes[LABELS_SIZE];
};

static void put_label(struct labelling *labelling, const struct mc_field *label)
{
	unsigned char *end = labelling->at, *at = end;
	size_t name = strlen(label->name), value = strlen(label->value);

	if (at < labelling->bytes + name + value + 16)
		return;
	at = protobuf_put_text(at, OTLP_ANY_STRING, label->value, value);
	at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
	at = protobuf_put_text(at, OTLP_PAIR_KEY, label->name, name);
	labelling->at = protobuf_put_head(at, OTLP_RESOURCE_ATTRIBUTES, end);
}

static void put_now(void *argument, const struct mc_field *label)
{
	struct labelling *labelling = argument;

	if (!labelling->plain || strcmp(label->name, MC_STREAM_LABEL) != 0)
		put_label(labelling, label);
}

void otlp_labels_of(struct otlp_labels *labels, const struct mc_batch *batch)
{
	labels->batch = batch;
	if (batch == NULL || batch->serial == labels->serial)
		return;
	labels->serial = batch->serial;
	labels->stream = NULL;
}

/* That of the samples of a host; NULL: that of now, if any. */
static const struct batch_stream *stream_of(struct otlp_labels *labels, const char *host)
{
	const struct batch_stream *found;

	if (labels->batch == NULL || labels->each != mc_each_sent_label ||
	    labels_end_streams(context_of(labels->ctx)->registry->labels))
		return NULL;
	found = batch_find_stream(labels->batch, host, labels->stream);
	if (found != NULL)
		labels->stream = found;
	return found;
}

/* Returns their size. */
static uint16_t label(struct otlp_labels *labels, const char *host, struct labelling *labelling)
{
	const struct batch_stream *stream = stream_of(labels, host);
	unsigned char *end = labelling->bytes + sizeof(labelling->bytes);

	labelling->at = end;
	labelling->plain = stream != NULL;
	if (stream != NULL)
		put_label(labelling, &(struct mc_field){ MC_STREAM_LABEL, stream->text });
	labels->each(labels->ctx, host, put_now, labelling);
	return (uint16_t)(end - labelling->at);
}

void otlp_labels_done(struct otlp_labels *labels)
{
	free(labels->bytes);
}

uint32_t otlp_labels_add(struct otlp_labels *labels, const char *host, size_t host_size)
{
	struct labelling labelling;
	unsigned char *at;
	char name[OTLP_PART_MAX + 1];
	uint16_t size;

	if (labels->ctx == NULL || host_size >= sizeof(name))
		return 0;
	memcpy(name, host, host_size);
	name[host_size] = '\0';
	size = label(labels, name, &labelling);
	if (labels->room - labels->size < ITEM_SIZE) {
		labels->room = labels->room * 2 + ITEM_SIZE;
		labels->bytes = alloc_resize(labels->bytes, labels->room, 1);
	}
	at = labels->bytes + labels->size;
	memcpy(at, &size, sizeof(size));
	at += sizeof(size);
	memcpy(at, name, host_size + 1);
	at += host_size + 1;
	memcpy(at, labelling.at, size);
	labels->size = (uint32_t)(at + size - labels->bytes);
	return size;
}

bool otlp_labels_hold(struct otlp_labels *labels, const unsigned char *bytes, uint32_t size)
{
	const unsigned char *end = bytes + size;
	struct labelling labelling;
	uint16_t known, now;

	while (bytes < end) {
		memcpy(&known, bytes, sizeof(known));
		bytes += sizeof(known);
		now = label(labels, (const char *)bytes, &labelling);
		bytes += strlen((const char *)bytes) + 1;
		if (now != known || memcmp(bytes, labelling.at, now) != 0)
			return false;
		bytes += known;
	}
	return true;
}
