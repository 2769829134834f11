/* SPDX-License-Identifier: MIT */
/* A batch: the samples of one read or of one received packet. */
#include "model/batch.h"

#include <collector/journal.h>
#include <collector/private/stream.h>
#include <collector/quota.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/series.h"

void batch_init(struct mc_batch *batch)
{
	*batch = (struct mc_batch){ 0 };
	arena_init(&batch->arena, BATCH_CHUNK);
}

void batch_done(struct mc_batch *batch)
{
	arena_done(&batch->arena);
}

void batch_begin(struct mc_batch *batch, struct mc_ctx *ctx, mc_time time)
{
	arena_reset(&batch->arena, SIZE_MAX);
	batch->ctx = ctx;
	batch->time = time;
	batch->mark = NULL;
	batch->receipt = NULL;
	batch->recipients = NULL;
	batch->late = batch->late_last = NULL;
	batch->late_why = NULL;
	batch->streams = batch->streams_end = NULL;
	batch->stream = NULL;
	batch->keeps = NULL;
	batch->quota = NULL;
	batch->rejected = NULL;
	batch->scheduled = false;
	batch->first = batch->last = NULL;
	memset(batch->asked, 0, sizeof(batch->asked));
	batch->asked_len = 0;
	batch->accepted = batch->refused = 0;
	batch->hidden = SAMPLE_REFUSED;
	batch->excluded = batch->excluded_all = batch->lineage = 0;
	atomic_store_explicit(&batch->references, 1, memory_order_relaxed);
}

size_t batch_size(const struct mc_batch *batch)
{
	return sizeof(*batch) + batch->arena.size;
}

uint64_t batch_count(const struct mc_batch *batch, uint32_t flags)
{
	uint64_t count = 0;

	if ((batch->excluded & flags) == 0)
		return 0;
	for (const struct mc_sample *s = batch->first; s != NULL; s = s->next)
		count += (s->flags & batch->hidden) == 0 && (s->flags & flags) != 0;
	return count;
}

const struct mc_batch *batch_without(const struct mc_batch *batch, uint32_t flags,
				     struct mc_batch *view)
{
	if ((batch->excluded & flags) == 0)
		return batch;
	*view = (struct mc_batch){
		.ctx = batch->ctx,
		.time = batch->time,
		.serial = batch->serial,
		.mark = batch->mark,
		.receipt = batch->receipt,
		.recipients = batch->recipients,
		.scheduled = batch->scheduled,
		.first = batch->first,
		.last = batch->last,
		.hidden = batch->hidden | flags,
		.lineage = batch->lineage,
		.accepted = batch->accepted - batch_count(batch, flags),
	};
	return view;
}

void mc_put_at(struct mc_batch *batch, struct mc_series *series, struct mc_stamp stamp,
	       const union mc_value *values, unsigned values_len)
{
	size_t size = values_len * sizeof(*values);
	struct mc_sample *sample;

	/* Nothing of the series is looked at here: the store does that, when it
	 * has fetched it into the cache. */
	if (series == NULL) {
		batch->refused++;
		return;
	}
	sample = arena_take(&batch->arena, sizeof(*sample) + 2 * size);
	sample->next = NULL;
	sample->series = series;
	sample->time = stamp.time;
	sample->interval = stamp.interval;
	sample->values_len = values_len;
	sample->flags = 0;
	for (unsigned i = 0; i < values_len; i++)
		sample->values[i] = values[i];
	if (batch->last != NULL)
		batch->last->next = sample;
	else
		batch->first = sample;
	batch->last = sample;
	batch->accepted++;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned values_len)
{
	struct mc_stamp stamp = { batch->time, batch->ctx->interval };

	mc_put_at(batch, series, stamp, values, values_len);
}

void mc_gauge(struct mc_batch *batch, struct mc_series *series, double level)
{
	union mc_value value = { .gauge = level };

	mc_put(batch, series, &value, 1);
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	union mc_value value = { .derive = total };

	mc_put(batch, series, &value, 1);
}

_Static_assert(offsetof(struct mc_batch, first) == 0, "for mc_next()");

const struct mc_sample *mc_next_shown(const struct mc_batch *batch, const struct mc_sample *sample)
{
	while (sample != NULL && (sample->flags & batch->hidden) != 0)
		sample = sample->next;
	return sample;
}

void mc_set_origin(struct mc_batch *batch, const void *mark)
{
	batch->mark = mark;
}

void mc_count_rejected(struct mc_batch *batch, struct mc_rejected *rejected)
{
	*rejected = (struct mc_rejected){ 0 };
	batch->rejected = rejected;
}

void batch_reject(struct mc_batch *batch, const struct mc_series *series, const char *why)
{
	struct mc_rejected *rejected = batch->rejected;

	batch->accepted--;
	batch->refused++;
	if (rejected == NULL || why == NULL || rejected->samples++ > 0)
		return;
	rejected->why = why;
	snprintf(rejected->series, sizeof(rejected->series), "%s", series->name);
}

void mc_charge(struct mc_batch *batch, struct mc_quota *quota)
{
	batch->quota = quota;
}

void mc_set_dedup_id(struct mc_batch *batch, const struct mc_dedup_id *receipt)
{
	struct mc_dedup_id *copy = arena_take(&batch->arena, sizeof(*copy));

	*copy = *receipt;
	batch->receipt = copy;
}

static const char *keep_text(struct mc_batch *batch, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(arena_take(&batch->arena, size), text, size);
}

void mc_set_stream(struct mc_batch *batch, const char *host, const char *text)
{
	struct batch_stream *stream = batch->streams_end;

	if (stream != NULL && strcmp(stream->host, host) == 0) {
		if (strcmp(stream->text, text) != 0)
			stream->text = keep_text(batch, text);
		return;
	}
	stream = arena_take(&batch->arena, sizeof(*stream));
	*stream = (struct batch_stream){ NULL, keep_text(batch, host), keep_text(batch, text) };
	if (batch->streams_end != NULL)
		batch->streams_end->next = stream;
	else
		batch->streams = stream;
	batch->streams_end = stream;
}

/* Samples of a host follow each other, and hosts as their streams do. */
const struct batch_stream *batch_find_stream(const struct mc_batch *batch, const char *host,
					     const struct batch_stream *near)
{
	const struct batch_stream *stream = near;

	for (int i = 0; i < 2 && stream != NULL; i++, stream = stream->next)
		if (strcmp(stream->host, host) == 0)
			return stream;
	for (stream = batch->streams; stream != NULL; stream = stream->next)
		if (strcmp(stream->host, host) == 0)
			return stream;
	return NULL;
}

const char *batch_stream_of(struct mc_batch *batch, const char *host)
{
	const struct batch_stream *stream = batch_find_stream(batch, host, batch->stream);

	if (stream != NULL)
		batch->stream = stream;
	return stream != NULL ? stream->text : NULL;
}

const void *mc_origin(const struct mc_batch *batch)
{
	return batch->mark;
}
