/* SPDX-License-Identifier: MIT */
#include "handover.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* A sample or two are missing in each move: those between the last one and the stop. */
#define NEAR 3

/* How much of the guest it has not sent, by its own clock if it has said when the guest left. */
static mc_time missing(const struct handover_old *old, mc_time first)
{
	return (old->left != 0 ? old->left : first) - old->sampled;
}

bool handover_is_needed(const struct handover_old *old, mc_time first)
{
	return old->reached < first &&
	       (old->sampled == 0 || missing(old, first) > old->interval + old->interval / 2);
}

bool handover_is_over(const struct handover *handover, const struct handover_old *old, mc_time now,
		      mc_time limit)
{
	if (now - handover->since >= limit || now < handover->since ||
	    old->reached >= handover->first)
		return true;
	/* It has sent nothing of another guest, but what it has sent is nearly all.  A collector
	 * that has not said that the guest has left may have been killed, and have the rest in its
	 * journal. */
	return old->left != 0 && old->sampled != 0 &&
	       missing(old, handover->first) <= NEAR * old->interval &&
	       now - old->seen > (NEAR - 1) * old->interval;
}

static size_t size_of(unsigned values_len)
{
	return sizeof(struct handover_sample) + values_len * sizeof(union mc_value);
}

static const char *keep_stream(struct handover *handover, const char *text)
{
	struct handover_stream *stream = handover->streams;
	size_t size = strlen(text) + 1;

	if (stream != NULL && strcmp(stream->text, text) == 0)
		return stream->text;
	stream = mc_alloc(sizeof(*stream) + size);
	stream->next = handover->streams;
	memcpy(stream->text, text, size);
	handover->streams = stream;
	handover->size += sizeof(*stream) + size;
	return stream->text;
}

size_t handover_add(struct handover *handover, struct mc_series *series, const char *stream,
		    const struct handover_sample *like, const union mc_value *values)
{
	size_t before = handover->size;
	struct handover_sample *sample = mc_alloc(size_of(like->values_len));

	*sample = *like;
	sample->next = NULL;
	sample->series = series;
	sample->stream = keep_stream(handover, stream);
	memcpy(sample->values, values, like->values_len * sizeof(values[0]));
	if (handover->last != NULL)
		handover->last->next = sample;
	else
		handover->samples = sample;
	handover->last = sample;
	handover->size += size_of(like->values_len);
	return handover->size - before;
}

struct handover handover_take(struct handover *handover)
{
	struct handover taken = *handover;

	handover->samples = handover->last = NULL;
	handover->streams = NULL;
	handover->size = 0;
	return taken;
}

void handover_free(struct handover *handover)
{
	for (struct handover_sample *at = handover->samples, *next; at != NULL; at = next) {
		next = at->next;
		free(at);
	}
	for (struct handover_stream *at = handover->streams, *next; at != NULL; at = next) {
		next = at->next;
		free(at);
	}
	*handover = (struct handover){ 0 };
}
