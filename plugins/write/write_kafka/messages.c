/* SPDX-License-Identifier: MIT */
#include "messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/hash.h>

#include "kit/base/tenant_text.h"
#include "kit/series/tenant.h"

struct messages_part { /* Of a host, by the engine's encoder. */
	const char *host;
	size_t offset, size;
	unsigned samples_len;
};

void messages_init(struct messages *messages, struct mc_ctx *ctx)
{
	messages->writer = mc_otlp_writer_new(messages->size_max);
	mc_otlp_writer_label(messages->writer, ctx, mc_each_sent_label);
}

void messages_done(struct messages *messages)
{
	mc_otlp_writer_free(messages->writer);
	mc_buffer_free(&messages->text);
	mc_buffer_free(&messages->joined);
	free(messages->parts);
	free(messages->topic);
}

/* --- Keys ----------------------------------------------------------------- */

static void look_for_uuid(void *argument, const struct mc_field *label)
{
	struct messages *messages = argument;

	if (strcmp(label->name, "uuid") == 0)
		snprintf(messages->key, sizeof(messages->key), "%s", label->value);
}

/* A guest keeps its uuid when it gets another name. */
static const char *key_of(struct messages *messages, struct mc_ctx *ctx, const char *host)
{
	const char *key = messages->options->key;

	if (key != NULL)
		return strcasecmp(key, "random") == 0 ? NULL : key;
	messages->key[0] = '\0';
	mc_each_label(ctx, host, look_for_uuid, messages);
	return messages->key[0] != '\0' ? messages->key : host;
}

/* --- Topics --------------------------------------------------------------- */

/* That of the tenant of a host. */
static const char *topic_of(struct messages *messages, struct mc_ctx *ctx, const char *host)
{
	char tenant[MC_LABEL_SIZE];

	if (messages->options->topic == NULL)
		return NULL;
	mc_tenant(ctx, host, tenant);
	if (messages->topic == NULL || strcmp(tenant, messages->tenant) != 0) {
		free(messages->topic);
		messages->topic = mc_tenant_fill(messages->options->topic, tenant);
		memcpy(messages->tenant, tenant, sizeof(tenant));
	}
	return messages->topic;
}

/* --- OTLP ------------------------------------------------------------------ */

/* By host, in their order. */
static int compare(const void *a, const void *b)
{
	const struct messages_part *left = a, *right = b;
	int order = strcmp(left->host, right->host);

	if (order != 0)
		return order;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* The batch by hosts; their names live as long as it does. */
static void gather(struct messages *messages, const struct mc_batch *batch)
{
	const struct mc_sample *last = NULL, *next;
	struct mc_otlp_bytes bytes;

	while ((next = mc_otlp_write_host(messages->writer, batch, last, &bytes)) != NULL) {
		MC_ARRAY_GROW(messages->parts, messages->parts_len, messages->parts_room);
		messages->parts[messages->parts_len++] = (struct messages_part){
			.host = mc_host(next->series),
			.offset = messages->text.size,
			.size = bytes.size,
			.samples_len = bytes.samples_len,
		};
		mc_buffer_add(&messages->text, bytes.at, bytes.size);
		last = next;
	}
	if (messages->parts_len > 1)
		qsort(messages->parts, messages->parts_len, sizeof(*messages->parts), compare);
}

/* Numbers of a stream only grow in its partition, as its host's do.  Of several messages of a host
 * the last has the number: when that is known, so are the others. */
static void set_number(const struct messages *messages, struct mc_ctx *ctx, const char *host,
		       struct message *message)
{
	uint64_t instance = mc_hash_text(mc_hash_start(), messages->options->stream);
	struct mc_records records;

	if (message->topic != NULL)
		instance = mc_hash_text(instance, message->topic);
	if (!mc_records(ctx, &records))
		return;
	snprintf(message->stream, sizeof(message->stream), "%016" PRIx64 "%016" PRIx64 "/journal",
		 records.epoch, mc_hash_text(instance, host));
	if (records.first == records.last)
		snprintf(message->number, sizeof(message->number), "%" PRIu64, records.last);
	else
		snprintf(message->number, sizeof(message->number), "%" PRIu64 "-%" PRIu64,
			 records.first, records.last);
}

/* Joins parts of the host of the next one as long as they have room.  Whether that were all. */
static bool join(struct messages *messages, struct message *message)
{
	const struct messages_part *first = &messages->parts[messages->next], *part;

	mc_buffer_clear(&messages->joined);
	for (; messages->next < messages->parts_len; messages->next++) {
		part = &messages->parts[messages->next];
		if (strcmp(part->host, first->host) != 0)
			return true;
		if (part != first && messages->joined.size + part->size > messages->size_max)
			return false;
		mc_buffer_add(&messages->joined, messages->text.at + part->offset, part->size);
		message->samples_len += part->samples_len;
	}
	return true;
}

static bool next_of_otlp(struct messages *messages, struct mc_ctx *ctx, struct message *message)
{
	const char *host;

	if (messages->next == messages->parts_len)
		return false;
	host = messages->parts[messages->next].host;
	message->topic = topic_of(messages, ctx, host);
	if (join(messages, message))
		set_number(messages, ctx, host, message);
	message->bytes = messages->joined.at;
	message->size = messages->joined.size;
	message->key = key_of(messages, ctx, host);
	return true;
}

/* --- As collectd ----------------------------------------------------------- */

static bool next_of_collectd(struct messages *messages, struct mc_ctx *ctx,
			     const struct mc_batch *batch, struct message *message)
{
	const struct mc_sample *sample;

	mc_buffer_clear(&messages->text);
	do {
		sample = mc_next(batch, messages->last);
		if (sample == NULL)
			return false;
		messages->last = sample;
		mc_sample_text(&messages->text, &messages->options->text, sample);
	} while (messages->text.size == 0);
	message->bytes = messages->text.at;
	message->size = messages->text.size;
	message->samples_len = 1;
	message->key = key_of(messages, ctx, mc_host(sample->series));
	message->topic = topic_of(messages, ctx, mc_host(sample->series));
	return true;
}

/* --- Either ----------------------------------------------------------------- */

void messages_begin(struct messages *messages, const struct mc_batch *batch)
{
	messages->last = NULL;
	messages->parts_len = messages->next = 0;
	mc_buffer_clear(&messages->text);
	if (messages->options->text.format == MESSAGES_OTLP)
		gather(messages, batch);
}

bool messages_next(struct messages *messages, struct mc_ctx *ctx, const struct mc_batch *batch,
		   struct message *message)
{
	*message = (struct message){ .samples_len = 0 };
	if (messages->options->text.format == MESSAGES_OTLP)
		return next_of_otlp(messages, ctx, message);
	return next_of_collectd(messages, ctx, batch, message);
}
